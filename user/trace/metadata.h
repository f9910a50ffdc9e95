/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the metadata of a capture, for files that begin in the middle of it. */
#ifndef SCOPE_TRACE_METADATA_H
#define SCOPE_TRACE_METADATA_H

#include <stddef.h>
#include <stdint.h>

#include "trace/framer.h"

struct scope_keep;

/* 0 or -ENOMEM. */
int scope_trace_metadata_create(struct scope_keep **ret_keep);
void scope_trace_metadata_destroy(struct scope_keep *keep); /* NULL is fine */

/* Keeps the last value of each key. 0 or -ENOMEM. */
int scope_trace_metadata_meta(struct scope_keep *keep, const char *key, const char *value);

void scope_trace_metadata_forget_meta(struct scope_keep *keep, const char *key);

/* Copies a frame of any other type; after 64 MiB in all, frames are only counted. 0 or -ENOMEM. */
int scope_trace_metadata_frame(struct scope_keep *keep, const struct scope_frame_bytes *frame);

/* Drops the frames of descriptors, because new ones replace them. */
void scope_trace_metadata_forget_fds(struct scope_keep *keep);

/* Whole frames, one after another; their number; and the number of frames for which there was no room. */
const void *scope_trace_metadata_frames(const struct scope_keep *keep, size_t *ret_bytes, uint64_t *ret_count,
					uint64_t *ret_dropped);

/* Keys in the order in which they were first given. NULL after the last. */
const char *scope_trace_metadata_key(const struct scope_keep *keep, size_t i, const char **ret_value);

#endif
