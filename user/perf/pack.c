// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does afterwards what the module does in the kernel: enter and exit become one record if no event came in between, and
 * switches and wakings of other processes are left out. stack.c does this for stacks, life.c for threads that come and
 * go, connect.c for connections.
 */
#include "perf/pack_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <scope/event.h>

#include "base/grow.h"
#include "base/syscall_name.h"
#include "perf/select.h"
#include "perf/state.h"

#define X32_BIT 0x40000000
#define PACKED_TIMES 4u

/* In common_flags, since 2.6.29. */
#define FLAG_HARDIRQ 0x08
#define FLAG_SOFTIRQ 0x10
#define FLAG_NMI 0x40

/*
 * Several times the size of the ring: it is memory of this process, of which only the filled part is used, and stacks
 * compress better if many are together. A trace of a memcached with stacks then has 3.6 bytes an event instead of 4.0
 * (`consume TRACE`).
 */
static uint32_t packed_bytes(const struct scope_capture_options *options)
{
	return options->subbuf_bytes < SCOPE_SUBBUF_BYTES_MAX / PACKED_TIMES ? PACKED_TIMES * options->subbuf_bytes
									     : SCOPE_SUBBUF_BYTES_MAX;
}

int scope_perf_pack_create(const struct scope_capture_options *options, const struct scope_perf_layout *layout,
			   struct scope_perf_tasks *tasks,
			   int (*take)(const struct scope_subbuf *subbuf, void *context), void *context,
			   struct scope_perf_pack **ret_pack)
{
	struct scope_perf_pack *pack = calloc(1, sizeof(*pack));
	int err;

	if (!pack)
		return -ENOMEM;
	err = scope_trace_packer_create_for(take, context, packed_bytes(options), &pack->packer);
	if (err) {
		free(pack);
		return err;
	}
	pack->options = options;
	pack->layout = layout;
	pack->tasks = tasks;
	*ret_pack = pack;
	return 0;
}

void scope_perf_pack_destroy(struct scope_perf_pack *pack)
{
	if (!pack)
		return;
	scope_trace_packer_destroy(pack->packer);
	free(pack->lane);
	free(pack);
}

struct lane *scope_perf_pack_lane(struct scope_perf_pack *pack, uint32_t cpu)
{
	if (scope_grow(&pack->lane, &pack->capacity, cpu + 1ul, sizeof(*pack->lane)))
		return NULL;
	while (pack->lanes <= cpu)
		memset(&pack->lane[pack->lanes++], 0, sizeof(*pack->lane));
	return &pack->lane[cpu];
}

/* An interrupt may write its record before the record that it interrupted, which then gets the same time. */
int scope_perf_pack_put(struct scope_perf_pack *pack, struct scope_event *event)
{
	struct lane *lane = &pack->lane[event->cpu];
	int err;

	if (event->time_ns < lane->time_ns)
		event->time_ns = lane->time_ns;
	lane->time_ns = event->time_ns;
	if (event->kind != SCOPE_EVENT_LOST)
		pack->counts.records++;
	err = scope_trace_packer_event(pack->packer, event, NULL);
	if (err != -E2BIG)
		return err;
	pack->counts.records--;
	pack->counts.lost[SCOPE_LOST_TOO_BIG]++;
	return 0;
}

/* Finds the running thread by its number; adds an unknown thread of a traced process. */
struct scope_perf_thread *scope_perf_pack_current(struct scope_perf_pack *pack, const struct scope_perf_record *record)
{
	struct scope_perf_thread *thread = scope_perf_tasks_find(pack->tasks, record->tid);

	if (thread || !record->tgid || !scope_perf_select_whole(pack->options) ||
	    !scope_perf_tasks_alive(pack->tasks, record->tgid))
		return thread;
	thread = scope_perf_tasks_add(pack->tasks, record->tgid, record->tid);
	if (thread)
		thread->by = SCOPE_PERF_BY_PROCESS;
	return thread;
}

/* The event takes over the call that is pending in the lane. */
static void take_call(struct lane *lane, struct scope_event *event)
{
	lane->pending = false;
	event->syscall.nr = lane->nr;
	event->syscall.abi = lane->abi;
	event->syscall.args = lane->args;
	event->syscall.arg = lane->arg;
	event->syscall.enter_ns = lane->enter_ns;
}

