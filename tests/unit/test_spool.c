// SPDX-License-Identifier: GPL-2.0-only
/* A spool returns its data in order, from memory and from its file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/spool.h"

#define ROWS 3000

/* Row i: its number, and i bytes after it. */
static size_t row_bytes(uint32_t i)
{
	return 4 + i * 37 % 1000;
}

static void put_rows(struct scope_spool *spool)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		uint8_t *row = scope_spool_room(spool, row_bytes(i) + 100);

		assert_non_null(row);
		memset(row, (int)i, row_bytes(i));
		memcpy(row, &i, sizeof(i));
		scope_spool_use(spool, row_bytes(i));
	}
}

static void check_rows(struct scope_spool *spool)
{
	const uint8_t *data;
	uint32_t i = 0, number;
	size_t bytes, all = 0;
	int more;

	scope_spool_rewind(spool);
	for (; (more = scope_spool_next(spool, &data, &bytes)) > 0; all += bytes)
		for (size_t at = 0; at < bytes; at += row_bytes(i++)) {
			memcpy(&number, data + at, sizeof(number));
			assert_int_equal(number, i);
			for (size_t j = 4; j < row_bytes(i); j++)
				assert_int_equal(data[at + j], (uint8_t)i);
		}
	assert_int_equal(more, 0);
	assert_int_equal(i, ROWS);
	assert_true(all > 4 * SCOPE_SPOOL_PIECE);
}

static void spool_of(size_t memory_bytes)
{
	struct scope_spool *spool;

	assert_int_equal(scope_spool_create(memory_bytes, &spool), 0);
	put_rows(spool);
	check_rows(spool);
	check_rows(spool);
	scope_spool_destroy(spool);
}

static void memory_holds_all(void **state)
{
	(void)state;
	spool_of(SCOPE_SPOOL_MEMORY);
}

static void what_is_too_much_goes_to_a_file(void **state)
{
	(void)state;
	spool_of(2 * SCOPE_SPOOL_PIECE);
}

static void memory_holds_all_where_no_file_can_be_had(void **state)
{
	(void)state;
	setenv("TMPDIR", "/nonexistent", 1);
	spool_of(2 * SCOPE_SPOOL_PIECE);
	unsetenv("TMPDIR");
}

/* What was put between two places, while more is put. */
static void parts_are_read_from_place_to_place(void **state)
{
	struct scope_spool_place place[4] = { { 0 } }, end;
	struct scope_spool *spool;
	const uint8_t *data;
	size_t bytes, all;

	(void)state;
	assert_int_equal(scope_spool_create(2 * SCOPE_SPOOL_PIECE, &spool), 0);
	end = scope_spool_end(spool);
	assert_memory_equal(&end, &place[0], sizeof(end));
	for (unsigned i = 1; i < 4; i++) {
		put_rows(spool);
		place[i] = scope_spool_end(spool);
		all = 0;
		scope_spool_seek(spool, &place[i - 1], &place[i]);
		while (scope_spool_next(spool, &data, &bytes) == 1) {
			assert_true(all || !memcmp(data, &(uint32_t){ 0 }, sizeof(uint32_t)));
			all += bytes;
		}
		for (uint32_t row = 0; row < ROWS; row++)
			all -= row_bytes(row);
		assert_int_equal(all, 0);
	}
	scope_spool_seek(spool, &place[2], &place[2]);
	assert_int_equal(scope_spool_next(spool, &data, &bytes), 0);
	scope_spool_seek(spool, &place[0], &place[1]);
	assert_int_equal(scope_spool_next(spool, &data, &bytes), 1);
	assert_memory_equal(data, &(uint32_t){ 0 }, sizeof(uint32_t));
	scope_spool_destroy(spool);
}

static void a_room_too_large_is_refused(void **state)
{
	struct scope_spool *spool;

	(void)state;
	assert_int_equal(scope_spool_create(0, &spool), 0);
	assert_null(scope_spool_room(spool, SCOPE_SPOOL_PIECE + 1));
	assert_non_null(scope_spool_room(spool, SCOPE_SPOOL_PIECE));
	scope_spool_destroy(spool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_holds_all),
		cmocka_unit_test(what_is_too_much_goes_to_a_file),
		cmocka_unit_test(memory_holds_all_where_no_file_can_be_had),
		cmocka_unit_test(parts_are_read_from_place_to_place),
		cmocka_unit_test(a_room_too_large_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
