// SPDX-License-Identifier: GPL-2.0-only
/* Follows the present state of a target's threads. */
#include "recorder/activity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/syscall_name.h"
#include "timeline/class.h"
#include "trace/decode.h"

#define SLOTS (2 * SCOPE_LIVE_THREADS) /* a power of two */
#define BATCH 64
#define HANG_CALLS 20
#define HELD_BYTES_MAX (32u << 20)
#define SILENCE_HALF_NS 15000000000ull /* after this time the longest time without a call counts half */
#define OWN_RUNS 64		       /* runs that are remembered for each CPU, a power of two */

struct thread {
	uint32_t tid; /* 0: an empty slot */
	uint16_t nr;  /* of the call it is in, SCOPE_NR_NONE */
	bool ended, running, lock;
	uint32_t calls;
	uint64_t enter_ns;   /* of that call */
	uint64_t call_ns;    /* last return */
	uint64_t unit_ns;    /* begin of its unit; 0: no unit is open */
	uint64_t longest_ns; /* of its calls that blocked and returned, without those that wait for work */
	uint64_t between_ns, between_at_ns; /* longest time between two of its entries and returns; when it ended */
	uint64_t in_ns;			    /* when it last got a CPU */
	uint64_t ready_ns;		    /* runnable since, 0: not */
};

/* A sub-buffer's copy. Its memory stays for the next one: fresh pages cost more than the copying. */
struct copy {
	struct scope_subbuf *subbuf;
	size_t room;
};

/* A thread had the CPU. */
struct run {
	uint64_t begin_ns, end_ns;
};

/* One CPU: its sub-buffers since the last settling, and their next events. */
struct lane {
	struct scope_decoder decoder; /* times go on from one to the next */
	struct copy *copy;	      /* copies[] of which subbufs are in use */
	size_t copies, copy_room, subbufs, next;
	size_t place, count;
	struct scope_event event[BATCH];
	struct run own[OWN_RUNS]; /* the last runs of threads that are followed, a ring */
	size_t runs;
};

struct scope_recorder_activity {
	struct thread *thread; /* SLOTS, open addressing */
	size_t threads;
	struct lane *lane; /* by CPU */
	size_t lanes;
	size_t held_bytes; /* of copies, in all of them */
	struct scope_recorder_activity_period period, reported;
	struct scope_sketch units; /* times of those that ended */
};

int scope_recorder_activity_create(struct scope_recorder_activity **ret_live)
{
	struct scope_recorder_activity *live = calloc(1, sizeof(*live));

	if (live)
		live->thread = calloc(SLOTS, sizeof(*live->thread));
	if (!live || !live->thread) {
		free(live);
		return -ENOMEM;
	}
	*ret_live = live;
	return 0;
}

void scope_recorder_activity_destroy(struct scope_recorder_activity *live)
{
	if (!live)
		return;
	for (size_t i = 0; i < live->lanes; i++) {
		for (size_t j = 0; j < live->lane[i].copies; j++)
			free(live->lane[i].copy[j].subbuf);
		free(live->lane[i].copy);
	}
	free(live->lane);
	free(live->thread);
	scope_sketch_free(&live->units);
	free(live);
}

/* Removes threads that ended, once the table is full. */
static void rebuild(struct scope_recorder_activity *live)
{
	struct thread *old = live->thread;
	struct thread *fresh = calloc(SLOTS, sizeof(*fresh));

	if (!fresh)
		return;
	live->threads = 0;
	for (size_t i = 0; i < SLOTS; i++) {
		size_t place = old[i].tid * 2654435761u % SLOTS;

		if (!old[i].tid || old[i].ended)
			continue;
		while (fresh[place].tid)
			place = (place + 1) % SLOTS;
		fresh[place] = old[i];
		live->threads++;
	}
	live->thread = fresh;
	free(old);
}

/* NULL: there are too many. */
static struct thread *find_thread(struct scope_recorder_activity *live, uint32_t tid)
{
	size_t place = tid * 2654435761u % SLOTS;

	while (live->thread[place].tid) {
		if (live->thread[place].tid == tid)
			return &live->thread[place];
		place = (place + 1) % SLOTS;
	}
	if (live->threads >= SCOPE_LIVE_THREADS)
		return NULL;
	live->thread[place] = (struct thread){ .tid = tid, .nr = SCOPE_NR_NONE };
	live->threads++;
	return &live->thread[place];
}

static bool waits_for_work(uint16_t nr)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(nr);

	return role == SCOPE_CALL_POLL || role == SCOPE_CALL_ACCEPT;
}