int scope_perf_pack_pending(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns)
{
	struct lane *lane = &pack->lane[cpu];
	struct scope_event event =
		event_of(SCOPE_EVENT_ENTER, cpu, time_ns > lane->enter_ns ? time_ns : lane->enter_ns, lane->tid);

	if (!lane->pending)
		return 0;
	take_call(lane, &event);
	return scope_perf_pack_put(pack, &event);
}

static uint16_t record_nr(int64_t id)
{
	return id >= 0 && id < SCOPE_NR_NONE ? (uint16_t)id : SCOPE_NR_NONE;
}

/* Removes the bit that x32 sets from a call's number. Returns the ABI of the call. */
static uint8_t abi_of(const struct scope_perf_thread *thread, int64_t *id)
{
	if (thread->abi == SCOPE_ABI_NATIVE && *id >= 0 && *id & X32_BIT) {
		*id &= ~(int64_t)X32_BIT;
		return SCOPE_ABI_X32;
	}
	return thread->abi;
}

static int take_enter(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	const struct scope_perf_field *args = &pack->layout->field[SCOPE_PERF_ENTER][1];
	struct scope_perf_thread *thread = scope_perf_pack_current(pack, record);
	struct lane *lane = &pack->lane[cpu];
	int64_t id = record->value[0];
	uint16_t native;
	int err;

	if (!thread)
		return 0;
	err = scope_perf_pack_pending(pack, cpu, record->time_ns);
	lane->running = record->tid;
	lane->abi = abi_of(thread, &id);
	lane->nr = record_nr(id);
	if (err || !scope_source_selection_has_call(pack->options->selection, lane->nr))
		return err;
	lane->pending = true;
	lane->tid = record->tid;
	lane->enter_ns = record->time_ns;
	lane->args = 0;
	native = scope_syscall_native(lane->abi, lane->nr);
	if (lane->abi != SCOPE_ABI_X32 && native < SCOPE_SYSCALL_MAX)
		lane->args = pack->options->arg_counts[native];
	if (args->offset + lane->args * sizeof(uint64_t) > record->raw_bytes)
		lane->args = 0;
	if (lane->args)
		memcpy(lane->arg, record->raw + args->offset, lane->args * sizeof(uint64_t));
	thread->nr = lane->nr;
	thread->enter_ns = record->time_ns;
	scope_perf_connect_enter(thread, record, args);
	return scope_source_capture_all_stacks(pack->options) ? scope_perf_stack_hold(pack, cpu, record) : 0;
}

static int put_exit(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns, uint32_t tid, uint16_t nr,
		    uint8_t abi, int64_t ret)
{
	struct scope_event event = event_of(SCOPE_EVENT_EXIT, cpu, time_ns, tid);

	event.syscall.nr = nr;
	event.syscall.abi = abi;
	event.syscall.ret = ret;
	return scope_perf_pack_put(pack, &event);
}

/* Writes the lane's pending call, which returns. */
static int put_whole(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns, int64_t ret)
{
	struct lane *lane = &pack->lane[cpu];
	struct scope_event event = event_of(SCOPE_EVENT_SYSCALL, cpu, time_ns, lane->tid);
	int err;

	if (time_ns < lane->enter_ns)
		time_ns = lane->enter_ns;
	if (time_ns < lane->time_ns)
		time_ns = lane->time_ns;
	event.time_ns = time_ns;
	if (time_ns - lane->enter_ns > UINT32_MAX) {
		err = scope_perf_pack_pending(pack, cpu, time_ns);
		return err ? err : put_exit(pack, cpu, time_ns, lane->tid, lane->nr, lane->abi, ret);
	}
	take_call(lane, &event);
	event.syscall.ret = ret;
	return scope_perf_pack_put(pack, &event);
}

static int take_exit(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	struct scope_perf_thread *thread = scope_perf_pack_current(pack, record);
	struct lane *lane = &pack->lane[cpu];
	int64_t id = record->value[0];
	bool slept = true;
	uint16_t nr;
	uint8_t abi;
	int err;

	if (!thread)
		return 0;
	abi = abi_of(thread, &id);
	nr = record_nr(id);
	lane->running = record->tid;
	if (!scope_source_selection_has_call(pack->options->selection, nr))
		return 0;
	if (lane->pending && lane->tid == record->tid && lane->nr == nr) {
		err = put_whole(pack, cpu, record->time_ns, record->value[1]);
		slept = false;
	} else {
		err = put_exit(pack, cpu, record->time_ns, record->tid, nr, abi, record->value[1]);
	}
	if (!err && (slept || scope_source_capture_all_stacks(pack->options)))
		err = scope_perf_stack_of_call(pack, cpu, record->time_ns, thread, nr, abi);
	if (!err && nr == SYS_connect)
		err = scope_perf_connect_put(pack, cpu, record->time_ns, thread, record->value[1]);
	thread->nr = SCOPE_NR_NONE;
	if (thread->held)
		thread->held->time_ns = 0;
	return err;
}

