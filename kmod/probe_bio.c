// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records waits for block devices that no request of the waiting thread shows: bios, from the submission to the end.
 *
 * If a kernel worker issues the requests of a bio, they do not belong to the thread that submitted the bio
 * (probe_block.c). This is the case if the disk has no requests of its own and passes bios to other disks later
 * (dm-delay, dm-crypt, RAID), and if a device has to flush its cache before or after (fsync, O_DSYNC). Such a bio of a
 * traced thread is in the session's table until its end. Then one record is written. One wait must not count twice:
 *
 * - A driver may pass a bio to another disk immediately, in the thread's context (dm-linear, NVMe multipath). Then the
 *   bio that the driver submits counts, not the first one. A bio that flushes is an exception: it counts for everything
 *   that is done for it, maybe on several devices.
 * - A request whose first bio is in the table has no records. Only bios that flush become such requests, and these are
 *   not merged.
 *
 * A bio that a driver forwards in the thread's context is found by the thread: it is the last bio that this thread
 * submitted itself, or that was found in this way. Bios of other threads only cost a search in one line of keys, and
 * only while the table is not empty.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include "bio.h"
#include "probe_bio.h"
#include "record.h"
#include "session.h"

#define LINES 64u /* a power of two */
#define LINE 8u	  /* bios of a line: its keys fill 64 bytes */
#define THREADS                                                                                                        \
	256u /* last bios of threads, by the low bits of their tid; of two threads with one place, the later one */

struct outstanding {
	u64 begun_ns;
	u64 sector;
	u32 tid;
	u32 dev;
	u32 bytes;
	u8 op;
	u8 flags; /* SCOPE_BLOCK_* */
	bool flushes_first;
	bool flushes; /* first or afterwards */
};

struct scope_bios {
	atomic_t count;
	u16 last[THREADS]; /* line * LINE + place + 1; 0: none */
	struct {
		struct bio *bio[LINE];
	} ____cacheline_aligned key[LINES];
	struct outstanding value[LINES][LINE];
};

static inline u32 line_of(const struct bio *bio)
{
	return hash_ptr((void *)bio, ilog2(LINES));
}

/* -1: it is not there. */
static int find(const struct scope_bios *bios, const struct bio *bio)
{
	u32 line, i;

	if (!atomic_read(&bios->count))
		return -1;
	line = line_of(bio);
	for (i = 0; i < LINE; i++)
		if (READ_ONCE(bios->key[line].bio[i]) == bio)
			return line * LINE + i;
	return -1;
}

/* -1: there is no room. */
static int claim(struct scope_bios *bios, struct bio *bio)
{
	u32 line = line_of(bio), i;

	for (i = 0; i < LINE; i++) {
		if (READ_ONCE(bios->key[line].bio[i]) || cmpxchg(&bios->key[line].bio[i], NULL, bio))
			continue;
		atomic_inc(&bios->count);
		return line * LINE + i;
	}
	return -1;
}

static inline struct outstanding *value_at(struct scope_bios *bios, int at)
{
	return &bios->value[at / LINE][at % LINE];
}

/*
 * The end of a bio and the thread that forwards it may both call this; only one of them has an effect. Fully ordered
 * after the value.
 */
static void forget(struct scope_bios *bios, int at, struct bio *bio)
{
	if (cmpxchg(&bios->key[at / LINE].bio[at % LINE], bio, NULL) == bio)
		atomic_dec(&bios->count);
}

/* The bio that the driver of a disk handles now in this thread, which submits another one for it. -1: not known. */
static int find_parent(struct scope_bios *bios, u32 tid, struct bio **ret_bio)
{
	int at = bios->last[tid % THREADS] - 1;

	if (at < 0)
		return -1;
	*ret_bio = READ_ONCE(bios->key[at / LINE].bio[at % LINE]);
	return *ret_bio && value_at(bios, at)->tid == tid ? at : -1;
}

/* Returns whether the wait for the nested bio is part of the wait for another one, which is in the table. */
static bool is_covered(struct scope_bios *bios, const struct bio *bio, u32 tid)
{
	const struct outstanding *one;
	struct bio *parent;
	int at = find_parent(bios, tid, &parent);

	if (at < 0)
		return false;
	one = value_at(bios, at);
	if (one->dev == scope_compat_bio_dev(bio) || (one->flushes_first && scope_compat_bio_flushes_first(bio)))
		return true;
	forget(bios, at, parent);
	return false;
}

