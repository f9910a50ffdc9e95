/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds hosts whose requests take longer than on other hosts, whatever their own analysis found.
 *
 * A host that was slow for all of its window has no baseline of its own; the other hosts are one. The median and the 99th
 * percentile of a group's requests are compared by their logarithms with the median over all members of that program, by
 * the median absolute deviation (Rousseeuw and Croux, JASA 88, 1993).
 */
#ifndef SCOPE_FLEET_OUTLIER_H
#define SCOPE_FLEET_OUTLIER_H

#include "fleet/ranking.h"

#define SCOPE_FLEET_OUTLIER_MEMBERS 4 /* members; with fewer it is not known which one is out of line */
#define SCOPE_FLEET_OUTLIER_TIMES 1.5 /* as long as on the others, at least */
#define SCOPE_FLEET_OUTLIER_Z 6	      /* deviations */

/* Sets the outliers and apart of the ranking. 0 or -ENOMEM. */
int scope_fleet_outlier_find(struct scope_fleet_ranking *ranking);

#endif