/*
 * A thread that is not traced ran until now. Switches between such threads are not recorded, so the last one that the
 * CPU's records name may have left long ago, and the thread that comes now may have waited for this one.
 */
static int put_ran(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	struct scope_event event = event_of(SCOPE_EVENT_SWITCH, cpu, record->time_ns, 0);

	event.sched.other_tid = (uint32_t)record->value[0];
	if (pack->lane[cpu].other == event.sched.other_tid)
		return 0;
	pack->lane[cpu].other = event.sched.other_tid;
	return scope_perf_pack_put(pack, &event);
}

static int take_switch(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	struct scope_event event = event_of(SCOPE_EVENT_SWITCH, cpu, record->time_ns, 0);
	struct scope_perf_thread *prev = NULL, *next;
	struct lane *lane = &pack->lane[cpu];
	bool connects;
	int err;

	if (record->value[0])
		prev = scope_perf_pack_current(pack, record);
	next = scope_perf_tasks_find(pack->tasks, (uint32_t)record->value[2]);
	if (!record->value[2])
		next = NULL;
	if (!prev && !next) {
		lane->running = 0;
		return 0;
	}
	event.sched.prev_state = scope_perf_state(&pack->layout->states, record->value[1], &event.sched.preempted);
	connects = lane->pending && lane->nr == SYS_connect && prev && event.sched.prev_state != SCOPE_STATE_RUNNABLE;
	err = scope_perf_pack_pending(pack, cpu, record->time_ns);
	if (!err && connects)
		err = scope_perf_connect_put(pack, cpu, record->time_ns, prev, 0);
	if (!err && !prev && record->value[0])
		err = put_ran(pack, cpu, record);
	if (err)
		return err;
	event.sched.prev_tid = prev ? prev->tid : 0;
	event.sched.next_tid = next ? next->tid : 0;
	event.sched.other_tid = next ? 0 : (uint32_t)record->value[2];
	lane->other = event.sched.other_tid;
	lane->running = event.sched.next_tid;
	if (prev && event.sched.prev_state == SCOPE_STATE_DEAD)
		scope_perf_tasks_remove(pack->tasks, prev->tid);
	return scope_perf_pack_put(pack, &event);
}

static int take_waking(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	struct scope_event event = event_of(SCOPE_EVENT_WAKING, cpu, record->time_ns, (uint32_t)record->value[0]);
	const int64_t flags = record->value[1];

	if (!scope_perf_tasks_find(pack->tasks, event.tid))
		return 0;
	if (flags & FLAG_NMI)
		event.waking.context = SCOPE_CONTEXT_NMI;
	else if (flags & FLAG_HARDIRQ)
		event.waking.context = SCOPE_CONTEXT_HARDIRQ;
	else if (flags & FLAG_SOFTIRQ)
		event.waking.context = SCOPE_CONTEXT_SOFTIRQ;
	else
		event.waking.waker_tid = record->tid;
	if (event.waking.waker_tid && !scope_perf_pack_current(pack, record))
		event.waking.waker_tgid = record->tgid;
	return scope_perf_pack_put(pack, &event);
}

int scope_perf_pack_probe(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record,
			  uint16_t id, uint8_t flags)
{
	struct scope_event event = event_of(SCOPE_EVENT_PROBE, cpu, record->time_ns, record->tid);
	int err;

	if (!scope_perf_pack_lane(pack, cpu))
		return -ENOMEM;
	if (!scope_perf_pack_current(pack, record))
		return 0;
	/* If the probe is in the kernel, its hit is an event inside the pending call. */
	err = scope_perf_pack_pending(pack, cpu, record->time_ns);
	pack->lane[cpu].running = record->tid;
	event.flags = flags;
	event.probe.id = id;
	event.probe.args = record->words;
	event.probe.arg = record->word;
	return err ? err : scope_perf_pack_put(pack, &event);
}

