// SPDX-License-Identifier: GPL-2.0-only
/* Go's table of functions in each version: names, bounds and lines. A damaged table gives no names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <errno.h>

#include "go_table.h"
#include "symbol/goname.h"
#include "symbol/gotable.h"

static struct scope_go_table table_of(enum go_version version, struct go_bytes *bytes)
{
	struct scope_go_table table;

	go_table_make(version, bytes);
	assert_int_equal(scope_symbol_go_table_init(bytes->data, bytes->bytes, &table), 0);
	if (version == GO_26) { /* what the file says of it is the caller's */
		assert_int_equal(table.text, 0);
		table.text = GO_TEXT;
	}
	return table;
}

static void functions_have_names_and_bounds(void **state)
{
	static const struct {
		const char *name;
		uint64_t start, end;
	} rows[] = { { "main.first", GO_TEXT, GO_TEXT + 0x40 },
		     { "main.second", GO_TEXT + 0x40, GO_TEXT + 0x60 },
		     { "runtime.third", GO_TEXT + 0x60, GO_TEXT + 0x80 } };

	(void)state;
	for (enum go_version version = GO_2; version < GO_VERSIONS; version++) {
		struct go_bytes bytes;
		const struct scope_go_table table = table_of(version, &bytes);
		size_t budget = 1000;

		assert_int_equal(table.count, GO_FUNCTIONS);
		for (size_t i = 0; i < GO_FUNCTIONS; i++) {
			struct scope_go_function function;

			assert_int_equal(scope_symbol_go_table_function(&table, i, &budget, &function), 0);
			assert_string_equal(function.name, rows[i].name);
			assert_int_equal(function.name_bytes, strlen(rows[i].name));
			assert_int_equal(function.start, rows[i].start);
			assert_int_equal(function.end, rows[i].end);
		}
		assert_int_equal(budget, 1000 - 10 - 11 - 13);
	}
}

static void names_are_looked_at_within_a_budget(void **state)
{
	struct go_bytes bytes;
	const struct scope_go_table table = table_of(GO_20, &bytes);
	struct scope_go_function function;
	size_t budget = 20;

	(void)state;
	assert_int_equal(scope_symbol_go_table_function(&table, 0, &budget, &function), 0);
	assert_int_equal(scope_symbol_go_table_function(&table, 1, &budget, &function), -EBADMSG);
	assert_int_equal(budget, 10);
}

static void addresses_have_lines(void **state)
{
	(void)state;
	for (enum go_version version = GO_2; version < GO_VERSIONS; version++) {
		struct go_bytes bytes;
		const struct scope_go_table table = table_of(version, &bytes);
		struct scope_go_line line;

		assert_int_equal(scope_symbol_go_table_line(&table, GO_TEXT + 0xf, &line), 0);
		assert_string_equal(line.file, "two.go");
		assert_int_equal(line.line, 300);
		assert_int_equal(line.inlined, version != GO_2);
		assert_int_equal(scope_symbol_go_table_line(&table, GO_TEXT + 0x10, &line), 0);
		assert_int_equal(line.line, 298);
		assert_false(line.inlined);
		assert_int_equal(scope_symbol_go_table_line(&table, GO_TEXT + 0x3f, &line), 0);
		/* The second has no tables. */
		assert_int_equal(scope_symbol_go_table_line(&table, GO_TEXT + 0x40, &line), -EBADMSG);
		assert_int_equal(scope_symbol_go_table_line(&table, GO_TEXT + 0x80, &line), -ENOENT);
		assert_int_equal(scope_symbol_go_table_line(&table, GO_TEXT - 1, &line), -ENOENT);
	}
}

static void a_function_has_no_frame_before_it_makes_one(void **state)
{
	(void)state;
	for (enum go_version version = GO_2; version < GO_VERSIONS; version++) {
		struct go_bytes bytes;
		const struct scope_go_table table = table_of(version, &bytes);
		uint32_t depth;

		assert_int_equal(scope_symbol_go_table_depth(&table, GO_TEXT + 3, &depth), 0);
		assert_int_equal(depth, 0);
		assert_int_equal(scope_symbol_go_table_depth(&table, GO_TEXT + 4, &depth), 0);
		assert_int_equal(depth, 0x20);
		assert_int_equal(scope_symbol_go_table_depth(&table, GO_TEXT + 0x40, &depth), -EBADMSG);
		assert_int_equal(scope_symbol_go_table_depth(&table, GO_TEXT + 0x80, &depth), -ENOENT);
	}
}

