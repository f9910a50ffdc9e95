/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * What is mapped from /dev/scope: one region per possible CPU, read-only.
 *
 *   offset cpu * region_bytes:
 *   +-----------------+----------------+----------------+-- - - --+----------------+
 *   | scope_ring_page | sub-buffer 0   | sub-buffer 1   |         | sub-buffer n-1 |
 *   | (header_bytes)  | subbuf_bytes   |                |         |                |
 *   +-----------------+----------------+----------------+-- - - --+----------------+
 *
 * Sub-buffer number p (counted from 0, without wrapping) is in place p % subbuf_count, a power of
 * two. The CPU writes number `head`; a reader may read the numbers from `tail` to head - 1 and
 * gives them back with SCOPE_IOC_CONSUME. `head` is published with release semantics: load it with
 * acquire.
 *
 * If all places hold unread data:
 *
 *   stream   the module drops new events and counts them in lost[].
 *   flight   it overwrites the sub-buffer of number `tail`, counts its records in `overwritten` and
 *            moves `tail` on, before it writes there. A reader copies number `tail`, then gives
 *            back only that one. If this succeeds, the copy is whole and counts as read; ESTALE:
 *            the module was first, the copy may be torn and must be dropped. So records read + lost
 *            + overwritten = events, exactly. The sub-buffers of a snapshot are not overwritten: as
 *            in stream mode, new events are dropped until `tail` has reached `snapshot`.
 *
 * The sub-buffers of a CPU that was never online have no memory: reading them is a bus error, but
 * head = 0 shows that there is nothing to read.
 */
#ifndef SCOPE_RING_H
#define SCOPE_RING_H

#include <linux/ioctl.h>
#include <scope/abi.h>

#define SCOPE_RING_MAGIC 0x676e7253u   /* "Srng" */
#define SCOPE_SUBBUF_MAGIC 0x66627553u /* "Subf" */

#define SCOPE_SUBBUF_BYTES_MIN 4096u
#define SCOPE_SUBBUF_BYTES_MAX (4u << 20)
#define SCOPE_SUBBUF_COUNT_MIN 2u
#define SCOPE_SUBBUF_COUNT_MAX 1024u

/* What to do when a ring is full of unread data. */
enum scope_ring_mode {
	SCOPE_RING_STREAM = 0, /* new events are dropped */
	SCOPE_RING_FLIGHT = 1, /* the oldest are overwritten */
};

struct scope_ring_page {
	__u32 magic;
	__u32 cpu;
	__u32 subbuf_bytes;
	__u32 subbuf_count;
	__u32 header_bytes;
	__u32 mode; /* enum scope_ring_mode */
	__u64 head;
	__u64 tail;
	__u64 records;			/* published, TIME and THREAD records not counted */
	__u64 lost[SCOPE_LOST_REASONS]; /* events that became no record */
	__u64 stacks;			/* taken */
	__u64 stacks_skipped;		/* not taken: over stacks_per_second */
	__u64 overwritten;		/* records that flight mode wrote over unread */
	__u64 snapshot;			/* flight: head at the last snapshot, or at the stop */
	__u64 stacks_unmapped;		/* copied because mappings were not known (scope/table.h); 0 in older modules */
};

/* At the head of every sub-buffer. Records follow up to used_bytes (which counts this header). */
struct scope_subbuf {
	__u32 magic;
	__u32 used_bytes;
	__u16 cpu;
	__u16 flags; /* 0 */
	__u32 tid;   /* on this CPU as it begins; 0: not traced */
	__u64 number;
	__u64 begin_ns;
	__u64 end_ns;  /* time of the last record */
	__u64 lost;    /* on this CPU before this sub-buffer, all reasons, since the start */
	__u64 records; /* the same */
	__u64 zero;
};

struct scope_ioc_info {
	__u32 protocol;
	__u32 session;
	__u32 cpus;	    /* regions: the highest possible CPU + 1 */
	__u32 subbuf_bytes; /* 0 before CONFIGURE */
	__u32 subbuf_count;
	__u32 header_bytes;
	__u64 region_bytes;
};

struct scope_ioc_consume {
	__u32 cpu;
	__u32 zero;
	__u64 position; /* sub-buffers below this number were read; see below */
};

/*
 * INFO fills the struct. CONSUME moves tail: in stream mode to any position from tail to head, in
 * flight mode by one, from position - 1; ESTALE where that was overwritten, EINVAL elsewhere. FLUSH
 * makes every CPU publish all it holds: calls still open are written as ENTER, the sub-buffer in
 * use is closed if it has a record. A session's flushes begin at least SCOPE_FLUSH_GAP_MS apart; a
 * call that comes sooner waits for the next one (EINTR if its process is killed while waiting).
 *
 * poll: in stream mode readable while a sub-buffer waits; in flight mode while one from before the
 * last snapshot, or the stop, does. POLLHUP once tracing has stopped and all is read.
 */
#define SCOPE_IOC_INFO _IOR('S', 1, struct scope_ioc_info)
#define SCOPE_IOC_CONSUME _IOW('S', 2, struct scope_ioc_consume)
#define SCOPE_FLUSH_GAP_MS 10
#define SCOPE_IOC_FLUSH _IO('S', 3)

#endif
