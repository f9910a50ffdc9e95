/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files that pack calls, stacks, connections, and threads that come and go. */
#ifndef SCOPE_PERF_PACK_INTERNAL_H
#define SCOPE_PERF_PACK_INTERNAL_H

#include "perf/pack.h"
#include "source/selection.h"
#include "trace/packer.h"

/* The state of one CPU. */
struct lane {
	bool pending; /* the call of tid has not returned */
	uint32_t tid;
	uint16_t nr;
	uint8_t abi, args;
	uint64_t arg[SCOPE_ARG_MAX];
	uint64_t enter_ns;
	uint32_t running; /* the traced thread on it; 0: none that is known */
	uint32_t other; /* the last thread on it that is not traced, according to its records; 0: none, or the idle task */
	uint64_t time_ns;   /* of its last event */
	uint64_t window_ns; /* begin of the second in which stacks are counted */
	uint32_t window_stacks;
};

struct scope_perf_pack {
	const struct scope_capture_options *options;
	const struct scope_perf_layout *layout;
	struct scope_perf_tasks *tasks;
	struct scope_packer *packer;
	struct lane *lane;
	size_t lanes, capacity;
	struct scope_capture_counts counts;
	uint32_t sample_cost_ns;
};

static inline struct scope_event event_of(uint8_t kind, uint32_t cpu, uint64_t time_ns, uint32_t tid)
{
	return (struct scope_event){ .kind = kind, .cpu = (uint16_t)cpu, .time_ns = time_ns, .tid = tid };
}

/* The state of the CPU; NULL: no memory. Pointers to other CPUs' states may become invalid. */
struct lane *scope_perf_pack_lane(struct scope_perf_pack *pack, uint32_t cpu);

/*
 * Writes the call that has not returned, if there is one, as ENTER. time_ns is that of another record, or of the
 * reader, so it may be before the call's entry. 0 or -errno.
 */
int scope_perf_pack_pending(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns);

/* Adds an event to its CPU, whose lane exists. One too large for a sub-buffer is counted as lost. */
int scope_perf_pack_put(struct scope_perf_pack *pack, struct scope_event *event);

/* Finds the running thread by its number; adds an unknown thread of a traced process. */
struct scope_perf_thread *scope_perf_pack_current(struct scope_perf_pack *pack, const struct scope_perf_record *record);

/* Writes the stack after the record of a call that slept, if the call took long enough. */
int scope_perf_stack_of_call(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns,
			     struct scope_perf_thread *thread, uint16_t nr, uint8_t abi);
/* Keeps the stack of a thread that is about to sleep until its call returns. */
int scope_perf_stack_hold(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);
/* Writes the stack of a running thread. */
int scope_perf_stack_sample(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);

/* The thread entered a call with these arguments. If it is a connect, its descriptor is known from now on. */
void scope_perf_connect_enter(struct scope_perf_thread *thread, const struct scope_perf_record *record,
			      const struct scope_perf_field *args);
/* The running thread sends the first packet of a connection: notes the addresses. */
int scope_perf_connect_packet(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);
/*
 * Writes the PEER of a connect, after its ENTER if the thread goes to sleep, else after its last record. The local port
 * is not known, because the perf event comes before the kernel chooses it. Writes nothing if the thread opened no
 * connection.
 */
int scope_perf_connect_put(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns,
			   const struct scope_perf_thread *thread, int64_t ret);

/* A thread executes another program. Its name came just before, as a COMM record. */
int scope_perf_life_exec(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);
/* In its parent, before the child runs. */
int scope_perf_life_fork(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);
int scope_perf_life_end(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);
/* Threads enter and leave the trace when they take or lose a name that is selected. */
int scope_perf_life_comm(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);

#endif
