// SPDX-License-Identifier: GPL-2.0-only
/* Names of the threads of a trace, for formats that have them in every event. */
#include "export/threads.h"

#include <errno.h>
#include <stdio.h>

#define DEPTH_MAX 128

/* If the trace does not have a thread's place in the kernel, the kernel is one frame. */
static const struct scope_function in_kernel = {
	.name = "[kernel]",
	.symbol = "[kernel]",
	.module = "[kernel]",
	.path = "[kernel]",
	.library = true,
	.known = true,
	.id = UINT32_MAX,
};

int scope_export_threads_learn(struct scope_trace *trace, struct scope_timeline **ret_timeline)
{
	static const struct scope_timeline_ops nothing = { 0 };
	struct scope_timeline *timeline;
	int err = scope_timeline_create(trace, &timeline);

	if (err)
		return err;
	err = scope_timeline_run(timeline, trace, &nothing, NULL);
	if (err) {
		scope_timeline_destroy(timeline);
		return err;
	}
	*ret_timeline = timeline;
	return 0;
}

const struct scope_thread *scope_export_threads_find(struct scope_timeline *timeline, uint32_t tid)
{
	static const struct scope_thread idle = { .comm = "swapper" }, unknown = { .comm = "unknown" };
	long index = scope_timeline_threads_find(timeline->threads, tid);

	if (!tid)
		return &idle;
	return index < 0 ? &unknown : scope_timeline_threads_at(timeline->threads, index);
}

const char *scope_export_threads_place(const struct scope_trace *trace, uint16_t probe)
{
	const char *place;
	char key[32];

	snprintf(key, sizeof(key), SCOPE_META_PROBE "%u", probe);
	place = scope_trace_meta(trace, key);
	return place ? place : "";
}

/* If there is no name, *ret_function is unchanged. */
static int kernel_function(struct scope_symbols *symbols, uint32_t tgid, const struct scope_event *event,
			   const struct scope_function **ret_function)
{
	const struct scope_function *function;
	int err;

	if (!(event->flags & SCOPE_STACK_KERNEL_IP))
		return 0;
	err = scope_symbols_lookup(symbols, tgid, event->stack.kernel_ip, false, &function);
	if (!err && function->known)
		*ret_function = function;
	return err;
}

int scope_export_threads_stack(struct scope_symbols *symbols, const struct scope_thread *thread,
			       const struct scope_event *event, const struct scope_function **function,
			       uint64_t *address, unsigned room, unsigned *ret_count, bool *ret_cut)
{
	uint64_t unwound[DEPTH_MAX];
	const uint64_t *ip = event->stack.ip;
	unsigned count = event->stack.ips;
	unsigned flags = event->stack.ended ? event->stack.ended : SCOPE_UNWIND_COMPLETE;
	const bool kernel = event->flags & SCOPE_STACK_IN_KERNEL;
	const uint32_t tgid = thread->tgid;
	int err = thread->ancestor ? scope_symbols_inherit(symbols, tgid, thread->ancestor) : 0;

	if (!err && !count && event->stack.regs) {
		err = scope_symbols_unwind(symbols, tgid, event->stack.reg, event->stack.regs, event->stack.data,
					   event->stack.bytes, unwound, DEPTH_MAX, &count, &flags);
		/* Registers of another machine give no stack; this must not end the export. */
		if (err == -EINVAL) {
			err = 0;
			count = 0;
		}
		ip = unwound;
	}
	if (event->stack.ended && count > DEPTH_MAX) {
		count = DEPTH_MAX;
		flags = SCOPE_UNWIND_CUT;
	}
	if (count && kernel)
		room--;
	if (count > room) {
		count = room;
		flags = SCOPE_UNWIND_CUT;
	}
	for (unsigned i = 0; !err && i < count; i++)
		err = scope_symbols_lookup(symbols, tgid, ip[i], i > 0, &function[count - 1 - i]);
	if (err)
		return err;
	for (unsigned i = 0; address && i < count; i++)
		address[count - 1 - i] = ip[i];
	if (count && kernel) {
		if (address)
			address[count] = 0;
		function[count] = &in_kernel;
		err = kernel_function(symbols, tgid, event, &function[count++]);
	}
	*ret_count = count;
	if (ret_cut)
		*ret_cut = flags & (SCOPE_UNWIND_CUT | SCOPE_UNWIND_BROKEN);
	return err;
}
