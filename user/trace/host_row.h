/* SPDX-License-Identifier: GPL-2.0-only */
/* The rows of a trace that count, once a second, the resources that the host did not give to the target. */
#ifndef SCOPE_TRACE_HOST_ROW_H
#define SCOPE_TRACE_HOST_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scope_trace;

/* X(NAME, name). All counts begin at some time before the trace, and never fall. Times are ns. */
#define SCOPE_HOST_COUNT_LIST(X)                                                                                       \
	X(BUSY, busy)			/* time in which CPUs were not idle, sum of all */                             \
	X(IRQ, irq)			/* part of it in interrupts */                                                 \
	X(SOFTIRQ, softirq)		/* part of it in softirqs */                                                   \
	X(STEAL, steal)			/* time in which a hypervisor ran something else, sum of all CPUs */           \
	X(THROTTLED, throttled)		/* time for which CPU limits throttled the target's control groups */          \
	X(PERIODS, periods)		/* periods of these limits */                                                  \
	X(PERIODS_MET, periods_met)	/* periods in which a limit was reached */                                     \
	X(CPU, psi_cpu)			/* time in which a task waited for a CPU (pressure stall information) */       \
	X(MEMORY, psi_memory)		/* time in which a task waited for memory */                                   \
	X(MEMORY_FULL, psi_memory_full) /* all tasks did */                                                            \
	X(IO, psi_io)			/* time in which a task waited for a disk */                                   \
	X(IO_FULL, psi_io_full)		/* all tasks did */

enum scope_host_count {
#define SCOPE_HOST_COUNT_ENUM(NAME, name) SCOPE_HOST_##NAME,
	SCOPE_HOST_COUNT_LIST(SCOPE_HOST_COUNT_ENUM)
#undef SCOPE_HOST_COUNT_ENUM
		SCOPE_HOST_COUNTS,
};

struct scope_host_row {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t known;	  /* a bit for each count */
	uint64_t value[SCOPE_HOST_COUNTS];
};

#define SCOPE_HOST_ROW_BYTES 512 /* no rule: of a row as text */

/* Writes a row as the value of its key in the metadata, and reads it. Returns false if the text is no such row. */
void scope_trace_host_row_format(const struct scope_host_row *row, char text[SCOPE_HOST_ROW_BYTES]);
bool scope_trace_host_row_parse(const char *text, struct scope_host_row *ret_row);

/* All rows of a trace, by time, no two of one time. The caller frees them. 0 or -ENOMEM. */
int scope_trace_host_rows(const struct scope_trace *trace, struct scope_host_row **ret_rows, size_t *ret_count);

/*
 * How much each count grew from begin to end, where rows cover this time. Growth between two rows counts as even;
 * growth of pressure is at most the time between them. known: the counts that are in both rows around some part of that
 * time. Sums over parts of a window are the sum of the window. Returns the time that rows cover, ns.
 */
uint64_t scope_trace_host_growth(const struct scope_host_row *row, size_t count, uint64_t begin_ns, uint64_t end_ns,
				 struct scope_host_row *ret_growth);

#endif
