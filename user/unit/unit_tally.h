/* SPDX-License-Identifier: GPL-2.0-only */
/* One unit after another is counted in the row of its group and its vector, which there is once it is needed. */
#ifndef SCOPE_UNIT_UNIT_TALLY_H
#define SCOPE_UNIT_UNIT_TALLY_H

#include "unit/distribution.h"

/* 0 or -ENOMEM. */
int scope_unit_tally(struct scope_distributions *distributions, const struct scope_unit *unit,
		     const struct scope_unit_call *call);

/* Makes room for a group, and for that number of its vectors. 0 or -ENOMEM. */
int scope_unit_tally_room(struct scope_distributions *distributions, uint32_t group, size_t vectors);

/* Adds units that made these calls; tally leaves it out where a call histogram has them. 0 or -ENOMEM. */
int scope_unit_tally_calls(struct scope_distributions_row *row, const struct scope_unit_call *call, unsigned calls,
			   uint64_t units);

/* Counts the oldest of the times that wait for their places in the sketches. There must be one. 0 or -ENOMEM. */
int scope_unit_tally_settle(struct scope_distributions *distributions);

void scope_unit_tally_free(struct scope_distributions_group *group);

#endif
