/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives groups of a window the names that they have in the window with which it is compared.
 *
 * If several groups have one name, the way in which their threads pick up work is added to it, so a group's name
 * depends on other groups. And a thread that is stuck for the whole window picks up no work: it is in another group,
 * and its own group seems to have disappeared. The sums of such threads are moved to the line of their earlier group.
 */
#ifndef SCOPE_METRICS_REJOIN_H
#define SCOPE_METRICS_REJOIN_H

#include "metrics/view.h"

/* The data from which a view by group was made. */
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
