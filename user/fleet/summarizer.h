/* SPDX-License-Identifier: GPL-2.0-only */
/* A summary that is being made: for summarize.c and blame.c alone. */
#ifndef SCOPE_FLEET_SUMMARIZER_H
#define SCOPE_FLEET_SUMMARIZER_H

#include "analysis/analysis.h"
#include "fleet/host_summary.h"
#include "fleet/table.h"

struct scope_fleet_asleep {
	uint64_t ns[SCOPE_WAIT_CLASSES];
};

struct scope_fleet_summarizer {
	const struct scope_analysis *analysis;
	struct scope_fleet_summary *summary;
	struct scope_fleet_table table;
	int64_t to_wall_ns;
	uint64_t from_ns, to_ns; /* by the clock of the trace */
	uint64_t first_s, step_s;
	size_t steps;
	struct scope_fleet_second *cell;   /* by step, then kind; its sums are in ns until it is kept */
	struct scope_fleet_asleep *asleep; /* by thread: since its last unit */
	size_t threads;
};

/* A time by the clock of the trace, as time since 1970. */
uint64_t scope_fleet_wall_us(const struct scope_fleet_summarizer *summarizer, uint64_t ns);
/* The build-id of the file of a function; "" if it is not known. */
const char *scope_fleet_build_id_of(const struct scope_trace *trace, const struct scope_function *function);

#endif
