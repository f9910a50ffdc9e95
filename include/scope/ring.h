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
 * Sub-buffer number p (counted from 0 for ever) lies in place p % subbuf_count, a power of two. The
 * CPU writes number `head`; a reader may read the numbers from `tail` to head - 1 and hands them
 * back with SCOPE_IOC_CONSUME. `head` is published with release semantics: load it with acquire.
 * Where all places hold unread data the module drops new events and counts them.
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

struct scope_ring_page {
	__u32 magic;
	__u32 cpu;
	__u32 subbuf_bytes;
	__u32 subbuf_count;
	__u32 header_bytes;
	__u32 zero;
	__u64 head;
	__u64 tail;
	__u64 records;			/* handed out, TIME and THREAD records not counted */
	__u64 lost[SCOPE_LOST_REASONS]; /* events that became no record */
	__u64 stacks;			/* taken */
	__u64 stacks_skipped;		/* not taken: over stacks_per_second */
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
	__u64 records; /* likewise */
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
	__u64 position; /* sub-buffers below this number are done with; tail <= position <= head */
};

/*
 * INFO fills the struct. CONSUME moves tail, EINVAL outside tail..head. FLUSH makes every CPU hand
 * out what it holds: calls still open are written as ENTER, the sub-buffer in use is closed if it
 * has a record.
 */
#define SCOPE_IOC_INFO _IOR('S', 1, struct scope_ioc_info)
#define SCOPE_IOC_CONSUME _IOW('S', 2, struct scope_ioc_consume)
#define SCOPE_IOC_FLUSH _IO('S', 3)

#endif
