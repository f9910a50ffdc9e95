/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes of perf records, in order of time, the records that the module would have written. */
#ifndef SCOPE_PERF_PACK_H
#define SCOPE_PERF_PACK_H

#include "perf/parse.h"
#include "perf/tasks.h"
#include "source/request.h"

struct scope_subbuf;
struct scope_record_state;
struct scope_perf_pack;

/*
 * options and tasks stay the caller's and must outlive the object. layout: that of the records, for the states of
 * threads. take() gets the sub-buffers, during any of the functions below; if it returns another value than 0, they
 * return it.
 */
int scope_perf_pack_create(const struct scope_capture_options *options, const struct scope_perf_layout *layout,
			   struct scope_perf_tasks *tasks,
			   int (*take)(const struct scope_subbuf *subbuf, void *context), void *context,
			   struct scope_perf_pack **ret_pack);
/* Sets for how long each sample from here on delays its thread. At first it is 0: not known. */
void scope_perf_pack_sample_cost(struct scope_perf_pack *pack, uint32_t cost_ns);
void scope_perf_pack_destroy(struct scope_perf_pack *pack); /* NULL is fine */

/* The next record, of that CPU. 0, -ENOMEM, or what take() returned. */
int scope_perf_pack_record(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);

/* A hit of a probe that was set at run time, with its words; see struct scope_record_probe. 0, -ENOMEM, or what take() returned. */
int scope_perf_pack_probe(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record,
			  uint16_t id, uint8_t flags);

/* Events of the CPU's ring were lost: count events, 0 if not known. */
int scope_perf_pack_lost(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns, uint64_t count);

/* Counts stacks for which their ring had no room. */
void scope_perf_pack_stacks_lost(struct scope_perf_pack *pack, uint64_t count);

/* A STATE record at time_ns, on the CPU where the thread runs or on the first one. */
int scope_perf_pack_state(struct scope_perf_pack *pack, uint64_t time_ns, struct scope_record_state *state,
			  const uint64_t *reg);

/* True if, according to the records so far, the thread runs on some CPU. */
bool scope_perf_pack_runs(const struct scope_perf_pack *pack, uint32_t tid);

/*
 * The thread continues to live, but is not selected any more: writes this, on the CPU where it runs or else on the
 * given one, and removes the thread.
 */
int scope_perf_pack_leave(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns,
			  const struct scope_perf_thread *thread);

/* The thread ends on this CPU, if it is known and not ending yet. */
int scope_perf_pack_end(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns, uint32_t tid);

/* Writes calls that are open on a CPU as ENTER, and gives all sub-buffers to take(). */
int scope_perf_pack_flush(struct scope_perf_pack *pack, uint64_t time_ns);

/* Fills in all counts but processes. */
void scope_perf_pack_count(const struct scope_perf_pack *pack, struct scope_capture_counts *ret_counts);

#endif
