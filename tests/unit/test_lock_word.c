// SPDX-License-Identifier: GPL-2.0-only
/* The owner of a lock according to its memory, in the layouts of glibc and musl only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/lock_word.h"

#define WAITERS 0x80000000u
#define DIED 0x40000000u
#define CEILING (99u << 19)
#define TID 4321u

#define assert_owner(expected, ...)                                                                                    \
	assert_int_equal(scope_trace_lock_owner((const uint32_t[4]){ __VA_ARGS__ }), expected)

static void test_glibc(void **state)
{
	(void)state;
	assert_owner(TID, 2, 0, TID, 1);
	assert_owner(TID, 2, 3, TID, 1);	   /* recursive */
	assert_owner(TID, 2 | CEILING, 0, TID, 1); /* protected */
	assert_owner(TID, TID | WAITERS, 0, TID, 1);
	assert_owner(TID, TID | WAITERS | DIED, 0, TID, 1);
	/* The kernel gave it to this thread a moment ago. */
	assert_owner(TID, TID | WAITERS, 0, 0, 1);
}

static void test_musl(void **state)
{
	(void)state;
	assert_owner(TID, TID | WAITERS, 1, 0, 0);
	assert_owner(TID, TID | WAITERS, UINT32_MAX, 0, 0); /* PI */
	/* Normal: 16 is no thread. */
	assert_owner(0, 16 | WAITERS, 1, 0, 0);
	assert_owner(16, 16 | WAITERS, 0, 16, 1);
}

/* Free, or of another library: what comes after the word may be a number that is a thread by chance. */
static void test_others(void **state)
{
	(void)state;
	assert_owner(0, 0, 0, TID, 1);
	assert_owner(0, 1, 0, TID, 1);
	assert_owner(0, 3, 0, TID, 1);
	assert_owner(0, TID, 0, TID, 1);
	assert_owner(0, 2, 0, TID, 0);
	assert_owner(0, 2, 0, TID, 1u << 23);
	assert_owner(0, TID | WAITERS, 0, TID + 1, 1);
	assert_owner(0, WAITERS, 0, 0, 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_glibc),
		cmocka_unit_test(test_musl),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
