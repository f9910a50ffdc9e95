// SPDX-License-Identifier: GPL-2.0-only
/* A stack that is read again by its place is the same stack, for any order of the file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "trace_of.h"

#define ROUNDS 200 /* enough for the sub-buffer to be stored in columns */
#define KINDS 5

/* Calls, and after them stacks of all kinds. */
static char *text_of(void)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs("meta begin_ns 1\nmeta end_ns 1000000\n1 0 switch 0 10 sleeping\n", to);
	for (unsigned i = 1; i <= ROUNDS; i++) {
		const unsigned now = i * 1000;

		fprintf(to, "%u 0 syscall 10 read enter=%u ret=64 args=%u\n", now, now - 500, i % 9);
		fprintf(to, "%u 0 stack 10 0x%x,0x%x\n", now + 1, i, i + 1);
		fprintf(to, "%u 0 sample 10 0x%x kernel_ip=0x%x kernel\n", now + 2, i + 2, i + 3);
		fprintf(to, "%u 0 sample 10 - kernel_ip=0x%x kernel\n", now + 3, i + 4);
		fprintf(to, "%u 0 stack 10 regs=0x%x,0x%x data=%016x\n", now + 4, i + 5, i + 6, i);
		fprintf(to, "%u 0 sample 10 regs=0x%x,0x2 data=%032x kernel_ip=0x%x\n", now + 5, i + 7, i, i + 8);
	}
	assert_int_equal(fclose(to), 0);
	return text;
}

static void expect_same(struct scope_trace *trace, const struct scope_event *read)
{
	const struct scope_trace_place place = scope_trace_place(trace, read);
	struct scope_event event = { .flags = read->flags,
				     .stack = {
					     .ips = read->stack.ips,
					     .regs = read->stack.regs,
					     .bytes = read->stack.bytes,
				     } };

	assert_int_equal(scope_trace_stack_at(trace, &place, &event), 0);
	if (read->stack.ips)
		assert_memory_equal(event.stack.ip, read->stack.ip, 8ul * read->stack.ips);
	if (read->stack.regs)
		assert_memory_equal(event.stack.reg, read->stack.reg, 8ul * read->stack.regs);
	if (read->stack.bytes)
		assert_memory_equal(event.stack.data, read->stack.data, read->stack.bytes);
	if (read->flags & SCOPE_STACK_KERNEL_IP)
		assert_int_equal(event.stack.kernel_ip, read->stack.kernel_ip);
}

static void stacks_come_back_by_their_place(void **state)
{
	char *text = text_of();
	struct scope_trace *trace = trace_of(text);
	struct scope_event event;
	unsigned stacks = 0;

	(void)state;
	while (scope_trace_next(trace, &event) == 1) {
		if (event.kind != SCOPE_EVENT_STACK)
			continue;
		expect_same(trace, &event);
		stacks++;
	}
	assert_int_equal(stacks, KINDS * ROUNDS);
	scope_trace_close(trace);
	free(text);
}

/* What take gives at once has a place for each. */
static void events_taken_together_have_places(void **state)
{
	char *text = text_of();
	struct scope_trace *trace = trace_of(text);
	const struct scope_event *event[SCOPE_TRACE_TAKE];
	unsigned stacks = 0;
	int count;

	(void)state;
	while ((count = scope_trace_take(trace, event, SCOPE_TRACE_TAKE)) > 0) {
		for (int i = 0; i < count; i++) {
			if (event[i]->kind != SCOPE_EVENT_STACK)
				continue;
			expect_same(trace, event[i]);
			stacks++;
		}
	}
	assert_int_equal(stacks, KINDS * ROUNDS);
	scope_trace_close(trace);
	free(text);
}

/* All stacks of a trace with their places, whose words are in `word`. */
struct read_before {
	struct scope_event event;
	struct scope_trace_place place;
	uint64_t first_word;
};

#define LARGE_STACKS 5000 /* of 8 kB: more than is kept of sub-buffers that were read */
#define LARGE_BYTES 8000

static char *large_text(void)
{
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs("meta begin_ns 1\nmeta end_ns 9000000\n1 0 switch 0 10 sleeping\n", to);
	for (unsigned i = 1; i <= LARGE_STACKS; i++)
		fprintf(to, "%u %u stack 10 regs=0x%x,0x2 data=%0*x\n", i * 1000, i % 2, i, LARGE_BYTES * 2, i);
	assert_int_equal(fclose(to), 0);
	return text;
}

static void expect_read_again(struct scope_trace *trace, const struct read_before *before)
{
	struct scope_event event = before->event;

	assert_int_equal(scope_trace_stack_at(trace, &before->place, &event), 0);
	assert_int_equal(event.stack.reg[0], before->first_word);
}

/* Each step of a report asks for all of them, whether all that was read is kept or not. */
static void stacks_come_back_as_often_as_asked(void **state)
{
	static struct read_before before[LARGE_STACKS];
	char *text = large_text();
	struct scope_trace *trace = trace_of(text);
	struct scope_event event;
	size_t stacks = 0;

	(void)state;
	while (scope_trace_next(trace, &event) == 1) {
		if (event.kind != SCOPE_EVENT_STACK)
			continue;
		assert_in_range(stacks, 0, LARGE_STACKS - 1);
		before[stacks++] = (struct read_before){ event, scope_trace_place(trace, &event), event.stack.reg[0] };
	}
	assert_int_equal(stacks, LARGE_STACKS);
	for (unsigned times = 0; times < 2; times++)
		for (size_t i = 0; i < stacks; i++)
			expect_read_again(trace, &before[i]);
	for (size_t i = stacks; i--;)
		expect_read_again(trace, &before[i]);
	scope_trace_close(trace);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_come_back_by_their_place),
		cmocka_unit_test(events_taken_together_have_places),
		cmocka_unit_test(stacks_come_back_as_often_as_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
