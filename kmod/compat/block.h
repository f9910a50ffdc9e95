/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of block devices: the arguments of the tracepoints, and the fields of a request.
 *
 * Included by the probe files that attach to them. SCOPE_BLOCK_KNOWN is 0 without a block layer, and if a
 * tracepoint has an unknown prototype: then this file is empty, and EVENTS_BLOCK is refused.
 */
#ifndef SCOPE_COMPAT_BLOCK_H
#define SCOPE_COMPAT_BLOCK_H

#include <linux/types.h>
#include <scope/event.h>

#if defined(CONFIG_BLOCK) && (defined(SCOPE_HAVE_BLOCK_RQ) || defined(SCOPE_HAVE_BLOCK_Q_RQ)) &&                       \
	(defined(SCOPE_HAVE_BLOCK_DONE_STATUS) || defined(SCOPE_HAVE_BLOCK_DONE_ERRNO))
#define SCOPE_BLOCK_KNOWN 1

#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <trace/events/block.h>

/* 5.11 removed the queue, because the request has it. */
#ifdef SCOPE_HAVE_BLOCK_RQ
#define SCOPE_BLOCK_PROTO(data, request) void *data, struct request *request
#else
#define SCOPE_BLOCK_PROTO(data, request) void *data, struct request_queue *queue, struct request *request
#endif

/* Since 5.16 the error is a status of the block layer. */
#ifdef SCOPE_HAVE_BLOCK_DONE_STATUS
#define SCOPE_BLOCK_ERROR blk_status_t
#define scope_compat_block_errno(error) blk_status_to_errno(error)
#else
#define SCOPE_BLOCK_ERROR int
#define scope_compat_block_errno(error) (error)
#endif

static inline struct gendisk *scope_compat_block_disk(const struct request *request)
{
#ifdef SCOPE_HAVE_BLOCK_QUEUE_DISK /* 5.17 */
	return request->q->disk;
#else
	return request->rq_disk;
#endif
}

/* Differs between two requests that use the same memory one after the other. It is 0 before 4.18. */
static inline u64 scope_compat_block_begun(const struct request *request)
{
#ifdef SCOPE_HAVE_BLOCK_START_NS
	return request->start_time_ns;
#else
	return 0;
#endif
}

static inline u64 scope_compat_block_sector(const struct request *request)
{
	return blk_rq_pos(request);
}

static inline u32 scope_compat_block_bytes(const struct request *request)
{
	return blk_rq_bytes(request);
}

/* major and minor in the format of records; 0 without a disk */
static inline u32 scope_compat_disk_dev(const struct gendisk *disk)
{
	return disk ? (u32)disk->major << SCOPE_BLOCK_MINOR_BITS |
			       (disk->first_minor & ((1u << SCOPE_BLOCK_MINOR_BITS) - 1))
		    : 0;
}

static inline u32 scope_compat_block_dev(const struct request *request)
{
	return scope_compat_disk_dev(scope_compat_block_disk(request));
}

/* of a request or of a bio */
static inline u8 scope_compat_op_of(u32 op)
{
	switch (op) {
	case (__force u32)REQ_OP_READ:
		return SCOPE_BLOCK_READ;
	case (__force u32)REQ_OP_WRITE:
		return SCOPE_BLOCK_WRITE;
	case (__force u32)REQ_OP_FLUSH:
		return SCOPE_BLOCK_FLUSH;
	case (__force u32)REQ_OP_DISCARD:
		return SCOPE_BLOCK_DISCARD;
	default:
		return SCOPE_BLOCK_OTHER;
	}
}

static inline u8 scope_compat_block_op(const struct request *request)
{
	return scope_compat_op_of((__force u32)req_op(request));
}

/*
 * flags: the op and the flags of a request or a bio, as a plain number. A read is always synchronous, also without the
 * flag.
 */
static inline u8 scope_compat_flags_of(u32 flags, bool sync)
{
	return (sync ? SCOPE_BLOCK_SYNC : 0) | (flags & (__force u32)REQ_META ? SCOPE_BLOCK_META : 0) |
	       (flags & (__force u32)REQ_FUA ? SCOPE_BLOCK_FUA : 0) |
	       (flags & (__force u32)REQ_PREFLUSH ? SCOPE_BLOCK_PREFLUSH : 0) |
	       (flags & (__force u32)REQ_RAHEAD ? SCOPE_BLOCK_AHEAD : 0);
}

static inline u8 scope_compat_block_flags(const struct request *request)
{
	return scope_compat_flags_of((__force u32)request->cmd_flags, op_is_sync(request->cmd_flags));
}

/* The first of the bios that the request is made of; it may be NULL. */
static inline struct bio *scope_compat_block_bio(const struct request *request)
{
	return request->bio;
}

/* Returns true if only a part of the request has ended, because the device also has to flush its cache for it. */
static inline bool scope_compat_block_has_flush_left(const struct request *request)
{
#ifdef SCOPE_HAVE_BIO_COMPLETION
	return (__force u32)request->rq_flags & (__force u32)RQF_FLUSH_SEQ;
#else
	return false;
#endif
}

#else

#define SCOPE_BLOCK_KNOWN 0
#define SCOPE_BLOCK_PROTO(data, request) void *data, struct request *request
#define SCOPE_BLOCK_ERROR int
#define scope_compat_block_errno(error) (error)
#define check_trace_callback_type_block_rq_insert(probe) ((void)(probe))
#define check_trace_callback_type_block_rq_issue(probe) ((void)(probe))
#define check_trace_callback_type_block_rq_complete(probe) ((void)(probe))

struct request;
struct bio;

static inline struct bio *scope_compat_block_bio(const struct request *request)
{
	return NULL;
}

static inline bool scope_compat_block_has_flush_left(const struct request *request)
{
	return false;
}

static inline u64 scope_compat_block_begun(const struct request *request)
{
	return 0;
}

static inline u64 scope_compat_block_sector(const struct request *request)
{
	return 0;
}

static inline u32 scope_compat_block_bytes(const struct request *request)
{
	return 0;
}

static inline u32 scope_compat_block_dev(const struct request *request)
{
	return 0;
}

static inline u8 scope_compat_block_op(const struct request *request)
{
	return 0;
}

static inline u8 scope_compat_block_flags(const struct request *request)
{
	return 0;
}

#endif
#endif
