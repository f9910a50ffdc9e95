/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwinds the stacks of a capture while it runs, in a child process, because files of a target are hostile input and
 * may take long to read (docs/architecture.md, "The module walks stacks").
 *
 *   rings ──► scope_capture_unwinder_take() ──► queue ══ shared memory ══► child: maps, files, unwinds
 *                                         │                           │ (proc/reader.h opens files)
 *   file  ◄── write() ◄── scope_capture_unwinder_pump() ◄═════════════════════╝
 *
 * Sub-buffers are written in the order in which they were taken. A child is given up if it does not answer for
 * SCOPE_UNWINDER_WAIT_MS (three times as long while it looks up names), if it ends, or if twice
 * SCOPE_UNWINDER_QUEUE_BYTES wait for it. Stacks that would make the queue longer than SCOPE_UNWINDER_QUEUE_BYTES are
 * not unwound. In both cases only the program counters of the stacks are kept, and the stacks are counted.
 */
#ifndef SCOPE_CAPTURE_UNWINDER_H
#define SCOPE_CAPTURE_UNWINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/ring.h>
#include <scope/table.h>

#include "base/error.h"
#include "trace/owner.h"
#include "trace/trace.h"

struct scope_unwinder;

#define SCOPE_UNWINDER_WAIT_MS 10000u
#define SCOPE_UNWINDER_QUEUE_BYTES (64u << 20)

/* What the caller provides. */
struct scope_unwinder_host {
	int (*write)(void *context,
		     const struct scope_subbuf *subbuf); /* returns 0; another value ends the call and is returned */
	/* A frame of names (symbol/names.h). */
	int (*names)(void *context, uint16_t type, const void *payload, size_t bytes);
	/*
	 * Gives an unwind table, and the mappings of a process, to the module; NULL: the module takes none. table:
	 * returns the table's number in the module. -EINVAL, -E2BIG, -ENOSPC and -ESRCH concern only this table or
	 * process; after any other error nothing more is given.
	 */
	int (*table)(void *context, const void *table, uint32_t bytes);
	int (*process)(void *context, uint32_t tgid, const struct scope_table_map *map, uint32_t count);
	/* Writes new mappings of these processes, and so calls scope_capture_unwinder_map(). */
	int (*maps)(void *context, const uint32_t *tgids, size_t count);
	void *context;
};

/*
 * Forks the child. Call it before opening anything that must not outlive this process. nice: the child's nice value.
 * tgid: the target, in whose root directory files are searched. 0, or -errno with error filled.
 */
int scope_capture_unwinder_create(const struct scope_unwinder_host *host, uint32_t tgid, int nice,
				  struct scope_error *error, struct scope_unwinder **ret_unwinder);
void scope_capture_unwinder_destroy(struct scope_unwinder *unwinder); /* NULL is fine */

/* For poll(): readable when pump() has work; -1: it has no work now. */
int scope_capture_unwinder_fd(const struct scope_unwinder *unwinder);

/* Adds a row of maps. Without memory it is left out. */
void scope_capture_unwinder_map(struct scope_unwinder *unwinder, const struct scope_trace_map *map);

/* Notes a record of these types, from the sub-buffer that is taken next. */
#define SCOPE_UNWINDER_TYPES (SCOPE_OWNERS_TYPES | SCOPE_WALK(FUTEX))
void scope_capture_unwinder_note(struct scope_unwinder *unwinder, const void *record);

/*
 * Writes the sub-buffer, all of whose records of SCOPE_UNWINDER_TYPES were noted, or queues a copy of it. 0, -ENOMEM, or
 * what write() returned.
 */
int scope_capture_unwinder_take(struct scope_unwinder *unwinder, const struct scope_subbuf *subbuf);

/*
 * Writes finished jobs and starts the next one; waits up to wait_ms for a running job. A nested call does nothing. 0 or
 * -errno.
 */
int scope_capture_unwinder_pump(struct scope_unwinder *unwinder, unsigned int wait_ms);

/*
 * Requests the names of the addresses so far: host.names() is called with them when there is no other work. all: also
 * counts the functions of the other files. Until this is done scope_capture_unwinder_idle() is false.
 */
void scope_capture_unwinder_want_names(struct scope_unwinder *unwinder, bool all);

/* Cancels the request: the remaining names are left for the next request. */
void scope_capture_unwinder_defer_names(struct scope_unwinder *unwinder);

/* True if the module has all tables and mappings that are known so far, or takes none. */
bool scope_capture_unwinder_settled(const struct scope_unwinder *unwinder);

/* Number of executable mappings so far. */
uint64_t scope_capture_unwinder_map_rows(const struct scope_unwinder *unwinder);

/* True if all sub-buffers taken and all names requested are written. */
bool scope_capture_unwinder_idle(const struct scope_unwinder *unwinder);

/*
 * Unwinds the stack of a thread that does not run, from its registers and memory. Waits for the result and calls
 * while_waiting(context) during the wait; if it returns another value than 0, the call ends and returns it.
 * *ret_stopped_stack points into the unwinder, and is valid until the next call. 0 or -errno.
 */
int scope_capture_unwinder_stopped_stack(struct scope_unwinder *unwinder, uint32_t tgid, const uint64_t *reg,
					 unsigned int regs, const struct scope_trace_memory *memory,
					 int (*while_waiting)(void *context), void *context,
					 struct scope_trace_stopped_stack *ret_stopped_stack);

struct scope_unwinder_counts {
	uint64_t stacks;		     /* unwound */
	uint64_t given_up;		     /* stacks of which only the program counter is in the trace */
	uint64_t walked;		     /* stacks that the module walked and did not copy */
	uint64_t copies[SCOPE_COPY_REASONS]; /* copied stacks, by the reason of the copy */
	uint32_t tables, tables_refused;     /* tables given to the module, and refused by it */
	uint32_t maps_refused;		     /* how often the mappings of a process were refused, or were too many */
	uint64_t cpu_ns;		     /* of the child */
};
void scope_capture_unwinder_count(const struct scope_unwinder *unwinder, struct scope_unwinder_counts *ret_counts);

#endif
