/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cuts the units of threads that get requests from others, as workers of a queue do, where one answer ends and the work for another
 * one begins. A worker that finds its queue filled takes the next request without any call.
 */
#ifndef SCOPE_UNIT_NEXT_ANSWER_H
#define SCOPE_UNIT_NEXT_ANSWER_H

#include "unit/open_unit.h"

/* True if the unit's thread gets requests from others, and reads none itself. */
static inline bool scope_unit_next_possible(const struct scope_open_unit *open_unit)
{
	return open_unit->requests && !open_unit->pickup.reads && !open_unit->pickup.datagrams;
}

/*
 * A write is entered. If it is the first one of the answer to another request than the unit has answered, and the work since is
 * comparable to that before, the unit ended where the last answer did, and another one began there. 0, or what the sink returned.
 */
int scope_unit_next_cut(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			const struct scope_thread *thread, const struct scope_open_call *call);
/* A write returned: if it is part of an answer, notes that the answer ends here, unless a later write goes on with it. */
void scope_unit_next_answered(const struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			      const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
			      uint64_t exit_ns);
/* Counts a call since the last answer as well. 0 or -ENOMEM. */
int scope_unit_next_count(struct scope_histograms *histograms, struct scope_open_unit *open_unit, uint16_t nr);

#endif
