/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The listeners to one pass over a trace, in addition to the units that are cut in it.
 *
 * A listener has its own state and is called for what happens to threads. It begins again when the
 * pass does: because the threads' pick-ups were decided wrongly, or a file that is still being
 * written contradicted them. A pass without listeners spends no time on them. A listener that needs
 * data of the file again, such as stacks, gets it by its place (scope_trace_place()).
 */
#ifndef SCOPE_TIMELINE_LISTENERS_H
#define SCOPE_TIMELINE_LISTENERS_H

#include "timeline/timeline.h"

struct scope_pass_listener {
	/*
	 * .plain is called only for calls that every listener and the units take as plain; it must
	 * not refuse one. A listener that wants calls and has no plain_roles gets all of them by
	 * .enter and .exit.
	 */
	const struct scope_timeline_ops *ops;
	/*
	 * Called before the first event: all results so far are void, finished ones included. The
	 * timeline stays until the pass begins again, or is destroyed. 0 or -errno, which ends the
	 * pass.
	 */
	int (*begin)(void *user, const struct scope_timeline *timeline);
	/* After the last event; accounts are those of the window's end. NULL: nothing to do. 0 or -errno. */
	int (*finish)(void *user);
	void *user;
};

/* In the order in which they are called. They must live as long as the pass. */
struct scope_listeners {
	const struct scope_pass_listener *listener;
	size_t count;
};

int scope_timeline_listeners_begin(const struct scope_listeners *listeners, const struct scope_timeline *timeline);
int scope_timeline_listeners_finish(const struct scope_listeners *listeners);

#endif
