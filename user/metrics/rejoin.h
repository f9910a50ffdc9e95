/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of a window, by the names that they have in the one that it is compared with.
 *
 * A group's name says how its threads pick up work if there are several of that name, so it depends on the others. And a
 * thread that is stuck for the whole window picks up none: it is in another group then, and the one that it was in seems to
 * be gone. What such threads did is in the line of the group that they were in.
 */
#ifndef SCOPE_METRICS_REJOIN_H
#define SCOPE_METRICS_REJOIN_H

#include "metrics/view.h"

/* What a view by group was made from. */
struct scope_metrics_grouped {
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
};

/*
 * Changes the lines of a view by group. A line gets the name that its group had then. Threads that pick up no work go to
 * the line of the group in which they did then, by their numbers; if the program was started again, they stay where they are.
 * 0 or -ENOMEM.
 */
int scope_metrics_view_rejoin(struct scope_metrics_view *view, const struct scope_metrics_grouped *now,
			      const struct scope_metrics_grouped *then);

#endif
