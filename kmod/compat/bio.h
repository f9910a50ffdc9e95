/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bios, of which requests of block devices consist: the arguments of the tracepoints, and the fields of a bio.
 *
 * Included by the one probe file that attaches to them. SCOPE_BIO_KNOWN is 0 if requests are not known
 * (compat/block.h), if a tracepoint has an unknown prototype, and before 4.12, because there only some drivers report
 * the end of a bio.
 */
#ifndef SCOPE_COMPAT_BIO_H
#define SCOPE_COMPAT_BIO_H

#include "block.h"

#if SCOPE_BLOCK_KNOWN && defined(SCOPE_HAVE_BIO_COMPLETION) &&                                                         \
	(defined(SCOPE_HAVE_BIO_QUEUE) || defined(SCOPE_HAVE_BIO_Q_QUEUE)) &&                                          \
	(defined(SCOPE_HAVE_BIO_DONE) || defined(SCOPE_HAVE_BIO_DONE_ERRNO))
#define SCOPE_BIO_KNOWN 1

#include <linux/bio.h>
#include <linux/sched.h>

/* 5.11 removed the queue, because the bio's disk has it. */
#ifdef SCOPE_HAVE_BIO_QUEUE
#define SCOPE_BIO_PROTO(data, bio) void *data, struct bio *bio
#define SCOPE_BIO_REMAP_PROTO(data, bio) void *data, struct bio *bio, dev_t from_dev, sector_t from
#else
#define SCOPE_BIO_PROTO(data, bio) void *data, struct request_queue *queue, struct bio *bio
#define SCOPE_BIO_REMAP_PROTO(data, bio)                                                                               \
	void *data, struct request_queue *queue, struct bio *bio, dev_t from_dev, sector_t from
#endif

/* 5.9 removed the error, because the bio has it. */
#ifdef SCOPE_HAVE_BIO_DONE
#define SCOPE_BIO_DONE_PROTO(data, bio) void *data, struct request_queue *queue, struct bio *bio
#define scope_compat_bio_errno(bio) blk_status_to_errno((bio)->bi_status)
#else
#define SCOPE_BIO_DONE_PROTO(data, bio) void *data, struct request_queue *queue, struct bio *bio, int bio_error
#define scope_compat_bio_errno(bio) (bio_error)
#endif

static inline struct gendisk *scope_compat_bio_disk(const struct bio *bio)
{
#ifdef SCOPE_HAVE_BIO_DISK /* 4.14 to 5.11 */
	return bio->bi_disk;
#else
	return bio->bi_bdev->bd_disk;
#endif
}

static inline u32 scope_compat_bio_dev(const struct bio *bio)
{
	return scope_compat_disk_dev(scope_compat_bio_disk(bio));
}

/* Returns whether its disk makes requests of bios. Other drivers handle bios themselves (dm, md, disks in memory). */
static inline bool scope_compat_bio_has_requests(const struct bio *bio)
{
	const struct request_queue *queue = scope_compat_bio_disk(bio)->queue;

#ifdef SCOPE_HAVE_REQUEST_FN /* until 5.0 */
	if (queue->request_fn)
		return true;
#endif
	return queue->mq_ops;
}

/*
 * Returns whether this task is already submitting another bio. Then the driver of a disk hands this one to a disk
 * below.
 */
static inline bool scope_compat_bio_is_nested(void)
{
	return current->bio_list;
}

static inline u64 scope_compat_bio_sector(const struct bio *bio)
{
	return bio->bi_iter.bi_sector;
}

static inline u32 scope_compat_bio_bytes(const struct bio *bio)
{
	return bio->bi_iter.bi_size;
}

static inline bool scope_compat_bio_flushes_first(const struct bio *bio)
{
	return (__force u32)bio->bi_opf & (__force u32)REQ_PREFLUSH;
}

/* With REQ_PREFLUSH or REQ_FUA */
static inline bool scope_compat_bio_is_flush(const struct bio *bio)
{
	return op_is_flush(bio->bi_opf);
}

/* A flush without data is a write of no bytes. */
static inline u8 scope_compat_bio_op(const struct bio *bio)
{
	if (scope_compat_bio_flushes_first(bio) && !bio->bi_iter.bi_size)
		return SCOPE_BLOCK_FLUSH;
	return scope_compat_op_of((__force u32)bio_op(bio));
}

static inline u8 scope_compat_bio_flags(const struct bio *bio)
{
	return scope_compat_flags_of((__force u32)bio->bi_opf, op_is_sync(bio->bi_opf));
}

#else

#define SCOPE_BIO_KNOWN 0
#define SCOPE_BIO_PROTO(data, bio) void *data, struct bio *bio
#define SCOPE_BIO_REMAP_PROTO(data, bio) void *data, struct bio *bio
#define SCOPE_BIO_DONE_PROTO(data, bio) void *data, struct bio *bio
#define scope_compat_bio_errno(bio) (0)
#define check_trace_callback_type_block_bio_queue(probe) ((void)(probe))
#define check_trace_callback_type_block_bio_remap(probe) ((void)(probe))
#define check_trace_callback_type_block_bio_complete(probe) ((void)(probe))

static inline u32 scope_compat_bio_dev(const struct bio *bio)
{
	return 0;
}

static inline bool scope_compat_bio_has_requests(const struct bio *bio)
{
	return true;
}

static inline bool scope_compat_bio_is_nested(void)
{
	return false;
}

static inline u64 scope_compat_bio_sector(const struct bio *bio)
{
	return 0;
}

static inline u32 scope_compat_bio_bytes(const struct bio *bio)
{
	return 0;
}

static inline bool scope_compat_bio_flushes_first(const struct bio *bio)
{
	return false;
}

static inline bool scope_compat_bio_is_flush(const struct bio *bio)
{
	return false;
}

static inline u8 scope_compat_bio_op(const struct bio *bio)
{
	return 0;
}

static inline u8 scope_compat_bio_flags(const struct bio *bio)
{
	return 0;
}

#endif
#endif