static void end_unit(struct scope_recorder_activity *live, struct thread *thread, uint64_t now_ns)
{
	const uint64_t time_ns = thread->unit_ns && now_ns > thread->unit_ns ? now_ns - thread->unit_ns : 0;

	if (time_ns)
		scope_sketch_count(&live->units, time_ns);
	if (time_ns > live->period.longest_unit_ns) {
		live->period.longest_unit_ns = time_ns;
		live->period.unit_tid = thread->tid;
	}
	thread->unit_ns = 0;
}

/* How long a silence is usual. A hang that has ended must not make the next one seem usual. */
static uint64_t usual_silence(const struct thread *thread, uint64_t now_ns)
{
	const uint64_t halves = now_ns > thread->between_at_ns ? (now_ns - thread->between_at_ns) / SILENCE_HALF_NS : 0;

	return halves < 64 ? thread->between_ns >> halves : 0;
}

static void stayed(struct thread *thread, uint64_t since_ns, uint64_t until_ns)
{
	if (!since_ns || until_ns <= since_ns + usual_silence(thread, until_ns))
		return;
	thread->between_ns = until_ns - since_ns;
	thread->between_at_ns = until_ns;
}

static void take_enter(struct scope_recorder_activity *live, struct thread *thread, const struct scope_event *event)
{
	thread->nr = scope_syscall_native(event->syscall.abi, event->syscall.nr);
	thread->enter_ns = event->syscall.enter_ns;
	stayed(thread, thread->call_ns, thread->enter_ns);
	thread->lock = scope_timeline_futex_is_lock(event->syscall.args, event->syscall.arg);
	if (waits_for_work(thread->nr))
		end_unit(live, thread, event->syscall.enter_ns);
}

static void take_exit(struct scope_recorder_activity *live, struct thread *thread, const struct scope_event *event)
{
	const uint16_t nr = scope_syscall_native(event->syscall.abi, event->syscall.nr);

	if (waits_for_work(nr))
		thread->unit_ns = event->time_ns;
	else if (thread->nr == nr && event->time_ns > thread->enter_ns + thread->longest_ns)
		thread->longest_ns = event->time_ns - thread->enter_ns;
	if (nr < SCOPE_SYSCALL_MAX)
		live->period.call[nr]++;
	if (thread->nr == nr)
		stayed(thread, thread->enter_ns, event->time_ns);
	thread->nr = SCOPE_NR_NONE;
	thread->call_ns = event->time_ns;
	thread->calls++;
}

/* The time since since_ns in which threads of the target had the CPU; all of that time if it is no longer known. */
static uint64_t own_ns(const struct lane *lane, uint64_t since_ns, uint64_t now_ns)
{
	uint64_t sum_ns = 0;

	for (size_t back = 1; back <= lane->runs; back++) {
		const struct run *run = &lane->own[(lane->runs - back) % OWN_RUNS];

		if (back > OWN_RUNS)
			return now_ns - since_ns;
		if (run->end_ns <= since_ns)
			break;
		sum_ns += run->end_ns - (run->begin_ns > since_ns ? run->begin_ns : since_ns);
	}
	return sum_ns;
}

/* The thread gets the CPU. */
static void end_wait(struct scope_recorder_activity_period *period, const struct thread *next, const struct lane *lane,
		     uint64_t now_ns)
{
	const uint64_t wait_ns = next->ready_ns && now_ns > next->ready_ns ? now_ns - next->ready_ns : 0;
	uint64_t own = 0;

	period->queue_ns += wait_ns;
	if (wait_ns >= SCOPE_LIVE_LONG_QUEUE_NS)
		own = own_ns(lane, next->ready_ns, now_ns);
	if (wait_ns < own + SCOPE_LIVE_LONG_QUEUE_NS)
		return;
	period->taken_ns += wait_ns - own;
	if (!period->taken++ || next->ready_ns < period->taken_since_ns)
		period->taken_since_ns = next->ready_ns;
}

static void take_switch(struct scope_recorder_activity *live, struct lane *lane, const struct scope_event *event)
{
	struct thread *prev = NULL, *next = NULL;

	if (event->sched.prev_tid)
		prev = find_thread(live, event->sched.prev_tid);
	if (prev) {
		if (prev->running && event->time_ns > prev->in_ns) {
			live->period.run_ns += event->time_ns - prev->in_ns;
			lane->own[lane->runs++ % OWN_RUNS] = (struct run){ prev->in_ns, event->time_ns };
		}
		prev->running = false;
		prev->ready_ns = scope_trace_switch_runnable(event) ? event->time_ns : 0;
	}
	if (event->sched.next_tid)
		next = find_thread(live, event->sched.next_tid);
	if (next) {
		end_wait(&live->period, next, lane, event->time_ns);
		next->ready_ns = 0;
		next->running = true;
		next->in_ns = event->time_ns;
	}
}

