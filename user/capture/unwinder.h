/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwinds the stacks of a capture as they come, in a process of its own.
 *
 * Files of a target are hostile input, and one may take long to read, while rings must not overflow. So the
 * process that holds the session never looks into them. Sub-buffers with stacks wait in a queue of its own
 * memory; one after the other goes through shared memory to a child, which was forked before the session
 * was opened, and comes back with addresses:
 *
 *   rings ──► scope_capture_unwinder_take() ──► queue ══ shared memory ══► child: maps, files, unwinds
 *                                         │                           │ (proc/reader.h opens files)
 *   file  ◄── write() ◄── scope_capture_unwinder_pump() ◄═════════════════════╝
 *
 * Sub-buffers are written in the order in which they were taken. A child that does not answer for
 * SCOPE_UNWINDER_WAIT_MS (three times that while it looks names up), or that ends, or behind which twice SCOPE_UNWINDER_QUEUE_BYTES wait, is given up; and
 * so are stacks that would make the queue longer than that once. Of such stacks the program counter stays, and
 * they are counted.
 *
 * Where a stack leads to an address where nothing is known to be mapped, the maps of its process are asked
 * for again (at most every 100 ms, and less often the longer that brings nothing new), and it is unwound once more.
 */
#ifndef SCOPE_CAPTURE_UNWINDER_H
#define SCOPE_CAPTURE_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>

#include "base/error.h"
#include "trace/trace.h"

struct scope_unwinder;

#define SCOPE_UNWINDER_WAIT_MS 10000u
#define SCOPE_UNWINDER_QUEUE_BYTES (64u << 20)

/* What it asks of its holder. */
struct scope_unwinder_host {
	int (*write)(void *context, const struct scope_subbuf *subbuf); /* 0, or what ends the call */
	/* A frame of names (symbol/names.h). */
	int (*names)(void *context, uint16_t type, const void *payload, size_t bytes);
	/* Writes what is new in the maps of these processes, so that scope_capture_unwinder_map() is called. */
	int (*maps)(void *context, const uint32_t *tgids, size_t count);
	void *context;
};

/*
 * Forks the child: before anything is opened that must not outlive this process. nice: the priority it
 * gets. tgid: of the target, whose root directory files are looked for in. 0, or -errno with error filled.
 */
int scope_capture_unwinder_create(const struct scope_unwinder_host *host, uint32_t tgid, int nice,
				  struct scope_error *error, struct scope_unwinder **ret_unwinder);
void scope_capture_unwinder_destroy(struct scope_unwinder *unwinder); /* NULL is fine */

/* For poll(): readable when pump() has something to do; -1: not now. */
int scope_capture_unwinder_fd(const struct scope_unwinder *unwinder);

/* A row of maps, as it is written. What does not fit into memory is missing. */
void scope_capture_unwinder_map(struct scope_unwinder *unwinder, const struct scope_trace_map *map);

/* Writes the sub-buffer, or queues a copy of it. 0, -ENOMEM, or what write() returned. */
int scope_capture_unwinder_take(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf);

/*
 * Writes what has come back, and hands out more; waits for so long at most while anything is under way.
 * From within itself it does nothing. 0 or -errno.
 */
int scope_capture_unwinder_pump(struct scope_unwinder *unwinder, unsigned int wait_ms);

/*
 * Wants the names of what was hit so far written by host.names(), where nothing else is to be done; all:
 * and how many functions the other files have. Until that is done scope_capture_unwinder_idle() is false.
 */
void scope_capture_unwinder_want_names(struct scope_unwinder *unwinder, bool all);

/* Those that are left are for the next time. */
void scope_capture_unwinder_defer_names(struct scope_unwinder *unwinder);

/* Is all written that was taken, and wanted? */
bool scope_capture_unwinder_idle(const struct scope_unwinder *unwinder);

/*
 * The stack of a thread that stands still, from its registers and the memory read. Waits for it, and calls
 * meanwhile(context) while it does; other than 0 is the result. *ret_standing points into the unwinder,
 * until the next call. 0 or -errno.
 */
int scope_capture_unwinder_stopped_stack(struct scope_unwinder *unwinder, uint32_t tgid, const uint64_t *reg,
					 unsigned int regs, const struct scope_trace_memory *memory,
					 int (*meanwhile)(void *context), void *context,
					 struct scope_trace_stopped_stack *ret_stopped_stack);

struct scope_unwinder_counts {
	uint64_t stacks;   /* unwound */
	uint64_t given_up; /* of which the program counter alone is in the trace */
	uint64_t cpu_ns;   /* of the child */
};
void scope_capture_unwinder_count(const struct scope_unwinder *unwinder, struct scope_unwinder_counts *ret_counts);

#endif
