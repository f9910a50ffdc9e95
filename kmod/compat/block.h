/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests of block devices: what the tracepoints hand over, and what is in a request.
 *
 * Included by the one probe file that attaches to them. SCOPE_BLOCK_KNOWN: all of it is known here.
 */
#ifndef SCOPE_COMPAT_BLOCK_H
#define SCOPE_COMPAT_BLOCK_H

#if defined(CONFIG_BLOCK) && (defined(SCOPE_HAVE_BLOCK_RQ) || defined(SCOPE_HAVE_BLOCK_Q_RQ)) &&                       \
	(defined(SCOPE_HAVE_BLOCK_DONE_STATUS) || defined(SCOPE_HAVE_BLOCK_DONE_ERRNO))
#define SCOPE_BLOCK_KNOWN 1

#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <trace/events/block.h>

/* 5.11 took the queue away: it is in the request. */
#ifdef SCOPE_HAVE_BLOCK_RQ
#define SCOPE_BLOCK_PROTO(data, request) void *data, struct request *request
#else
#define SCOPE_BLOCK_PROTO(data, request) void *data, struct request_queue *queue, struct request *request
#endif

/* 5.16 made the error a status of the block layer's own. */
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

/* Differs between two requests that lie in the same place one after the other. 4.18, else 0. */
static inline u64 scope_compat_block_begun(const struct request *request)
{
#ifdef SCOPE_HAVE_BLOCK_START_NS
	return request->start_time_ns;
#else
	return 0;
#endif
}

#endif
#endif