static void fill(struct outstanding *one, const struct bio *bio, u32 tid, u64 now)
{
	*one = (struct outstanding){
		.begun_ns = now,
		.sector = scope_compat_bio_sector(bio),
		.tid = tid,
		.dev = scope_compat_bio_dev(bio),
		.bytes = scope_compat_bio_bytes(bio),
		.op = scope_compat_bio_op(bio),
		.flags = scope_compat_bio_flags(bio) | SCOPE_BLOCK_BIO,
		.flushes_first = scope_compat_bio_flushes_first(bio),
		.flushes = scope_compat_bio_is_flush(bio),
	};
}

static void take_up(struct scope_session *session, struct scope_cpu *cpu, struct bio *bio)
{
	struct scope_bios *bios = session->bios;
	u32 tid = current->pid;
	int at = -1;

	if (scope_compat_bio_is_nested() && is_covered(bios, bio, tid))
		return;
	if (scope_compat_bio_is_flush(bio) || !scope_compat_bio_has_requests(bio)) {
		at = claim(bios, bio);
		if (at < 0)
			atomic64_inc(&session->block_unmatched);
		else
			fill(value_at(bios, at), bio, tid, scope_clock_ns(&cpu->clock));
	}
	if (bios->last[tid % THREADS] != at + 1)
		bios->last[tid % THREADS] = at + 1;
}

static void probe_queue(SCOPE_BIO_PROTO(data, bio))
{
	struct scope_session *session = data;
	struct scope_cpu *cpu;
	unsigned long flags;
	int at;

	raw_local_irq_save(flags);
	cpu = this_cpu_ptr(session->cpu);
	/* An earlier bio in the same memory ended without a report. */
	at = find(session->bios, bio);
	if (at >= 0)
		forget(session->bios, at, bio);
	/* An interrupt acts for no thread. */
	if (cpu->traced && !in_interrupt())
		take_up(session, cpu, bio);
	raw_local_irq_restore(flags);
}

/* The driver of a disk forwards the same bio. Nothing reports its submission to the next disk. */
static void probe_remap(SCOPE_BIO_REMAP_PROTO(data, bio))
{
	struct scope_session *session = data;
	unsigned long flags;
	int at;

	raw_local_irq_save(flags);
	at = find(session->bios, bio);
	if (at >= 0 && value_at(session->bios, at)->tid == (u32)current->pid && !in_interrupt() &&
	    !value_at(session->bios, at)->flushes)
		forget(session->bios, at, bio);
	raw_local_irq_restore(flags);
}

static void put_done(struct scope_ring *ring, const struct outstanding *one, int error, u64 now)
{
	struct scope_record_block_done *r;

	r = scope_ring_reserve(ring, SCOPE_RECORD_BLOCK_DONE, sizeof(*r), now);
	if (!r)
		return;
	r->tid = one->tid;
	r->sector = one->sector;
	r->dev = one->dev;
	r->bytes = one->bytes;
	r->latency_ns = now > one->begun_ns ? now - one->begun_ns : 0;
	r->error = error;
	r->op = one->op;
	r->flags = one->flags;
	r->zero = 0;
	scope_ring_commit(ring, sizeof(*r));
}

void scope_bio_end(struct scope_session *session, struct scope_cpu *cpu, struct bio *bio, int error)
{
	int at = SCOPE_BIO_KNOWN && bio ? find(session->bios, bio) : -1;

	if (at < 0)
		return;
	put_done(&cpu->ring, value_at(session->bios, at), error, scope_clock_ns(&cpu->clock));
	forget(session->bios, at, bio);
}

/* The end of a bio that no request was made of. */
static void probe_done(SCOPE_BIO_DONE_PROTO(data, bio))
{
	struct scope_session *session = data;
	unsigned long flags;

	raw_local_irq_save(flags);
	scope_bio_end(session, this_cpu_ptr(session->cpu), bio, scope_compat_bio_errno(bio));
	raw_local_irq_restore(flags);
}

bool scope_bio_is_tracked(const struct scope_session *session, const struct bio *bio)
{
	return SCOPE_BIO_KNOWN && bio && find(session->bios, bio) >= 0;
}

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_block_bio_queue(probe_queue);
	check_trace_callback_type_block_bio_remap(probe_remap);
	check_trace_callback_type_block_bio_complete(probe_done);
}

void *const scope_bio_queue_probe = SCOPE_BIO_KNOWN ? probe_queue : NULL;
void *const scope_bio_remap_probe = SCOPE_BIO_KNOWN ? probe_remap : NULL;
void *const scope_bio_done_probe = SCOPE_BIO_KNOWN ? probe_done : NULL;

const size_t scope_bios_bytes = sizeof(struct scope_bios);
