// SPDX-License-Identifier: GPL-2.0-only
/* Reads the calls, stacks and samples of sub-buffers for the choice of stacks. */
#include "capture/focus_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <scope/ring.h>

#include "base/grow.h"
#include "trace/decode.h"

#define THREADS 16384 /* threads whose calls can be open; a power of two. A collision drops a call */

struct open_call {
	uint32_t tid;
	uint64_t enter_ns;
};

struct scope_focus_feed {
	struct scope_focus *focus;
	uint32_t min_ns;
	struct open_call open[THREADS];
	struct scope_decoder *decoder; /* by CPU */
	size_t cpus, cpu_room;
};

int scope_capture_focus_feed_create(struct scope_focus *focus, uint32_t min_ns, struct scope_focus_feed **ret_feed)
{
	struct scope_focus_feed *feed = calloc(1, sizeof(*feed));

	if (!feed)
		return -ENOMEM;
	feed->focus = focus;
	feed->min_ns = min_ns;
	*ret_feed = feed;
	return 0;
}

void scope_capture_focus_feed_destroy(struct scope_focus_feed *feed)
{
	if (!feed)
		return;
	free(feed->decoder);
	free(feed);
}

static void take_event(struct scope_focus_feed *feed, const struct scope_event *event)
{
	struct open_call *open = &feed->open[event->tid % THREADS];
	struct scope_focus *focus = feed->focus;

	switch (event->kind) {
	case SCOPE_EVENT_SYSCALL:
		if (event->syscall.abi == SCOPE_ABI_NATIVE)
			scope_capture_focus_call(focus, event->syscall.nr, event->time_ns - event->syscall.enter_ns);
		break;
	case SCOPE_EVENT_ENTER:
		*open = (struct open_call){ event->tid, event->syscall.enter_ns };
		break;
	case SCOPE_EVENT_EXIT:
		if (open->tid == event->tid && event->syscall.abi == SCOPE_ABI_NATIVE &&
		    event->time_ns > open->enter_ns)
			scope_capture_focus_call(focus, event->syscall.nr, event->time_ns - open->enter_ns);
		open->tid = 0;
		break;
	case SCOPE_EVENT_STACK:
		/* If the slice ends at an absent page, the stack may continue after it. */
		scope_capture_focus_stack(focus, event->stack.bytes,
					  event->flags & (SCOPE_STACK_CUT | SCOPE_STACK_FAULT));
		if (event->stack.reason == SCOPE_STACK_SAMPLE)
			scope_capture_focus_sample(focus, event->stack.bytes, event->stack.cost_ns);
		break;
	default:
		break;
	}
}

void scope_capture_focus_feed_take(struct scope_focus_feed *feed, const struct scope_subbuf *subbuf)
{
	struct scope_decoder *decoder;
	struct scope_event event;

	/* Without memory the call is not counted, which changes no decision. */
	if (scope_grow(&feed->decoder, &feed->cpu_room, subbuf->cpu + 1ul, sizeof(*feed->decoder)))
		return;
	while (feed->cpus <= subbuf->cpu)
		memset(&feed->decoder[feed->cpus++], 0, sizeof(*feed->decoder));
	if (subbuf->lost) /* number lost so far */
		scope_capture_focus_loss(feed->focus);
	decoder = &feed->decoder[subbuf->cpu];
	if (scope_trace_decoder_begin(decoder, subbuf, subbuf->used_bytes))
		return;
	for (;;) {
		scope_trace_decoder_skip_calls(decoder, feed->min_ns);
		if (!scope_trace_decoder_peek(decoder) || scope_trace_decoder_take(decoder, &event))
			break;
		take_event(feed, &event);
	}
}