static int take_nothing(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	(void)pack;
	(void)cpu;
	(void)record;
	return 0;
}

int scope_perf_pack_lost(struct scope_perf_pack *pack, uint32_t cpu, uint64_t time_ns, uint64_t count)
{
	struct lane *lane = scope_perf_pack_lane(pack, cpu);
	struct scope_event event = event_of(SCOPE_EVENT_LOST, cpu, time_ns, 0);

	if (!lane)
		return -ENOMEM;
	lane->pending = false;
	lane->running = 0;
	pack->counts.lost[SCOPE_LOST_FULL] += count;
	event.lost.count = count;
	return scope_perf_pack_put(pack, &event);
}

void scope_perf_pack_sample_cost(struct scope_perf_pack *pack, uint32_t cost_ns)
{
	pack->sample_cost_ns = cost_ns;
}

void scope_perf_pack_stacks_lost(struct scope_perf_pack *pack, uint64_t count)
{
	pack->counts.stacks_lost += count;
}

typedef int (*taker)(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record);

int scope_perf_pack_record(struct scope_perf_pack *pack, uint32_t cpu, const struct scope_perf_record *record)
{
	static const taker by_kind[SCOPE_PERF_KINDS] = {
		[SCOPE_PERF_SWITCH] = take_switch,
		[SCOPE_PERF_ENTER] = take_enter,
		[SCOPE_PERF_EXIT] = take_exit,
		[SCOPE_PERF_WAKING] = take_waking,
		[SCOPE_PERF_EXEC] = scope_perf_life_exec,
		[SCOPE_PERF_PEER] = scope_perf_connect_packet,
		[SCOPE_PERF_BLOCK] = scope_perf_stack_hold,
		[SCOPE_PERF_SAMPLE] = scope_perf_stack_sample,
		[SCOPE_PERF_LIFE] = take_nothing,
	};

	if (!scope_perf_pack_lane(pack, cpu))
		return -ENOMEM;
	switch (record->type) {
	case SCOPE_PERF_TYPE_EVENT:
		return by_kind[record->kind](pack, cpu, record);
	case SCOPE_PERF_TYPE_FORK:
		return scope_perf_life_fork(pack, cpu, record);
	case SCOPE_PERF_TYPE_EXIT:
		return scope_perf_life_end(pack, cpu, record);
	case SCOPE_PERF_TYPE_COMM:
		return scope_perf_life_comm(pack, cpu, record);
	case SCOPE_PERF_TYPE_LOST:
		return scope_perf_pack_lost(pack, cpu, record->time_ns, record->lost);
	case SCOPE_PERF_TYPE_OTHER:
		break;
	}
	return 0;
}

int scope_perf_pack_state(struct scope_perf_pack *pack, uint64_t time_ns, struct scope_record_state *state,
			  const uint64_t *reg)
{
	struct scope_event event = event_of(SCOPE_EVENT_STATE, 0, time_ns, state->tid);
	uint32_t cpu;

	if (!scope_perf_pack_lane(pack, 0))
		return -ENOMEM;
	for (cpu = 0; cpu < pack->lanes; cpu++) {
		if (pack->lane[cpu].running != state->tid)
			continue;
		event.cpu = (uint16_t)cpu;
		if (state->state == SCOPE_STATE_RUNNABLE)
			state->flags |= SCOPE_STATE_ON_CPU;
	}
	event.state.record = state;
	event.state.reg = reg;
	event.flags = state->flags;
	return scope_perf_pack_put(pack, &event);
}

bool scope_perf_pack_runs(const struct scope_perf_pack *pack, uint32_t tid)
{
	for (uint32_t cpu = 0; cpu < pack->lanes; cpu++)
		if (pack->lane[cpu].running == tid)
			return true;
	return false;
}

int scope_perf_pack_flush(struct scope_perf_pack *pack, uint64_t time_ns)
{
	uint32_t cpu;
	int err = 0;

	for (cpu = 0; cpu < pack->lanes && !err; cpu++)
		err = scope_perf_pack_pending(pack, cpu, time_ns);
	return err ? err : scope_trace_packer_flush(pack->packer, NULL);
}

void scope_perf_pack_count(const struct scope_perf_pack *pack, struct scope_capture_counts *ret_counts)
{
	*ret_counts = pack->counts;
}
