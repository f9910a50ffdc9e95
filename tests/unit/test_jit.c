// SPDX-License-Identifier: GPL-2.0-only
/* Names for code made at run time come from the perf map and jitdump files of a process. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "proc/proc.h"
#include "trace_fixture.h"

static char map_path[64];

static void add_text(const char *text)
{
	FILE *file = fopen(map_path, "a");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void read_again(struct scope_proc *proc, struct scope_writer *writer)
{
	const uint32_t self = (uint32_t)getpid();

	assert_int_equal(scope_proc_write_jit(proc, &self, 1, writer), 0);
}

static void expect_row(const struct scope_trace_symbol *row, uint64_t start, uint64_t size, const char *name)
{
	assert_int_equal(row->tgid, getpid());
	assert_int_equal(row->start, start);
	assert_int_equal(row->size, size);
	assert_string_equal(row->name, name);
	assert_string_equal(row->module, "[jit]");
	assert_false(row->library);
}

/* Lines are read once, whole, and only such as name something. */
static void test_perf_map(void **state)
{
	struct fixture fixture = fixture_begin();
	const struct scope_trace_symbol *row;
	struct scope_trace *trace;
	struct scope_proc *proc;
	size_t count;

	(void)state;
	unlink(map_path);
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	read_again(proc, fixture.writer); /* there is none yet */
	add_text("7f0000001000 20 LazyCompile:~handle /srv/app.js:12\n"
		 "0x7f0000002000 0x40 b\nnonsense\n12 nonsense\n7f00 10 \n"
		 "7f0000003000 60 half a");
	read_again(proc, fixture.writer);
	add_text(" line\n");
	read_again(proc, fixture.writer);
	read_again(proc, fixture.writer);
	unlink(map_path); /* held open: nothing finds what is appended, and what was there stays */
	read_again(proc, fixture.writer);
	scope_proc_destroy(proc);
	trace = fixture_open(&fixture);
	row = scope_trace_symbols(trace, &count);
	assert_int_equal(count, 3);
	expect_row(&row[0], 0x7f0000001000, 0x20, "LazyCompile:~handle /srv/app.js:12");
	expect_row(&row[1], 0x7f0000002000, 0x40, "b");
	expect_row(&row[2], 0x7f0000003000, 0x60, "half a line");
	scope_trace_close(trace);
}

/* More names than are written at once. */
static void test_many_names(void **state)
{
	struct fixture fixture = fixture_begin();
	const struct scope_trace_symbol *row;
	struct scope_trace *trace;
	struct scope_proc *proc;
	FILE *file;
	size_t count;

	(void)state;
	unlink(map_path);
	file = fopen(map_path, "w");
	assert_non_null(file);
	for (int i = 0; i < 50000; i++)
		fprintf(file, "%x 10 f%d\n", 0x10000 + i * 16, i);
	fclose(file);
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	read_again(proc, fixture.writer);
	scope_proc_destroy(proc);
	trace = fixture_open(&fixture);
	row = scope_trace_symbols(trace, &count);
	assert_int_equal(count, 50000);
	expect_row(&row[0], 0x10000, 16, "f0");
	expect_row(&row[49999], 0x10000 + 49999 * 16, 16, "f49999");
	scope_trace_close(trace);
	unlink(map_path);
}

/* A link, or a file of someone else, may be laid there by anybody. */
static void test_planted_map(void **state)
{
	struct fixture fixture = fixture_begin();
	struct scope_trace *trace;
	struct scope_proc *proc;
	size_t count;

	(void)state;
	unlink(map_path);
	assert_int_equal(symlink("/proc/kallsyms", map_path), 0);
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	read_again(proc, fixture.writer);
	unlink(map_path);
	assert_int_equal(mkfifo(map_path, 0600), 0);
	read_again(proc, fixture.writer);
	unlink(map_path);
	if (!getuid()) {
		add_text("1000 10 planted\n");
		assert_int_equal(chown(map_path, 65534, 65534), 0);
		read_again(proc, fixture.writer);
		unlink(map_path);
	}
	scope_proc_destroy(proc);
	trace = fixture_open(&fixture);
	scope_trace_symbols(trace, &count);
	assert_int_equal(count, 0);
	scope_trace_close(trace);
}

struct dump_load {
	uint32_t id, total_bytes;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, address, bytes, index;
	char name[8];
	uint8_t code[24];
};

