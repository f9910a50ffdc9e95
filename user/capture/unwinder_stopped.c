// SPDX-License-Identifier: GPL-2.0-only
/* Stacks of threads that do not run: the caller waits for each. */
#include <string.h>

#include "base/now.h"
#include "capture/unwinder_internal.h"
#include "trace/decode.h"

#define SLICE_MS 20u /* between two calls of while_waiting() */

/* Waits until no job runs. Only the caller starts a job STOPPED_STACK. */
static int settle(struct scope_unwinder *unwinder, int (*while_waiting)(void *context), void *context)
{
	int err = 0;

	while (!err && unwinder->child && (unwinder->busy || unwinder->first || unwinder->maps_bytes)) {
		err = scope_capture_unwinder_pump(unwinder, SLICE_MS);
		if (!err)
			err = while_waiting(context);
	}
	return err;
}

static int ask_stopped_stack(struct scope_unwinder *unwinder, const struct scope_unwinder_thread *thread,
			     const uint8_t *data, int (*while_waiting)(void *context), void *context)
{
	uint8_t *in = (uint8_t *)unwinder->shared->in;
	int err = settle(unwinder, while_waiting, context);

	unwinder->stopped.count = 0;
	unwinder->stopped_found = (struct scope_stacks_found){ 0 };
	if (err || !unwinder->child)
		return err;
	memcpy(in, thread, sizeof(*thread));
	memcpy(in + sizeof(*thread), data, thread->bytes);
	scope_capture_unwinder_send(unwinder, SCOPE_UNWINDER_STOPPED_STACK, 1);
	return settle(unwinder, while_waiting, context);
}

int scope_capture_unwinder_stopped_stack(struct scope_unwinder *unwinder, uint32_t tgid, const uint64_t *reg,
					 unsigned int regs, const struct scope_trace_memory *memory,
					 int (*while_waiting)(void *context), void *context,
					 struct scope_trace_stopped_stack *ret_stopped_stack)
{
	struct scope_unwinder_stopped *stopped = &unwinder->stopped;
	struct scope_unwinder_thread thread = {
		.tgid = tgid,
		.regs = regs,
		.tid = memory->tid,
		.bytes = memory->bytes,
		.address = memory->address,
	};
	int err;

	memcpy(thread.reg, reg, regs * sizeof(*reg));
	err = ask_stopped_stack(unwinder, &thread, memory->data, while_waiting, context);
	if (!err && unwinder->stopped_found.unmapped_count &&
	    scope_capture_unwinder_refresh(unwinder, &unwinder->stopped_found, scope_now_ns()))
		err = ask_stopped_stack(unwinder, &thread, memory->data, while_waiting, context);
	if (err)
		return err;
	if (!unwinder->stopped_found.stacks || stopped->count > SCOPE_FRAMES_MAX ||
	    !scope_trace_frames_ended((uint8_t)stopped->ended)) {
		*stopped = (struct scope_unwinder_stopped){ .count = 1, .ended = SCOPE_FRAMES_BROKEN };
		stopped->ip[0] = regs ? reg[regs - 1] : 0;
		unwinder->counts.given_up++;
	}
	*ret_stopped_stack = (struct scope_trace_stopped_stack){
		.tid = memory->tid,
		.count = stopped->count,
		.address = memory->address,
		.ip = stopped->ip,
		.ended = (uint8_t)stopped->ended,
	};
	return 0;
}
