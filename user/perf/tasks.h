/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes and threads that a perf session traces. This is the exact filter; the kernel's is coarser. */
#ifndef SCOPE_PERF_TASKS_H
#define SCOPE_PERF_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/abi.h>

/* The stack of a thread when it last went to sleep. */
struct scope_perf_held {
	uint64_t time_ns; /* 0: none */
	uint64_t reg[SCOPE_REG_MAX];
	uint16_t regs; /* 0: a chain */
	uint16_t ips;
	uint32_t bytes;
	uint32_t room; /* bytes that data has */
	bool cut;
	uint64_t data[]; /* addresses, or bytes from the stack pointer upwards */
};

/* What the kernel has counted for a thread so far. */
struct scope_perf_counts {
	uint64_t minor_faults, major_faults, read_bytes, written_bytes;
};

struct scope_perf_thread {
	uint32_t tid, tgid;
	char comm[SCOPE_COMM_BYTES];
	uint16_t nr;		      /* number of the call that it is in; SCOPE_NR_NONE: no call is known */
	uint64_t enter_ns;	      /* of that call; 0: before tracing */
	uint8_t abi;		      /* of its program: SCOPE_ABI_NATIVE or SCOPE_ABI_32 */
	uint8_t by;		      /* why it is traced: SCOPE_PERF_BY_*, set by the code that adds it */
	bool ending;		      /* its exit was recorded, but it has not left its CPU yet */
	struct scope_perf_held *held; /* NULL: none yet; owned */
	bool counted;		      /* the next were read */
	struct scope_perf_counts counts;
	struct {
		uint64_t own[2], peer[2]; /* as in struct scope_record_peer */
		uint32_t port;		  /* the peer's; 0: none */
		int32_t fd;
	} connect;	     /* the peer of the connect that the thread is in */
	uint64_t stack_stop; /* address where the last copy of its stack ended too early; 0: it did not */
};

struct scope_perf_tasks;

int scope_perf_tasks_create(struct scope_perf_tasks **ret_tasks);
void scope_perf_tasks_destroy(struct scope_perf_tasks *tasks); /* NULL is fine */

/* NULL: not traced. Valid until a thread is added or removed. */
struct scope_perf_thread *scope_perf_tasks_find(struct scope_perf_tasks *tasks, uint32_t tid);

/* True if the function returns true for a thread, ending ones included. */
bool scope_perf_tasks_any(const struct scope_perf_tasks *tasks,
			  bool (*is)(const struct scope_perf_thread *thread, const void *context), const void *context);

/*
 * The thread, added if it is new. An earlier thread with that number that was about to end is removed. NULL: no memory.
 */
struct scope_perf_thread *scope_perf_tasks_add(struct scope_perf_tasks *tasks, uint32_t tgid, uint32_t tid);

/* Removes the thread. */
void scope_perf_tasks_remove(struct scope_perf_tasks *tasks, uint32_t tid);

/* Number of traced threads of the process that are not ending; 0: the process is not traced. */
uint32_t scope_perf_tasks_alive(const struct scope_perf_tasks *tasks, uint32_t tgid);

/* Number of processes that have such a thread. */
uint32_t scope_perf_tasks_processes(const struct scope_perf_tasks *tasks);

/* The thread will end: it does not count any more. */
void scope_perf_tasks_end(struct scope_perf_tasks *tasks, struct scope_perf_thread *thread);

/* Compares two numbers of threads (uint32_t), for qsort() and bsearch(). */
int scope_perf_tasks_by_number(const void *left, const void *right);

/* All numbers, the least first; the caller frees. 0 or -ENOMEM. */
int scope_perf_tasks_list(const struct scope_perf_tasks *tasks, uint32_t **ret_tids, size_t *ret_count);

#endif
