/* SPDX-License-Identifier: GPL-2.0-only */
/* How threads pick up work, learned in a separate pass over a trace. The single pass is compared with it. */
#ifndef SCOPE_TESTS_PICKUPS_LEARNED_H
#define SCOPE_TESTS_PICKUPS_LEARNED_H

#include "trace/feed.h"
#include "unit/pickup.h"

static inline int pickups_feed(void *user, const struct scope_event *const *event, size_t count)
{
	return scope_unit_learner_feed(user, event, count);
}

/* Runs once through the trace, and decides about every thread. 0 or -errno. The caller destroys the result. */
static inline int pickups_learned(struct scope_trace *trace, struct scope_pickups **ret_pickups)
{
	struct scope_pickups *pickups = NULL;
	struct scope_learner *learner;
	int err = scope_unit_learner_create(trace, &learner);

	if (err)
		return err;
	err = scope_trace_feed_all(trace, pickups_feed, learner);
	if (!err)
		err = scope_unit_learner_finish(learner);
	if (!err)
		err = scope_unit_pickups_create(&pickups);
	if (!err)
		err = scope_unit_pickups_decide(pickups, learner, scope_unit_learner_threads(learner));
	if (!err)
		scope_unit_pickups_conclude(pickups, learner);
	scope_unit_learner_destroy(learner);
	if (err) {
		scope_unit_pickups_destroy(pickups);
		return err;
	}
	*ret_pickups = pickups;
	return 0;
}

#endif
