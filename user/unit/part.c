// SPDX-License-Identifier: GPL-2.0-only
/* Units and sleeps of a part of a trace, for its distributions. */
#include "unit/distribution.h"

/* What of the log is handed on. */
struct part {
	const struct scope_distributions *distributions;
	const struct scope_unit_sink *sink;
};

static int pass_unit(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	const struct part *part = user;
	const struct scope_distributions *of = part->distributions;

	if (unit->end_ns < of->from_ns || (of->until_ns && unit->end_ns >= of->until_ns) ||
	    !scope_unit_distributions_counts(of, unit->thread))
		return 0;
	return part->sink->unit(part->sink->user, unit, call);
}

/* The sink gets the waits of all threads, because any thread may be waited for. */
static int pass_wait(void *user, const struct scope_wait *wait)
{
	const struct part *part = user;

	return wait->end_ns < part->distributions->from_ns ? 0 : part->sink->wait(part->sink->user, wait);
}

int scope_unit_distributions_replay_from(const struct scope_distributions *distributions,
					 const struct scope_groups *groups, const struct scope_log_place *from,
					 const struct scope_unit_sink *sink)
{
	const struct scope_log_place end = scope_unit_log_end(distributions->log);
	struct part part = { distributions, sink };
	const struct scope_unit_sink passing = {
		.unit = sink->unit ? pass_unit : NULL,
		.wait = sink->wait && !distributions->until_ns ? pass_wait : NULL,
		.user = &part,
	};
	const bool all = !distributions->from_ns && !distributions->until_ns && !distributions->only;

	return scope_unit_log_replay(distributions->log, groups, from, &end, all ? sink : &passing);
}

int scope_unit_distributions_replay(const struct scope_distributions *distributions, const struct scope_groups *groups,
				    const struct scope_unit_sink *sink)
{
	const struct scope_log_place from = scope_unit_log_find(distributions->log, distributions->from_ns);

	return scope_unit_distributions_replay_from(distributions, groups, &from, sink);
}
