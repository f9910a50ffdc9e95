// SPDX-License-Identifier: GPL-2.0-only
/* System calls by library function: exact if each call has a stack, otherwise projected with an interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/share_interval.h"
#include "server/libcalls.h"
#include "units_of.h"

#define HEAD                                                                                                           \
	"meta begin_ns 0\nmeta end_ns 9000000\nfd 10 7 file -\n"                                                       \
	"sym 0 0x1000 0x100 main server program\n"                                                                     \
	"sym 0 0x1100 0x100 save server program\n"                                                                     \
	"sym 0 0x2000 0x100 write libc.so.6 library\n"                                                                 \
	"sym 0 0x2100 0x100 fwrite libc.so.6 library\n"                                                                \
	"sym 0 0x3000 0x100 sqlite3_step libsqlite3.so.0 library\n"                                                    \
	"1 0 state 10 tgid=10 state=runnable since=0 run=0 comm=work on_cpu\n"

#define BY_FWRITE "0x2010,0x2110,0x1110,0x1010" /* write < fwrite < save < main */
#define BY_WRITE "0x2010,0x1110,0x1010"
#define BY_SQLITE "0x2010,0x3010,0x1110,0x1010"
#define BY_PROGRAM "0x1110,0x1010"
#define BY_NOBODY "0x2010,0x2110"

struct counted {
	struct run run;
	struct scope_symbols *symbols;
	struct scope_libcalls *libcalls;
};

static struct counted count(const char *text)
{
	struct counted counted = { .run = run_of(text) };
	size_t maps, rows;
	const struct scope_trace_map *map = scope_trace_maps(counted.run.trace, &maps);
	const struct scope_trace_symbol *row = scope_trace_symbols(counted.run.trace, &rows);

	assert_int_equal(scope_symbols_create(map, maps, row, rows, NULL, &counted.symbols), 0);
	assert_int_equal(scope_server_libcalls_create(counted.run.trace, counted.symbols, counted.run.distributions,
						      &counted.libcalls),
			 0);
	return counted;
}

static void end(struct counted *counted)
{
	scope_server_libcalls_destroy(counted->libcalls);
	scope_symbols_destroy(counted->symbols);
	end_run(&counted->run);
}

static void the_function_that_the_program_called_counts(void **state)
{
	struct counted all =
		count(HEAD "1000 0 syscall 10 write enter=900 ret=4096 args=7\n1000 0 stack 10 " BY_FWRITE
			   "\n2000 0 syscall 10 write enter=1900 ret=100 args=7\n2000 0 stack 10 " BY_WRITE
			   "\n3000 0 syscall 10 pwrite64 enter=2700 ret=-5 args=7\n3000 0 stack 10 " BY_SQLITE
			   "\n4000 0 syscall 10 write enter=3900 ret=1 args=7\n4000 0 stack 10 " BY_PROGRAM
			   "\n5000 0 syscall 10 write enter=4900 ret=2 args=7\n5000 0 stack 10 " BY_NOBODY "\n");
	struct scope_libcalls_function one;

	(void)state;
	assert_true(all.libcalls->exact);
	assert_int_equal(all.libcalls->calls, 5);
	assert_int_equal(all.libcalls->count, 5);
	assert_true(scope_server_libcalls_named(all.libcalls, "fwrite", &one));
	assert_true(one.calls == 1 && one.low == 1 && one.high == 1 && one.bytes == 4096 && one.ns == 100);
	assert_true(scope_server_libcalls_named(all.libcalls, "write", &one));
	assert_true(one.calls == 1 && one.bytes == 100);
	assert_true(scope_server_libcalls_named(all.libcalls, "sqlite3_step", &one));
	assert_true(one.calls == 1 && one.bytes == 0 && one.failed == 1 && one.ns == 300);
	assert_false(scope_server_libcalls_named(all.libcalls, "save", &one));
	assert_true(scope_server_libcalls_library(all.libcalls, "libc.so.6", &one));
	assert_true(one.calls == 2 && one.bytes == 4196 && one.ns == 200);
	/* Most time first. */
	assert_string_equal(all.libcalls->function[0].function->name, "sqlite3_step");
	for (size_t i = 0; i < all.libcalls->count; i++)
		if (!all.libcalls->function[i].function)
			assert_true(all.libcalls->function[i].bytes ==
				    (all.libcalls->function[i].from == SCOPE_LIBCALLS_PROGRAM ? 1 : 2));
	end(&all);
}

/* Of 400 writes 100 have a stack, and 30 of these are fwrite's: 120 of all, and the interval of Wilson has them. */
static void calls_without_a_stack_are_projected(void **state)
{
	struct scope_libcalls_function one;
	struct counted all;
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	assert_non_null(to);
	fputs(HEAD, to);
	for (int i = 0; i < 400; i++) {
		fprintf(to, "%d 0 syscall 10 write enter=%d ret=10 args=7\n", 1000 * (i + 1), 1000 * (i + 1) - 100);
		if (i < 100)
			fprintf(to, "%d 0 stack 10 %s\n", 1000 * (i + 1), i < 30 ? BY_FWRITE : BY_WRITE);
	}
	fputs("500000 0 syscall 10 fsync enter=499000 ret=0 args=7\n", to);
	assert_int_equal(fclose(to), 0);
	all = count(text);
	assert_false(all.libcalls->exact);
	assert_int_equal(all.libcalls->stacks, 100);
	assert_int_equal(all.libcalls->unknown, 1);
	assert_true(scope_server_libcalls_named(all.libcalls, "fwrite", &one));
	assert_int_equal(one.seen, 30);
	assert_float_equal(one.calls, 120, 1e-9);
	assert_float_equal(one.bytes, 1200, 1e-9);
	assert_float_equal(one.ns, 12000, 1e-6);
	/* 0.2189 to 0.3958 of 400. */
	assert_float_equal(one.low, 87.58, 0.05);
	assert_float_equal(one.high, 158.34, 0.05);
	end(&all);
	free(text);
}

/* From the table of R. G. Newcombe, "Two-sided confidence intervals for the single proportion", 1998: Wilson's score. */
static void intervals_are_those_of_wilson(void **state)
{
	static const struct {
		double part, all, low, high;
	} rows[] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0, 0.1611 },
		{ 1, 29, 0.0061, 0.1718 },
	};
	double low, high;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		scope_share_interval(rows[i].part, rows[i].all, &low, &high);
		assert_float_equal(low, rows[i].low, 0.00006);
		assert_float_equal(high, rows[i].high, 0.00006);
	}
	scope_share_interval(0, 0, &low, &high);
	assert_true(low == 0 && high == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_function_that_the_program_called_counts),
		cmocka_unit_test(calls_without_a_stack_are_projected),
		cmocka_unit_test(intervals_are_those_of_wilson),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
