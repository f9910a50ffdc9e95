// SPDX-License-Identifier: GPL-2.0-only
/* Calls that are only counted: units and accounts are the same as when every call is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "units_of.h"

/*
 * A server's thread at random: waits for work, reads, some calls, at times many of one number, of many
 * numbers, a preemption, a waking or a sleep. Each call that does not block is one event, or two where it
 * is recorded by its ends.
 */
static char *busy_server(uint32_t random, bool by_ends)
{
	char *text;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);
	uint64_t now = 1000;

	assert_non_null(to);
	fputs("meta begin_ns 1\nfd 10 5 epoll -\nfd 10 7 accepted -\nfd 10 8 connected -\n"
	      "1 0 switch 0 10 sleeping\n",
	      to);
	for (int i = 0; i < 6000; i++) {
		static const struct {
			uint16_t nr;
			uint8_t fd;
			int ret, times;
		} calls[] = {
			{ 232, 5, 1, 1 }, { 0, 7, 64, 1 },  { 0, 7, -11, 1 },  { 0, 8, 64, 2 },	 { 1, 7, 64, 1 },
			{ 1, 8, 64, 3 },  { 257, 9, 9, 1 }, { 3, 9, 0, 1 },    { 39, 0, 1, 20 }, { 288, 4, 9, 1 },
			{ 511, 0, 0, 1 }, { 600, 0, 0, 2 }, { 300, 0, 0, 70 }, { 202, 5, 1, 1 },
		};
		const uint32_t roll = (random = random * 1664525 + 1013904223) >> 16;
		const uint32_t kind = roll % (sizeof(calls) / sizeof(*calls) * 4);
		const unsigned which = kind < sizeof(calls) / sizeof(*calls) ? kind : kind % 8;

		if (!(roll % 97))
			fprintf(to, "%ju 0 switch 10 0 runnable preempted\n%ju 0 switch 0 10 runnable\n",
				(uintmax_t)now + 5, (uintmax_t)now + 500);
		/* It is woken while it runs; calls later it falls asleep, which is another sleep. */
		else if (!(roll % 41))
			fprintf(to, "%ju 0 waking 10 from 11 task\n", (uintmax_t)now + 600);
		else if (!(roll % 37))
			fprintf(to, "%ju 0 switch 10 0 sleeping\n%ju 0 switch 0 10 sleeping\n", (uintmax_t)now + 5,
				(uintmax_t)now + 500);
		now += 1000;
		for (int k = 0; k < calls[which].times; k++, now += 300) {
			const uint16_t nr = (uint16_t)(calls[which].nr + (calls[which].times == 70 ? k * 2 : 0));

			if (by_ends)
				fprintf(to, "%ju 0 enter 10 %u enter=%ju args=%u\n%ju 0 exit 10 %u ret=%d\n",
					(uintmax_t)now - 200, nr, (uintmax_t)now - 200, calls[which].fd, (uintmax_t)now,
					nr, calls[which].ret);
			else
				fprintf(to, "%ju 0 syscall 10 %u enter=%ju ret=%d args=%u\n", (uintmax_t)now, nr,
					(uintmax_t)now - 200, calls[which].ret, calls[which].fd);
		}
	}
	assert_int_equal(fclose(to), 0);
	return text;
}

/* What is only added up where calls are whole comes to what their ends come to. */
static void whole_calls_make_the_same_units(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed < 6; seed++) {
		char *texts[] = { busy_server(seed, false), busy_server(seed, true) };
		struct run whole = run_of(texts[0]), ends = run_of(texts[1]);
		const struct scope_units *a = whole.units, *b = ends.units;
		const struct scope_thread *of[] = { thread_of(a, 10), thread_of(b, 10) };

		assert_true(a->count > 100);
		assert_int_equal(a->count, b->count);
		assert_int_equal(a->calls, b->calls);
		for (size_t i = 0; i < a->calls; i++) {
			assert_int_equal(a->call[i].nr, b->call[i].nr);
			assert_int_equal(a->call[i].count, b->call[i].count);
		}
		for (size_t i = 0; i < a->count; i++) {
			assert_int_equal(a->unit[i].begin_ns, b->unit[i].begin_ns);
			assert_int_equal(a->unit[i].end_ns, b->unit[i].end_ns);
			assert_int_equal(a->unit[i].run_ns, b->unit[i].run_ns);
			assert_int_equal(a->unit[i].queue_ns, b->unit[i].queue_ns);
			assert_int_equal(a->unit[i].bytes, b->unit[i].bytes);
			assert_int_equal(a->unit[i].calls, b->unit[i].calls);
		}
		assert_memory_equal(&of[0]->account, &of[1]->account, sizeof(of[0]->account));
		assert_int_equal(a->thread[of[0]->index].last_call_ns, b->thread[of[1]->index].last_call_ns);
		end_run(&whole);
		end_run(&ends);
		free(texts[0]);
		free(texts[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_calls_make_the_same_units),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
