// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target's file loses its names while they are written into a trace: the trace is complete, and does not have these
 * names.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbol/names.h"
#include "trace/format.h"
#include "trace_fixture.h"

#define START UINT64_C(0x7f0000000000)

static char library[] = "/tmp/scope-names-XXXXXX.so";
static uint64_t first, second; /* where its functions are in the file */

static int begin(void **state)
{
	char text[256], name[32];
	unsigned long long value;
	FILE *made;

	(void)state;
	close(mkstemps(library, 3));
	snprintf(text, sizeof(text), "gcc -O1 -shared -fPIC -x c -o %s -", library);
	made = popen(text, "w");
	assert_non_null(made);
	fputs("int first_one(int a) { return a * a; }\nint second_one(int a) { return a + a; }\n", made);
	assert_int_equal(pclose(made), 0);
	snprintf(text, sizeof(text), "nm %s", library);
	made = popen(text, "r");
	assert_non_null(made);
	while (fgets(text, sizeof(text), made)) {
		if (sscanf(text, "%llx T %31s", &value, name) != 2)
			continue;
		first = strcmp(name, "first_one") ? first : value;
		second = strcmp(name, "second_one") ? second : value;
	}
	assert_int_equal(pclose(made), 0);
	assert_true(first && second);
	return 0;
}

static int end(void **state)
{
	(void)state;
	return unlink(library);
}

/* All of the file that holds its names becomes zeros. */
static void lose_names(void)
{
	static const uint8_t zeros[65536];
	const int fd = open(library, O_RDWR | O_CLOEXEC);
	struct stat status;

	assert_true(fd >= 0 && !fstat(fd, &status));
	/* The first page has the headers; the code is not read. */
	assert_true(status.st_size > 4096 && status.st_size < 65536);
	assert_int_equal(pwrite(fd, zeros, status.st_size - 4096, 4096), status.st_size - 4096);
	close(fd);
}

static void write_name(struct scope_symbols *symbols, struct fixture *fixture, uint64_t offset)
{
	static uint8_t buffer[SCOPE_NAMES_ROOM];
	const uint64_t ip = START + offset;
	uint16_t type;
	size_t bytes;
	int err;

	assert_int_equal(scope_symbol_names_note(symbols, 1000, &ip, 1), 0);
	while ((err = scope_symbol_names_next(symbols, false, 0, buffer, &type, &bytes)) == 1)
		assert_int_equal(scope_trace_writer_names(fixture->writer, type, buffer, bytes), 0);
	assert_int_equal(err, 0);
}

static void test_lost_names(void **state)
{
	const struct scope_trace_map map = {
		.tgid = 1000, .start = START, .end = START + 65536, .executable = true, .path = library, .build_id = ""
	};
	const struct scope_symbol_options options = { .root = "" };
	struct fixture fixture = fixture_begin();
	struct scope_symbols *symbols;
	const struct scope_trace_code *code;
	struct scope_trace *trace;
	size_t codes;

	(void)state;
	assert_int_equal(scope_symbols_create(&map, 1, NULL, 0, &options, &symbols), 0);
	assert_int_equal(scope_trace_writer_map(fixture.writer, &map), 0);
	write_name(symbols, &fixture, first);
	lose_names();
	write_name(symbols, &fixture, second);
	scope_symbols_destroy(symbols);
	trace = fixture_open(&fixture);
	assert_string_equal(scope_trace_damage(trace), "");
	code = scope_trace_codes(trace, &codes);
	assert_int_equal(codes, 2);
	assert_string_equal(code[0].name, "first_one");
	assert_true(code[0].flags & SCOPE_PLACE_NAMED);
	assert_string_equal(code[1].name, "");
	assert_false(code[1].flags & SCOPE_PLACE_NAMED);
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_lost_names) };

	return cmocka_run_group_tests(tests, begin, end);
}
