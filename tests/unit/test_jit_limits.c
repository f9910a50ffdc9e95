// SPDX-License-Identifier: GPL-2.0-only
/* Names for code made at run time are read within limits, and never name code of a mapped file. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "proc/proc.h"
#include "symbol/symbol.h"
#include "trace_fixture.h"

static char map_path[64];

static FILE *open_map(void)
{
	FILE *file;

	unlink(map_path);
	file = fopen(map_path, "w");
	assert_non_null(file);
	return file;
}

static long most_memory_kib(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}

/* Reads the map of this process often enough that all is read which ever will be. */
static struct scope_trace *read_all(char *left_out, size_t size)
{
	const uint32_t self = (uint32_t)getpid();
	struct fixture fixture = fixture_begin();
	struct scope_proc *proc;

	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(scope_proc_write_jit(proc, &self, 1, fixture.writer), 0);
	scope_proc_jit_problem(proc, left_out, size);
	scope_proc_destroy(proc);
	unlink(map_path);
	return fixture_open(&fixture);
}

static void expect_names(const struct scope_trace *trace, const char *const *names)
{
	size_t count, wanted = 0;
	const struct scope_trace_symbol *row = scope_trace_symbols(trace, &count);

	for (; names[wanted]; wanted++) {
		assert_true(wanted < count);
		assert_string_equal(row[wanted].name, names[wanted]);
	}
	assert_int_equal(count, wanted);
}

/* 6 GB without a line: they are neither held nor read to their end. */
static void sparse_maps_take_no_memory(void **state)
{
	static const char *const names[] = { "first", NULL };
	const long before = most_memory_kib();
	FILE *file = open_map();
	char left_out[512];
	struct scope_trace *trace;

	(void)state;
	fputs("1000 10 first\n", file);
	if (fseeko(file, (off_t)6 << 30, SEEK_SET) || fputs("\n2000 10 last\n", file) < 0 || fclose(file))
		skip();
	trace = read_all(left_out, sizeof(left_out));
	expect_names(trace, names);
	scope_trace_close(trace);
	assert_non_null(strstr(left_out, "names more than is read"));
	assert_true(most_memory_kib() - before < 64 << 10);
}

static void long_lines_are_skipped(void **state)
{
	static const char *const names[] = { "first", "second", "third", NULL };
	char left_out[512];
	struct scope_trace *trace;
	FILE *file = open_map();

	(void)state;
	fputs("1000 10 first\n2000 10 ", file);
	for (int i = 0; i < 1000000; i++)
		fputc('x', file);
	fputs("\n3000 10 second\n4000 10 ", file);
	for (unsigned int i = 0; i < SCOPE_PROC_JIT_LINE_MAX; i++)
		fputc('y', file);
	fputs("\n5000 10 third\n", file);
	fclose(file);
	trace = read_all(left_out, sizeof(left_out));
	expect_names(trace, names);
	scope_trace_close(trace);
	assert_non_null(strstr(left_out, "2 lines of perf maps are longer"));
}

static void rows_are_counted(void **state)
{
	char left_out[512];
	struct scope_trace *trace;
	FILE *file = open_map();
	size_t count;

	(void)state;
	for (unsigned int i = 0; i < SCOPE_PROC_JIT_ROWS_MAX + 1000; i++)
		fprintf(file, "%x 10 f\n", 0x1000 + i * 16);
	fclose(file);
	trace = read_all(left_out, sizeof(left_out));
	scope_trace_symbols(trace, &count);
	assert_int_equal(count, SCOPE_PROC_JIT_ROWS_MAX);
	scope_trace_close(trace);
	assert_non_null(strstr(left_out, "later ones have no names"));
}

/* A row that covers a function of this program, or begins before it, is none. */
static void mapped_files_keep_their_names(void **state)
{
	static const char *const names[] = { "fine", NULL };
	const uint64_t here = (uintptr_t)mapped_files_keep_their_names;
	char left_out[512];
	struct scope_trace *trace;
	FILE *file = open_map();

	(void)state;
	fprintf(file, "%" PRIx64 " 10 planted\n", here);
	fprintf(file, "%" PRIx64 " 100000000 planted_widely\n", here - 0x10000000);
	fprintf(file, "1000 ffffffffffffffff planted_everywhere\n");
	fprintf(file, "1000 10 fine\n");
	fclose(file);
	trace = read_all(left_out, sizeof(left_out));
	expect_names(trace, names);
	scope_trace_close(trace);
	assert_non_null(strstr(left_out, "3 names"));
}

/* A trace from elsewhere may hold such rows all the same. */
static void rows_of_traces_do_not_name_files(void **state)
{
	const struct scope_trace_map maps[] = {
		{ .tgid = 1,
		  .start = 0x10000,
		  .end = 0x20000,
		  .executable = true,
		  .path = "/nowhere/server",
		  .build_id = "" },
		{ .tgid = 1,
		  .start = 0x30000,
		  .end = 0x40000,
		  .executable = true,
		  .path = "/memfd:code",
		  .build_id = "" },
	};
	const struct scope_trace_symbol rows[] = {
		{ 1, 0x10000, 0x30000, "planted", "[jit]", false },
		{ 0, 0x10000, 0x10000, "everywhere", "[jit]", false },
	};
	const struct scope_function *function;
	struct scope_symbols *symbols;
	size_t problems;

	(void)state;
	assert_int_equal(scope_symbols_create(maps, 2, rows, 2, NULL, &symbols), 0);
	assert_int_equal(scope_symbols_lookup(symbols, 1, 0x10010, false, &function), 0);
	assert_string_equal(function->module, "server");
	assert_int_equal(scope_symbols_lookup(symbols, 1, 0x30010, false, &function), 0);
	assert_string_equal(function->name, "planted");
	scope_symbols_problems(symbols, &problems);
	assert_true(problems >= 1);
	scope_symbols_destroy(symbols);
}

/* A head that says it is longer than the file: nothing comes after it, now and at each later look. */
static void dumps_that_end_in_their_head_are_left(void **state)
{
	const uint32_t head[10] = { 0x4a695444, 1, 1 << 20, 62, 0, (uint32_t)getpid() };
	char path[64], left_out[512];
	struct scope_trace *trace;
	size_t count;
	void *mark;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)getpid());
	fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	mark = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(mark != MAP_FAILED);
	alarm(20);
	trace = read_all(left_out, sizeof(left_out));
	alarm(0);
	scope_trace_symbols(trace, &count);
	assert_int_equal(count, 0);
	scope_trace_close(trace);
	munmap(mark, 4096);
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sparse_maps_take_no_memory),
		cmocka_unit_test(long_lines_are_skipped),
		cmocka_unit_test(rows_are_counted),
		cmocka_unit_test(dumps_that_end_in_their_head_are_left),
		cmocka_unit_test(mapped_files_keep_their_names),
		cmocka_unit_test(rows_of_traces_do_not_name_files),
	};

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