static void take_state(struct thread *thread, const struct scope_event *event)
{
	const struct scope_record_state *record = event->state.record;
	const uint64_t arg[] = { record->arg[0], record->arg[1], record->arg[2] };

	thread->nr = scope_syscall_native((uint8_t)record->abi, record->nr);
	thread->enter_ns = record->since_ns ? record->since_ns : event->time_ns;
	thread->lock = scope_timeline_futex_is_lock(sizeof(arg) / sizeof(arg[0]), arg);
	thread->running = record->flags & SCOPE_STATE_ON_CPU;
	thread->in_ns = event->time_ns;
}

static void take_event(struct scope_recorder_activity *live, struct lane *lane, const struct scope_event *event)
{
	struct thread *thread;

	if (event->kind == SCOPE_EVENT_SWITCH) {
		take_switch(live, lane, event);
		return;
	}
	thread = event->tid ? find_thread(live, event->tid) : NULL;
	if (!thread)
		return;
	switch (event->kind) {
	case SCOPE_EVENT_SYSCALL:
		take_enter(live, thread, event);
		take_exit(live, thread, event);
		return;
	case SCOPE_EVENT_ENTER:
		take_enter(live, thread, event);
		return;
	case SCOPE_EVENT_EXIT:
		take_exit(live, thread, event);
		return;
	case SCOPE_EVENT_WAKING:
		if (!thread->running && !thread->ready_ns)
			thread->ready_ns = event->time_ns;
		return;
	case SCOPE_EVENT_FORK: /* another thread may have had the tid */
		*thread = (struct thread){ .tid = event->tid, .nr = SCOPE_NR_NONE };
		return;
	case SCOPE_EVENT_STATE:
		take_state(thread, event);
		return;
	case SCOPE_EVENT_THREAD_EXIT:
		thread->ended = true;
		thread->running = false;
		thread->unit_ns = 0;
		return;
	}
}

static struct lane *lane_of(struct scope_recorder_activity *live, uint32_t cpu)
{
	struct lane *grown;

	if (cpu >= live->lanes) {
		grown = reallocarray(live->lane, cpu + 1ul, sizeof(*grown));
		if (!grown)
			return NULL;
		memset(grown + live->lanes, 0, (cpu + 1ul - live->lanes) * sizeof(*grown));
		live->lane = grown;
		live->lanes = cpu + 1ul;
	}
	return &live->lane[cpu];
}

/* Returns false if this CPU has no event left. */
static bool lane_fill(struct lane *lane)
{
	while (lane->place == lane->count) {
		const struct scope_subbuf *subbuf;

		lane->place = 0;
		lane->count = scope_trace_decoder_batch(&lane->decoder, lane->event, BATCH);
		if (lane->count)
			return true;
		if (lane->next == lane->subbufs)
			return false;
		subbuf = lane->copy[lane->next++].subbuf;
		if (scope_trace_decoder_begin(&lane->decoder, subbuf, subbuf->used_bytes))
			lane->decoder.pos = lane->decoder.end = NULL;
	}
	return true;
}

/* The CPU with the earliest next event. ret_limit_ns: time of the next event of another CPU. */
static struct lane *earliest(struct scope_recorder_activity *live, uint64_t *ret_limit_ns)
{
	struct lane *first = NULL;
	uint64_t first_ns = UINT64_MAX, second_ns = UINT64_MAX;

	for (size_t i = 0; i < live->lanes; i++) {
		struct lane *lane = &live->lane[i];
		uint64_t time_ns;

		if (!lane_fill(lane))
			continue;
		time_ns = lane->event[lane->place].time_ns;
		if (time_ns < first_ns) {
			second_ns = first_ns;
			first_ns = time_ns;
			first = lane;
		} else if (time_ns < second_ns) {
			second_ns = time_ns;
		}
	}
	*ret_limit_ns = second_ns;
	return first;
}

void scope_recorder_activity_settle(struct scope_recorder_activity *live)
{
	struct lane *lane;
	uint64_t limit_ns;

	while ((lane = earliest(live, &limit_ns))) {
		do
			take_event(live, lane, &lane->event[lane->place++]);
		while (lane_fill(lane) && lane->event[lane->place].time_ns < limit_ns);
		if (live->threads >= SCOPE_LIVE_THREADS)
			rebuild(live);
	}
	for (size_t i = 0; i < live->lanes; i++)
		live->lane[i].subbufs = live->lane[i].next = 0;
	live->held_bytes = 0;
}

/* NULL: no memory. */
static struct scope_subbuf *copy_place(struct lane *lane, size_t bytes)
{
	struct copy *copy;

