// SPDX-License-Identifier: GPL-2.0-only
/* The index of descriptors finds the same rows as a scan of all rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anomaly/fd_index.h"
#include "base/random.h"
#include "trace/trace_internal.h"

#define ROWS 3000
#define PROCESSES 7
#define DESCRIPTORS 300
#define OBJECTS 200

static struct scope_trace_fd row[ROWS];
static char name[ROWS][32];
static struct scope_trace trace = { .fd = row, .fds = ROWS };

static void fill(void)
{
	static const char *const kind[] = { "pipe:[%u]", "socket:[%u]", "socket:[%u] peer", "/file/%u" };
	uint64_t seed = 1;

	for (size_t i = 0; i < ROWS; i++) {
		const uint32_t object = scope_random_below(&seed, OBJECTS);

		snprintf(name[i], sizeof(name[i]), kind[scope_random_below(&seed, 4)], object);
		row[i] = (struct scope_trace_fd){
			.tgid = 2 * scope_random_below(&seed, PROCESSES),
			.fd = (int32_t)scope_random_below(&seed, DESCRIPTORS) - 1,
			.name = name[i],
		};
	}
}

static const struct scope_trace_fd *last_of(uint32_t tgid, int64_t fd)
{
	for (size_t i = ROWS; i--;)
		if (row[i].tgid == tgid && row[i].fd == fd)
			return &row[i];
	return NULL;
}

static void test_descriptors(void **state)
{
	struct scope_fd_index index;

	(void)state;
	fill();
	assert_int_equal(scope_anomaly_fd_index_init(&index, &trace), 0);
	for (uint32_t tgid = 0; tgid < 2 * PROCESSES + 2; tgid++) {
		assert_int_equal(scope_anomaly_fd_index_has(&index, tgid), tgid % 2 == 0 && tgid < 2 * PROCESSES);
		for (int64_t fd = -2; fd <= DESCRIPTORS; fd++)
			assert_ptr_equal(scope_anomaly_fd_index_find(&index, tgid, fd), last_of(tgid, fd));
		assert_null(scope_anomaly_fd_index_find(&index, tgid, INT64_MAX));
	}
	scope_anomaly_fd_index_free(&index);
}

static void test_objects(void **state)
{
	struct scope_fd_index index;

	(void)state;
	fill();
	assert_int_equal(scope_anomaly_fd_index_init(&index, &trace), 0);
	for (unsigned i = 0; i < 2 * (OBJECTS + 1); i++) {
		char begin[32];
		size_t at = 0, count = 0;

		snprintf(begin, sizeof(begin), i % 2 ? "pipe:[%u]" : "socket:[%u]", i / 2);
		for (size_t j = 0; j < ROWS; j++)
			count += !strncmp(row[j].name, begin, strlen(begin));
		for (const struct scope_trace_fd *found; (found = scope_anomaly_fd_index_object(&index, begin, &at));
		     count--)
			assert_false(strncmp(found->name, begin, strlen(begin)));
		assert_int_equal(count, 0);
	}
	scope_anomaly_fd_index_free(&index);
}

static void test_no_rows(void **state)
{
	struct scope_trace none = { 0 };
	struct scope_fd_index index;
	size_t at = 0;

	(void)state;
	assert_int_equal(scope_anomaly_fd_index_init(&index, &none), 0);
	assert_null(scope_anomaly_fd_index_find(&index, 1, 1));
	assert_false(scope_anomaly_fd_index_has(&index, 1));
	assert_null(scope_anomaly_fd_index_object(&index, "pipe:[1]", &at));
	scope_anomaly_fd_index_free(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
