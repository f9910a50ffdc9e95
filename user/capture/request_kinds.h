/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Replaces data that programs received, in sub-buffers of the module, by the kinds of requests: RECEIVED records become
 * REQUEST records. With SCOPE_REQUEST_PROBE the hits of that probe are replaced instead, by the value of its last word.
 *
 * No RECEIVED record and no such hit stays. The text of a kind is metadata of the trace (SCOPE_META_REQUEST and its
 * number). There are at most SCOPE_REQUEST_KINDS_MAX kinds; the last one is used for all others.
 */
#ifndef SCOPE_CAPTURE_REQUEST_KINDS_H
#define SCOPE_CAPTURE_REQUEST_KINDS_H

#include <scope/ring.h>

struct scope_request_kinds;
struct scope_writer;
struct scope_capture_options;

/* Uses of options: requests, kind_probe and kind_text, which is borrowed. 0 or -ENOMEM. */
int scope_capture_request_kinds_create(const struct scope_capture_options *options,
				       struct scope_request_kinds **ret_kinds);
void scope_capture_request_kinds_destroy(struct scope_request_kinds *kinds); /* NULL is fine */

/*
 * *ret_subbuf is the same sub-buffer, or one that belongs to kinds and is valid until the next call. New texts are
 * written first. 0, or -errno of the writer.
 */
int scope_capture_request_kinds_replace(struct scope_request_kinds *kinds, const struct scope_subbuf *subbuf,
					struct scope_writer *writer, const struct scope_subbuf **ret_subbuf);

#endif
