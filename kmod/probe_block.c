// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests to block devices that traced threads make, from the queue to the end.
 *
 * A request is a traced thread's if that thread queued it (block_rq_insert) or gave it to the device
 * (block_rq_issue). From then on it is in the session's table, so that it is known again when a kernel worker issues
 * it, and when an interrupt reports its end. Other requests only cost a search in one line of keys. A request is
 * handled by one CPU at a time, and the block layer orders these: only the claim of a slot needs an atomic operation.
 */
#include <linux/hash.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include "block.h"
#include "probe_bio.h"
#include "probe_block.h"
#include "record.h"
#include "session.h"

#define LINES 128u /* a power of two */
#define LINE 8u	   /* requests of a line: its keys fill 64 bytes */

struct outstanding {
	u64 begun;     /* by the block layer's clock */
	u64 queued_ns; /* 0: it was not queued */
	u64 issued_ns; /* 0: not yet */
	u64 sector;    /* where the rest of it begins, after it was issued */
	u32 tid;
};

struct scope_block {
	struct {
		struct request *request[LINE];
	} ____cacheline_aligned key[LINES];
	struct outstanding value[LINES][LINE];
};

static inline u32 line_of(const struct request *request)
{
	return hash_ptr(request, ilog2(LINES));
}

/* NULL: it is not there. The pointer of the key goes to *ret_key. */
static struct outstanding *find(struct scope_block *block, const struct request *request, struct request ***ret_key)
{
	u32 line = line_of(request), i;

	for (i = 0; i < LINE; i++) {
		if (READ_ONCE(block->key[line].request[i]) != request)
			continue;
		*ret_key = &block->key[line].request[i];
		return &block->value[line][i];
	}
	return NULL;
}

static struct outstanding *claim(struct scope_block *block, struct request *request, struct request ***ret_key)
{
	u32 line = line_of(request), i;

	for (i = 0; i < LINE; i++) {
		if (READ_ONCE(block->key[line].request[i]) || cmpxchg(&block->key[line].request[i], NULL, request))
			continue;
		*ret_key = &block->key[line].request[i];
		return &block->value[line][i];
	}
	return NULL;
}

static void forget(struct request **key)
{
	/* Pairs with the compare-and-exchange of a claim: the value was read. */
	smp_store_release(key, NULL);
}

/* An earlier request in the same memory ended without a report, because it was merged into another one or freed. */
static bool is_other(const struct outstanding *one, const struct request *request)
{
	return one->begun != scope_compat_block_begun(request) ||
	       (one->issued_ns && one->sector != scope_compat_block_sector(request));
}

/* The traced thread that acts here. An interrupt acts for no thread. */
static inline u32 acting_tid(struct scope_cpu *cpu)
{
	return cpu->traced && !in_interrupt() ? current->pid : 0;
}

/* Returns NULL if the request is of no traced thread, or, with *ret_tid not 0, if there is no room for it. */
static struct outstanding *take_up(struct scope_session *session, struct scope_cpu *cpu, struct request *request,
				   u32 *ret_tid)
{
	struct request **key;
	struct outstanding *one = find(session->block, request, &key);

	if (one && !is_other(one, request)) {
		*ret_tid = one->tid;
		return one;
	}
	if (one)
		forget(key);
	*ret_tid = acting_tid(cpu);
	if (!*ret_tid)
		return NULL;
	if (scope_bio_is_tracked(session, scope_compat_block_bio(request))) {
		*ret_tid = 0;
		return NULL;
	}
	one = claim(session->block, request, &key);
	if (one)
		*one = (struct outstanding){ .begun = scope_compat_block_begun(request), .tid = *ret_tid };
	return one;
}

static void put_issue(struct scope_ring *ring, const struct request *request, const struct outstanding *one, u32 tid,
		      u64 now)
{
	u64 queued_ns = one && one->queued_ns ? now - one->queued_ns : 0;
	struct scope_record_block_issue *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_BLOCK_ISSUE, sizeof(*r), now);
	if (!r)
		return;
	r->tid = tid;
	r->sector = scope_compat_block_sector(request);
	r->dev = scope_compat_block_dev(request);
	r->bytes = scope_compat_block_bytes(request);
	r->queue_ns = (s64)queued_ns < 0 ? 0 : min_t(u64, queued_ns, U32_MAX);
	r->op = scope_compat_block_op(request);
	r->flags = scope_compat_block_flags(request) | (one ? 0 : SCOPE_BLOCK_UNMATCHED);
	r->zero = 0;
	scope_ring_commit(ring, sizeof(*r));
}

