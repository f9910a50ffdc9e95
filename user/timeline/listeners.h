/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Those who hear of one pass over a trace, beside the units that are cut in it.
 *
 * A listener has a state of its own and hears what happens to threads. It is asked to begin again where a pass
 * does: the threads' pick-ups were decided wrongly, or a file that is still being written turned out otherwise.
 * A pass without listeners does not look for any at an event. What a listener wants to see once more of the
 * file it asks for by its place (scope_trace_place()), as stacks are.
 */
#ifndef SCOPE_TIMELINE_LISTENERS_H
#define SCOPE_TIMELINE_LISTENERS_H

#include "timeline/timeline.h"

struct scope_pass_listener {
	/*
	 * Of plain calls only those are told by .plain that every listener and the units take as plain; it must
	 * not refuse one. A listener that hears of calls and has no plain_roles is told all of them by .enter
	 * and .exit.
	 */
	const struct scope_timeline_ops *ops;
	/*
	 * Before the first event: all that was heard until now is void, what was finished included. The
	 * timeline stays until the pass begins again, or is destroyed. 0 or -errno, which ends the pass.
	 */
	int (*begin)(void *user, const struct scope_timeline *timeline);
	/* After the last event; accounts are those of the window's end. NULL: nothing to do. 0 or -errno. */
	int (*finish)(void *user);
	void *user;
};

/* In the order in which they hear. They must stay as long as the pass. */
struct scope_listeners {
	const struct scope_pass_listener *listener;
	size_t count;
};

int scope_timeline_listeners_begin(const struct scope_listeners *listeners, const struct scope_timeline *timeline);
int scope_timeline_listeners_finish(const struct scope_listeners *listeners);

#endif
