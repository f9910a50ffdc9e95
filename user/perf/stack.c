// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stacks in the records made from perf events. The stack of a call is taken when its thread goes to sleep in it, and
 * kept until the call returns, because only then it is known if the call took long. The program's stack does not change
 * in between.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_name.h"
#include "perf/pack_internal.h"

#define WINDOW_NS 1000000000ull

static bool stack_wanted(const struct scope_perf_pack *pack, uint16_t nr, uint8_t abi)
{
	const uint16_t native = scope_syscall_native(abi, nr);

	return abi != SCOPE_ABI_X32 && native < SCOPE_SYSCALL_MAX &&
	       pack->options->stack_syscalls[native / 8] & 1 << native % 8;
}

static bool within_limit(const struct scope_perf_pack *pack, struct lane *lane, uint64_t now)
{
	if (now - lane->window_ns >= WINDOW_NS) {
		lane->window_ns = now;
		lane->window_stacks = 0;
	}
	return lane->window_stacks++ < pack->options->stacks_per_second;
}

static int put_held(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns,
		    const struct scope_perf_thread *thread)
{
	struct scope_event event = event_of(SCOPE_EVENT_STACK, cpu, time_ns, thread->tid);
	const struct scope_perf_held *held = thread->held;

	event.stack.reason = SCOPE_STACK_SYSCALL;
	event.flags = held->cut ? SCOPE_STACK_CUT : 0;
	if (held->regs) {
		event.stack.regs = held->regs;
		event.stack.reg = held->reg;
		event.stack.bytes = held->bytes;
		event.stack.data = (const uint8_t *)held->data;
	} else {
		event.stack.ips = held->ips;
		event.stack.ip = held->data;
	}
	pack->counts.stacks++;
	return scope_perf_pack_put(pack, &event);
}

/* Writes the stack after the record of a call that slept. */
int scope_perf_stack_of_call(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns,
			     struct scope_perf_thread *thread, uint16_t nr, uint8_t abi)
{
	const uint64_t enter_ns = thread->nr == nr ? thread->enter_ns : 0;
	const struct scope_perf_held *held = thread->held;

	if (!pack->options->stack_mode || !stack_wanted(pack, nr, abi) ||
	    time_ns - enter_ns < pack->options->stack_min_ns)
		return 0;
	if (!held || !held->time_ns || held->time_ns < enter_ns) {
		pack->counts.stacks_absent++;
		return 0;
	}
	if (!within_limit(pack, &pack->lane[cpu], time_ns)) {
		pack->counts.stacks_skipped++;
		return 0;
	}
	return put_held(pack, cpu, time_ns, thread);
}

static struct scope_perf_held *get_held(const struct scope_perf_pack *pack, struct scope_perf_thread *thread)
{
	const uint32_t bytes = pack->options->stack_mode == SCOPE_STACK_CHAIN ? SCOPE_STACK_DEPTH_MAX * sizeof(uint64_t)
									      : pack->options->stack_bytes;

	/* The size of slices may grow; and when it shrinks, longer slices may still be in the ring. */
	if (!thread->held || thread->held->room < bytes) {
		free(thread->held);
		thread->held = malloc(sizeof(*thread->held) + bytes);
		if (thread->held)
			thread->held->room = bytes;
	}
	return thread->held;
}

static uint16_t chain_length(const struct scope_perf_record *record)
{
	return (uint16_t)(record->chain_count < SCOPE_STACK_DEPTH_MAX ? record->chain_count : SCOPE_STACK_DEPTH_MAX);
}

int scope_perf_stack_hold(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	struct scope_perf_thread *thread = scope_perf_pack_current(pack, record);
	struct scope_perf_held *held;

	(void)cpu;
	if (!thread || thread->nr == SCOPE_NR_NONE || !stack_wanted(pack, thread->nr, thread->abi) ||
	    (!record->regs && !record->chain_count))
		return 0;
	held = get_held(pack, thread);
	if (!held)
		return -ENOMEM;
	if (record->stack_bytes > held->room)
		return 0;
	held->time_ns = record->time_ns;
	held->regs = record->regs;
	held->bytes = record->stack_bytes;
	held->ips = chain_length(record);
	held->cut = record->regs ? record->stack_bytes == record->stack_asked : held->ips < record->chain_count;
	/* A record that is cut may have neither registers nor bytes. */
	if (record->regs)
		memcpy(held->reg, record->reg, record->regs * sizeof(*held->reg));
	if (record->regs && held->bytes)
		memcpy(held->data, record->stack, held->bytes);
	else if (held->ips)
		memcpy(held->data, record->chain, held->ips * sizeof(*held->data));
	return 0;
}

int scope_perf_stack_sample(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	struct scope_event event = event_of(SCOPE_EVENT_STACK, cpu, record->time_ns, record->tid);
	const struct scope_perf_thread *thread = scope_perf_pack_current(pack, record);
	uint64_t ip[SCOPE_STACK_DEPTH_MAX];

	if (!thread || thread->ending || (!record->regs && !record->chain_count))
		return 0;
	event.stack.reason = SCOPE_STACK_SAMPLE;
	event.stack.cost_ns = pack->sample_cost_ns;
	event.flags = record->user ? 0 : SCOPE_STACK_IN_KERNEL;
	if (record->ip && !record->user) {
		event.flags |= SCOPE_STACK_KERNEL_IP;
		event.stack.kernel_ip = record->ip - pack->options->kernel_base;
	}
	if (record->regs) {
		event.stack.regs = record->regs;
		event.stack.reg = record->reg;
		event.stack.bytes = record->stack_bytes;
		event.stack.data = record->stack;
		if (record->stack_bytes == record->stack_asked)
			event.flags |= SCOPE_STACK_CUT;
	} else {
		event.stack.ips = chain_length(record);
		if (event.stack.ips == SCOPE_STACK_DEPTH_MAX && event.flags & SCOPE_STACK_KERNEL_IP)
			event.stack.ips--;
		memcpy(ip, record->chain, event.stack.ips * sizeof(*ip));
		event.stack.ip = ip;
	}
	pack->counts.stacks++;
	return scope_perf_pack_put(pack, &event);
}