	if (lane->subbufs == lane->copies) {
		if (scope_grow(&lane->copy, &lane->copy_room, lane->copies + 1, sizeof(*copy)))
			return NULL;
		lane->copy[lane->copies++] = (struct copy){ NULL, 0 };
	}
	copy = &lane->copy[lane->subbufs];
	return scope_grow(&copy->subbuf, &copy->room, bytes, 1) ? NULL : copy->subbuf;
}

void scope_recorder_activity_take(struct scope_recorder_activity *live, const struct scope_subbuf *subbuf)
{
	struct lane *lane = lane_of(live, subbuf->cpu);
	struct scope_subbuf *place = lane ? copy_place(lane, subbuf->used_bytes) : NULL;

	/* Without memory the sub-buffer is skipped and triggers nothing. */
	if (!place)
		return;
	memcpy(place, subbuf, subbuf->used_bytes);
	lane->subbufs++;
	live->held_bytes += subbuf->used_bytes;
	if (live->held_bytes > HELD_BYTES_MAX)
		scope_recorder_activity_settle(live);
}

const struct scope_recorder_activity_period *scope_recorder_activity_period(struct scope_recorder_activity *live)
{
	live->reported = live->period;
	memset(&live->period, 0, sizeof(live->period));
	return &live->reported;
}

void scope_recorder_activity_units(struct scope_recorder_activity *live, struct scope_sketch *to)
{
	*to = live->units;
	live->units = (struct scope_sketch){ 0 };
}

bool scope_recorder_activity_silent(const struct scope_recorder_activity *live, uint64_t now_ns, uint64_t limit_ns,
				    uint64_t until_ns, struct scope_live_hang *ret_silent)
{
	struct scope_live_hang found = { 0 };

	for (size_t i = 0; i < SLOTS; i++) {
		const struct thread *thread = &live->thread[i];
		const uint64_t since_ns = thread->nr == SCOPE_NR_NONE ? thread->call_ns : thread->enter_ns;
		const uint64_t for_ns = now_ns > since_ns ? now_ns - since_ns : 0;

		if (thread->tid && !thread->ended && thread->calls >= HANG_CALLS && for_ns >= limit_ns &&
		    for_ns < until_ns && for_ns / 2 >= usual_silence(thread, since_ns) && for_ns > found.for_ns)
			found = (struct scope_live_hang){ thread->tid, thread->nr, for_ns };
	}
	if (found.for_ns)
		*ret_silent = found;
	return found.for_ns;
}

uint64_t scope_recorder_activity_open_unit(const struct scope_recorder_activity *live, uint64_t now_ns,
					   uint32_t *ret_tid)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < SLOTS; i++) {
		const struct thread *thread = &live->thread[i];

		if (!thread->tid || !thread->unit_ns || thread->unit_ns >= now_ns ||
		    now_ns - thread->unit_ns <= longest)
			continue;
		longest = now_ns - thread->unit_ns;
		*ret_tid = thread->tid;
	}
	return longest;
}

/* For how long the thread has been hanging; 0: it does not hang. */
static uint64_t hangs_for(const struct thread *thread, uint64_t now_ns)
{
	const enum scope_timeline_call_role role = scope_timeline_call_role(thread->nr);
	uint64_t since_ns;

	if (thread->ended || thread->calls < HANG_CALLS)
		return 0;
	if (thread->nr == SCOPE_NR_NONE) {
		since_ns = thread->running ? thread->call_ns : now_ns;
	} else {
		since_ns = thread->enter_ns;
		if (role == SCOPE_CALL_POLL || role == SCOPE_CALL_ACCEPT || role == SCOPE_CALL_PICK ||
		    role == SCOPE_CALL_CHILD || role == SCOPE_CALL_SLEEP ||
		    (role == SCOPE_CALL_FUTEX && !thread->lock) ||
		    (now_ns > since_ns && thread->longest_ns >= (now_ns - since_ns) / 2))
			return 0;
	}
	return now_ns > since_ns ? now_ns - since_ns : 0;
}

bool scope_recorder_activity_find_hang(const struct scope_recorder_activity *live, uint64_t now_ns, uint64_t limit_ns,
				       struct scope_live_hang *ret_hang)
{
	struct scope_live_hang found = { 0 };

	for (size_t i = 0; i < SLOTS; i++) {
		const struct thread *thread = &live->thread[i];
		uint64_t for_ns = thread->tid ? hangs_for(thread, now_ns) : 0;

		if (for_ns > found.for_ns)
			found = (struct scope_live_hang){ thread->tid, thread->nr, for_ns };
	}
	if (found.for_ns < limit_ns)
		return false;
	*ret_hang = found;
	return true;
}