struct dump_move {
	uint32_t id, total_bytes;
	uint64_t time;
	uint32_t pid, tid;
	uint64_t vma, old_address, new_address, bytes, index;
};

/* The file, mapped executable: that is how a process shows that it writes one. */
static int make_dump(const char *path, uint32_t magic)
{
	const uint32_t head[10] = { magic, 1, 40, 62, 0, (uint32_t)getpid() };
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
	return fd;
}

static void add_load(int fd, uint64_t address, uint64_t index, const char *name)
{
	struct dump_load load = { .total_bytes = sizeof(load), .address = address, .bytes = 24, .index = index };

	strcpy(load.name, name);
	assert_int_equal(write(fd, &load, sizeof(load)), sizeof(load));
}

static void test_jitdump(void **state)
{
	const struct dump_move move = { .id = 1,
					.total_bytes = sizeof(move),
					.old_address = 0x5000,
					.new_address = 0x9000,
					.bytes = 24,
					.index = 1 };
	const struct dump_move debug = { .id = 2, .total_bytes = sizeof(debug) };
	struct fixture fixture = fixture_begin();
	const struct scope_trace_symbol *row;
	char path[64];
	struct scope_trace *trace;
	struct scope_proc *proc;
	size_t count;
	void *mark;
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)getpid());
	fd = make_dump(path, 0x4a695444);
	mark = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(mark != MAP_FAILED);
	add_load(fd, 0x5000, 1, "first");
	assert_int_equal(write(fd, &debug, sizeof(debug)), sizeof(debug));
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	read_again(proc, fixture.writer);
	add_load(fd, 0x6000, 2, "second");
	assert_int_equal(write(fd, &move, sizeof(move)), sizeof(move));
	assert_int_equal(write(fd, &move, 20), 20); /* half a record: not yet */
	munmap(mark, 4096);
	unlink(path);
	read_again(proc, fixture.writer);
	read_again(proc, fixture.writer);
	scope_proc_destroy(proc);
	close(fd);
	trace = fixture_open(&fixture);
	row = scope_trace_symbols(trace, &count);
	assert_int_equal(count, 3);
	expect_row(&row[0], 0x5000, 24, "first");
	expect_row(&row[1], 0x6000, 24, "second");
	expect_row(&row[2], 0x9000, 24, "first");
	scope_trace_close(trace);
}

/* Any bytes after a good start: no crash, and no endless loop. */
static void test_damaged_jitdump(void **state)
{
	char path[64];

	(void)state;
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)getpid());
	for (unsigned int seed = 0; seed < 300; seed++) {
		struct fixture fixture = fixture_begin();
		int fd = make_dump(path, seed % 10 ? 0x4a695444 : 0x4454694a);
		void *mark = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
		struct scope_proc *proc;
		uint8_t bytes[400];

		assert_true(mark != MAP_FAILED);
		add_load(fd, 0x5000, 1, "first");
		srand(seed);
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = rand() % 4 ? 0 : rand();
		assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
		assert_int_equal(scope_proc_create(NULL, &proc), 0);
		read_again(proc, fixture.writer);
		scope_proc_destroy(proc);
		munmap(mark, 4096);
		close(fd);
		unlink(path);
		fixture_finish(&fixture);
		close(fixture.fd);
	}
}

static void test_thread_names(void **state)
{
	const uint32_t self = (uint32_t)getpid();
	struct fixture fixture = fixture_begin();
	const struct scope_trace_thread *row;
	struct scope_trace *trace;
	struct scope_proc *proc;
	size_t count;

	(void)state;
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	assert_int_equal(scope_proc_write_threads(proc, &self, 1, fixture.writer), 0);
	assert_int_equal(scope_proc_write_threads(proc, &self, 1, fixture.writer), 0);
	scope_proc_destroy(proc);
	trace = fixture_open(&fixture);
	row = scope_trace_threads(trace, &count);
	assert_int_equal(count, 1);
	assert_int_equal(row->tid, self);
	assert_int_equal(row->tgid, self);
	assert_string_equal(row->comm, "test_jit");
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_map),	cmocka_unit_test(test_many_names),
		cmocka_unit_test(test_planted_map),	cmocka_unit_test(test_jitdump),
		cmocka_unit_test(test_damaged_jitdump), cmocka_unit_test(test_thread_names),
	};

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
