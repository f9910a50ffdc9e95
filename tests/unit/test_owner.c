// SPDX-License-Identifier: GPL-2.0-only
/* Which hangs wait for one another's locks in a circle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "anomaly/lock_owner.h"
#include "trace_of.h"

/* Threads 10 to 14 of one process wait for a lock each; a letter is its owner, '-': that is not known. */
static const char head[] = "meta begin_ns 0\nmeta end_ns 1000\n";

static void fill(const char *owners, struct scope_hang *hangs, size_t count)
{
	struct scope_threads *threads;
	struct scope_trace *trace;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	fputs(head, to);
	for (size_t i = 0; i < count; i++)
		if (owners[i] != '-')
			/* pthread_mutex_t of a little-endian machine: the third word is the owner. */
			fprintf(to, "memory %zu %#zx 0200000001000000%02x00000001000000\n", 10 + i, 0x1000 * (i + 1),
				(unsigned)(10 + owners[i] - 'a'));
	assert_int_equal(fclose(to), 0);
	trace = trace_of(text);
	free(text);
	assert_int_equal(scope_timeline_threads_create(&threads), 0);
	for (size_t i = 0; i < count; i++) {
		const long index = scope_timeline_threads_get(threads, 10 + i);

		assert_int_equal(index, i);
		scope_timeline_threads_at(threads, i)->tgid = 10;
		hangs[i] = (struct scope_hang){ .thread = i, .object = 0x1000 * (i + 1), .lock = true };
	}
	scope_anomaly_owner_fill(trace, threads, hangs, count);
	scope_timeline_threads_destroy(threads);
	scope_trace_close(trace);
}

static void a_thread_that_waits_for_itself_is_a_circle(void **state)
{
	struct scope_hang hangs[2];

	(void)state;
	fill("aa", hangs, 2);
	assert_int_equal(hangs[0].owner, 0);
	assert_true(hangs[0].circle);
	assert_int_equal(hangs[1].owner, 0);
	assert_false(hangs[1].circle);
}

static void a_circle_may_be_long_and_have_others_before_it(void **state)
{
	struct scope_hang hangs[5];

	(void)state;
	fill("bcada", hangs, 5);
	assert_true(hangs[0].circle && hangs[1].circle && hangs[2].circle && hangs[3].circle);
	assert_false(hangs[4].circle);
}

static void an_owner_that_is_not_known_ends_it(void **state)
{
	struct scope_hang hangs[3];

	(void)state;
	fill("bc-", hangs, 3);
	assert_int_equal(hangs[2].owner, SCOPE_OWNER_NONE);
	for (int i = 0; i < 3; i++)
		assert_false(hangs[i].circle);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_that_waits_for_itself_is_a_circle),
		cmocka_unit_test(a_circle_may_be_long_and_have_others_before_it),
		cmocka_unit_test(an_owner_that_is_not_known_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
