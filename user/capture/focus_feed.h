/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the calls, stacks and samples of sub-buffers for the choice of stacks. */
#ifndef SCOPE_CAPTURE_FOCUS_FEED_H
#define SCOPE_CAPTURE_FOCUS_FEED_H

#include "capture/focus.h"

struct scope_focus_feed;
struct scope_subbuf;

/* Calls shorter than min_ns are skipped. The focus must outlive the feed. 0 or -ENOMEM. */
int scope_capture_focus_feed_create(struct scope_focus *focus, uint32_t min_ns, struct scope_focus_feed **ret_feed);
void scope_capture_focus_feed_destroy(struct scope_focus_feed *feed); /* NULL is fine */

/* Gives all of a sub-buffer to the focus. Those of one CPU come in their order. */
void scope_capture_focus_feed_take(struct scope_focus_feed *feed, const struct scope_subbuf *subbuf);

#endif
