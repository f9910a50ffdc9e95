// SPDX-License-Identifier: GPL-2.0-only
/*
 * One event is lost, each in turn: no other event gets a wrong thread, and all are accounted for.
 *
 * The module's packing and ring are compiled for user space, and read by the reader's decoder. Every
 * event carries the thread that it belongs to in a field of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "../../kmod/record.h"
#include "../../kmod/ring.c"
#include "trace/decode.h"

#define HEADER 4096u
#define SUBBUF 4096u
#define COUNT 16u
#define EVENTS 400

static void notify(struct scope_ring *ring)
{
	(void)ring;
}

enum kind { CALL, ENTER, EXIT, SWITCH, SWITCH_SILENT, WAKING, EXEC, KINDS };

/* What happens on the CPU: the same for every position that is lost. */
struct step {
	enum kind kind;
	u32 before, after; /* thread on the CPU; 0: not traced */
};

static struct step steps[EVENTS];

static void make_steps(void)
{
	u32 tid = 0, i;

	srand(7);
	for (i = 0; i < EVENTS; i++) {
		struct step *step = &steps[i];

		step->before = step->after = tid;
		step->kind = tid ? (enum kind)(rand() % KINDS) : SWITCH;
		if (step->kind == SWITCH || step->kind == SWITCH_SILENT)
			step->after = rand() % 5 ? 100 + rand() % 20 : 0;
		else if (step->kind == EXEC)
			step->after = 100 + rand() % 20;
		tid = step->after;
	}
}

static void put(struct scope_ring *ring, const struct step *step, u64 now)
{
	const struct scope_call call = scope_call_of(39, SCOPE_ABI_NATIVE, 1);
	const struct task_struct task = { .pid = step->after, .tgid = step->after, .comm = "x" };
	const u64 arg[] = { step->before };

	switch (step->kind) {
	case CALL:
		scope_record_put_syscall(ring, now, call, 1, step->before, arg);
		break;
	case ENTER:
		scope_record_put_enter(ring, now, call, now, arg);
		break;
	case EXIT:
		scope_record_put_exit(ring, now, call, step->before);
		break;
	case SWITCH:
		scope_record_put_switch(ring, now,
					step->after | (step->after ? SCOPE_SWITCH_NEXT_TRACED : 0) |
						(step->before ? SCOPE_SWITCH_PREV_TRACED : 0),
					step->after);
		break;
	case SWITCH_SILENT: /* a session that records no switches */
		scope_ring_force_thread(ring, step->after);
		break;
	case WAKING:
		scope_record_put_waking(ring, now, 200 + step->before);
		break;
	default:
		scope_record_put_exec(ring, now, step->before, &task);
	}
}

/* The event names its own thread; is that the one the decoder gives? */
static void check(const struct scope_event *event, const struct step *step)
{
	switch (event->kind) {
	case SCOPE_EVENT_SYSCALL:
		assert_int_equal(event->syscall.ret, event->tid);
		assert_int_equal(event->syscall.arg[0], event->tid);
		break;
	case SCOPE_EVENT_ENTER:
		assert_int_equal(event->syscall.arg[0], event->tid);
		break;
	case SCOPE_EVENT_EXIT:
		assert_int_equal(event->syscall.ret, event->tid);
		break;
	case SCOPE_EVENT_SWITCH:
		assert_int_equal(event->sched.prev_tid, step->before);
		assert_int_equal(event->sched.next_tid, step->after);
		break;
	case SCOPE_EVENT_WAKING:
		assert_int_equal(event->waking.waker_tid, step->before);
		break;
	default:
		assert_int_equal(event->exec.old_tid, step->before);
		assert_int_equal(event->tid, step->after);
	}
}

/* Every event that is not lost, in order. Returns how many there were. */
static u32 read_all(const u8 *region, int lost)
{
	static const u8 kinds[] = {
		[CALL] = SCOPE_EVENT_SYSCALL,  [ENTER] = SCOPE_EVENT_ENTER,   [EXIT] = SCOPE_EVENT_EXIT,
		[SWITCH] = SCOPE_EVENT_SWITCH, [WAKING] = SCOPE_EVENT_WAKING, [EXEC] = SCOPE_EVENT_EXEC,
	};
	const struct scope_ring_page *page = (const void *)region;
	struct scope_decoder decoder = { 0 };
	struct scope_event event;
	u32 received = 0;
	int at = 0;
	u64 number;

	for (number = 0; number < page->head; number++) {
		assert_int_equal(scope_trace_decoder_begin(&decoder, (const void *)(region + HEADER + number * SUBBUF),
							   SUBBUF),
				 0);
		while (scope_trace_decoder_peek(&decoder)) {
			assert_int_equal(scope_trace_decoder_take(&decoder, &event), 0);
			while (at == lost || steps[at].kind == SWITCH_SILENT)
				at++;
			assert_true(at < EVENTS);
			assert_int_equal(event.kind, kinds[steps[at].kind]);
			check(&event, &steps[at++]);
			received++;
		}
	}
	return received;
}

enum way { NOTHING, FULL, NESTED };

static void run(int lost, enum way way)
{
	static u8 region[HEADER + COUNT * SUBBUF] __attribute__((aligned(4096)));
	struct scope_ring_page *page = (struct scope_ring_page *)region;
	struct scope_ring ring;
	u32 received, produced = 0, sum = 0;
	int i;

	memset(region, 0, sizeof(region));
	page->subbuf_bytes = SUBBUF;
	page->subbuf_count = COUNT;
	scope_ring_init(&ring, page, region + HEADER, false, notify);
	for (i = 0; i < EVENTS; i++) {
		u64 tail = page->tail;

		produced += steps[i].kind != SWITCH_SILENT;
		if (i == lost && way == FULL) {
			scope_ring_close(&ring);
			page->tail = ring.head - COUNT;
		} else if (i == lost && way == NESTED) {
			ring.writing = 1;
		}
		put(&ring, &steps[i], 1000 + i * 10);
		if (i == lost && way == NESTED)
			ring.writing = 0;
		page->tail = tail;
	}
	scope_ring_stop(&ring);
	received = read_all(region, way == NOTHING ? -1 : lost);
	for (i = 0; i < SCOPE_LOST_REASONS; i++)
		sum += page->lost[i];
	assert_int_equal(received + sum, produced);
	assert_int_equal(received, page->records);
	if (way != NOTHING)
		assert_int_equal(sum, steps[lost].kind != SWITCH_SILENT);
}

static void test_without_loss_all_is_there(void **state)
{
	(void)state;
	run(0, NOTHING);
}

static void test_one_event_lost_for_want_of_room(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < EVENTS; i++)
		run(i, FULL);
}

static void test_one_event_lost_to_nesting(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < EVENTS; i++)
		run(i, NESTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_loss_all_is_there),
		cmocka_unit_test(test_one_event_lost_for_want_of_room),
		cmocka_unit_test(test_one_event_lost_to_nesting),
	};

	make_steps();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
