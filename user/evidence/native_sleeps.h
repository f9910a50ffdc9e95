/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sleeps whose native stack has functions of a runtime (symbol/made_code.h). Such a stack is taken once for each sleep.
 * Snapshots of the same sleep show the same, so they do not count in addition.
 */
#ifndef SCOPE_EVIDENCE_NATIVE_SLEEPS_H
#define SCOPE_EVIDENCE_NATIVE_SLEEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"
#include "unit/log.h"

struct scope_native_sleep {
	uint32_t thread;   /* its index */
	uint64_t enter_ns; /* when its call began */
};

struct scope_native_sleeps {
	struct scope_native_sleep *sleep; /* sorted */
	size_t count, room;
};

/* None if the trace has no such stacks. 0 or -errno of reading it; free in any case. */
int scope_evidence_native_sleeps_find(struct scope_unit_log *log, struct scope_trace *trace,
				      struct scope_native_sleeps *ret_sleeps);
bool scope_evidence_native_sleeps_has(const struct scope_native_sleeps *sleeps, uint32_t thread, uint64_t enter_ns);
void scope_evidence_native_sleeps_free(struct scope_native_sleeps *sleeps);

#endif