/* Wherever it ends, nothing after it is read: the sanitizer watches a copy of just that size. */
static void a_table_may_end_anywhere(void **state)
{
	(void)state;
	for (enum go_version version = GO_2; version < GO_VERSIONS; version++) {
		struct go_bytes bytes;
		unsigned int good = 0;

		go_table_make(version, &bytes);
		for (size_t end = 0; end < bytes.bytes; end++) {
			uint8_t *copy = malloc(end + !end);
			struct scope_go_table table;
			size_t budget = 1000;

			assert_non_null(copy);
			memcpy(copy, bytes.data, end);
			if (!scope_symbol_go_table_init(copy, end, &table)) {
				struct scope_go_function function;
				struct scope_go_line line;

				for (size_t i = 0; i < table.count; i++)
					good += !scope_symbol_go_table_function(&table, i, &budget, &function);
				scope_symbol_go_table_line(&table, GO_TEXT + 1, &line);
			}
			free(copy);
		}
		assert_true(good > 0);
	}
}

static void what_makes_no_sense_is_refused(void **state)
{
	struct go_bytes bytes;
	struct scope_go_table table;

	(void)state;
	go_table_make(GO_18, &bytes);
	go_set(&bytes, 0, 0xfffffff2, 4); /* a magic number that is to come */
	assert_int_equal(scope_symbol_go_table_init(bytes.data, bytes.bytes, &table), -EBADMSG);
	go_table_make(GO_18, &bytes);
	go_set(&bytes, 7, 3, 1); /* bytes of a word */
	assert_int_equal(scope_symbol_go_table_init(bytes.data, bytes.bytes, &table), -EBADMSG);
	for (unsigned int shift = 8; shift < 64; shift++) { /* functions */
		go_table_make(GO_18, &bytes);
		go_set(&bytes, 8, UINT64_C(1) << shift, 8);
		assert_int_equal(scope_symbol_go_table_init(bytes.data, bytes.bytes, &table), -EBADMSG);
	}
	for (size_t part = 0; part < 5; part++) {
		go_table_make(GO_18, &bytes);
		go_set(&bytes, 8 + 3 * 8 + part * 8, UINT64_MAX, 8);
		assert_int_equal(scope_symbol_go_table_init(bytes.data, bytes.bytes, &table), -EBADMSG);
	}
}

static void the_language_is_read_from_the_program(void **state)
{
	static const struct {
		const char *name;
		bool library;
	} rows[] = {
		{ "runtime.mcall", true },
		{ "runtime/internal/syscall.Syscall6", true },
		{ "internal/poll.(*FD).Read", true },
		{ "net/http.(*conn).serve", true },
		{ "net/http.HandlerFunc.ServeHTTP", true },
		{ "sync.(*Pool).Get", true },
		{ "slices.SortFunc[go.shape.[]example.org/shop.item,go.shape.int]", true },
		{ "type..eq.example.org/shop.key", true },
		{ "type:.eq.example.org/shop.key", true },
		{ "go.(*struct { sync.Mutex; main.x int }).Lock", true },
		{ "vendor/golang.org/x/net/idna.(*Profile).process", true },
		{ "aeshashbody", true },
		{ "_cgo_2ac87069779a_Cfunc_getaddrinfo", true },
		{ "main", true }, /* C's */
		{ "main.main", false },
		{ "main.(*server).handle.func1", false },
		{ "main.Map[net/http.Header]", false },
		{ "example.org/shop/net.dial", false },
		{ "go.uber.org/zap.New", false },
		{ "go.etcd.io/bbolt.(*DB).beginTx", false },
		{ "time.example.org/clock.Now", false },
		{ "golang.org/x/net/http2.(*Framer).ReadFrame", false },
		{ "network.Dial", false },
		{ "shop/store.Get", false },
		{ "sqlite3_step", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (scope_symbol_go_name_is_library(rows[i].name) != rows[i].library)
			fail_msg("%s", rows[i].name);
	assert_true(scope_symbol_go_name_is_runtime("runtime.goexit"));
	assert_false(scope_symbol_go_name_is_runtime("runtime.0"));
	assert_false(scope_symbol_go_name_is_runtime("runtime"));
	assert_true(scope_symbol_go_name_is_idle("runtime.findRunnable"));
	assert_false(scope_symbol_go_name_is_idle("runtime.futex"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_have_names_and_bounds),
		cmocka_unit_test(names_are_looked_at_within_a_budget),
		cmocka_unit_test(addresses_have_lines),
		cmocka_unit_test(a_function_has_no_frame_before_it_makes_one),
		cmocka_unit_test(a_table_may_end_anywhere),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(the_language_is_read_from_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
