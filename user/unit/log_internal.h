/* SPDX-License-Identifier: GPL-2.0-only */
/* What the log of a run keeps: units and sleeps (log.c), stacks and registers (log_stacks.c). */
#ifndef SCOPE_UNIT_LOG_INTERNAL_H
#define SCOPE_UNIT_LOG_INTERNAL_H

#include "base/spool.h"
#include "unit/late.h"
#include "unit/log.h"

/* A place, and when the last of all rows before it ended. */
struct scope_log_mark {
	struct scope_log_place place;
	uint64_t ended_ns;
};

struct scope_unit_log {
	const struct scope_histograms *histograms; /* that units refer to */
	struct scope_spool *rows;		   /* units and sleeps */
	struct scope_spool *stacks;		   /* struct scope_logged_stack */
	struct scope_spool *tasks;		   /* the same */
	struct scope_late late;
	struct scope_late moved;     /* those that are known to be inside or outside of units */
	uint64_t last_ns;	     /* end of the last row */
	uint64_t ended_ns;	     /* the latest end of all rows */
	uint64_t count;		     /* rows */
	struct scope_log_mark *mark; /* one each 65,536 rows */
	size_t marks, mark_capacity;
	struct scope_logged_state *state; /* by thread */
	size_t states, state_capacity;
};

#endif