static void put_done(struct scope_ring *ring, const struct request *request, const struct outstanding *one, int error,
		     u32 bytes, u64 now)
{
	struct scope_record_block_done *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_BLOCK_DONE, sizeof(*r), now);
	if (!r)
		return;
	r->tid = one->tid;
	r->sector = scope_compat_block_sector(request);
	r->dev = scope_compat_block_dev(request);
	r->bytes = bytes;
	r->latency_ns = now > one->issued_ns ? now - one->issued_ns : 0;
	r->error = error;
	r->op = scope_compat_block_op(request);
	r->flags = scope_compat_block_flags(request) |
		   (bytes < scope_compat_block_bytes(request) ? SCOPE_BLOCK_PART : 0);
	r->zero = 0;
	scope_ring_commit(ring, sizeof(*r));
}

static void probe_insert(SCOPE_BLOCK_PROTO(data, request))
{
	struct scope_session *session = data;
	struct outstanding *one;
	struct scope_cpu *cpu;
	unsigned long flags;
	u32 tid;

	raw_local_irq_save(flags);
	cpu = this_cpu_ptr(session->cpu);
	one = take_up(session, cpu, request, &tid);
	if (one && !one->issued_ns)
		one->queued_ns = scope_clock_ns(&cpu->clock);
	raw_local_irq_restore(flags);
}

static void probe_issue(SCOPE_BLOCK_PROTO(data, request))
{
	struct scope_session *session = data;
	struct outstanding *one;
	struct scope_cpu *cpu;
	unsigned long flags;
	u64 now;
	u32 tid;

	raw_local_irq_save(flags);
	cpu = this_cpu_ptr(session->cpu);
	one = take_up(session, cpu, request, &tid);
	if (!tid)
		goto out;
	now = scope_clock_ns(&cpu->clock);
	put_issue(&cpu->ring, request, one, tid, now);
	if (one) {
		one->issued_ns = now;
		one->sector = scope_compat_block_sector(request);
	} else {
		atomic64_inc(&session->block_unmatched);
	}
out:
	raw_local_irq_restore(flags);
}

static void probe_done(void *data, struct request *request, SCOPE_BLOCK_ERROR status, unsigned int bytes)
{
	struct scope_session *session = data;
	struct outstanding *one;
	struct scope_cpu *cpu;
	struct request **key;
	unsigned long flags;

	raw_local_irq_save(flags);
	cpu = this_cpu_ptr(session->cpu);
	one = find(session->block, request, &key);
	if (one && is_other(one, request)) {
		forget(key);
		one = NULL;
	}
	if (!one) {
		if (!scope_compat_block_has_flush_left(request) && bytes >= scope_compat_block_bytes(request))
			scope_bio_end(session, cpu, scope_compat_block_bio(request), scope_compat_block_errno(status));
		goto out;
	}
	if (one->issued_ns)
		put_done(&cpu->ring, request, one, scope_compat_block_errno(status), bytes,
			 scope_clock_ns(&cpu->clock));
	if (bytes >= scope_compat_block_bytes(request))
		forget(key);
	else
		one->sector += bytes >> 9;
out:
	raw_local_irq_restore(flags);
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_block_rq_insert(probe_insert);
	check_trace_callback_type_block_rq_issue(probe_issue);
	check_trace_callback_type_block_rq_complete(probe_done);
}

void *const scope_block_insert_probe = SCOPE_BLOCK_KNOWN ? probe_insert : NULL;
void *const scope_block_issue_probe = SCOPE_BLOCK_KNOWN ? probe_issue : NULL;
void *const scope_block_done_probe = SCOPE_BLOCK_KNOWN ? probe_done : NULL;

const size_t scope_block_bytes = SCOPE_BLOCK_KNOWN ? sizeof(struct scope_block) : 0;
