// SPDX-License-Identifier: GPL-2.0-only
/*
 * The resources that a host did not give to a process: counters of control groups and of CPUs, from files that this
 * test writes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/block_devices.h"
#include "proc/host.h"
#include "trace/host_row.h"
#include "trace_fixture.h"

static char root[64];

__attribute__((format(printf, 2, 3))) static void put(const char *name, const char *format, ...)
{
	char path[256], command[320];
	va_list arguments;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	snprintf(command, sizeof(command), "mkdir -p '%.*s'", (int)(strrchr(path, '/') - path), path);
	assert_int_equal(system(command), 0);
	file = fopen(path, "w");
	assert_non_null(file);
	va_start(arguments, format);
	vfprintf(file, format, arguments);
	va_end(arguments);
	fclose(file);
}

static int setup(void **state)
{
	(void)state;
	strcpy(root, "/tmp/scope-host-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

/* Reads the counters, has them grow, and returns what a trace says of key; the caller frees. NULL: nothing. */
static char *said_after(void (*grow)(void), const char *key)
{
	struct fixture fixture = fixture_begin();
	struct scope_proc_host *host;
	struct scope_trace *trace;
	char *value;

	assert_int_equal(scope_proc_host_create(root, 7, &host), 0);
	grow();
	assert_int_equal(scope_proc_host_write(host, 99, fixture.writer), 0);
	scope_proc_host_destroy(host);
	trace = fixture_open(&fixture);
	value = scope_trace_meta(trace, key) ? strdup(scope_trace_meta(trace, key)) : NULL;
	scope_trace_close(trace);
	return value;
}

/* Without when it began. */
static void expect(void (*grow)(void), const char *key, const char *rest)
{
	char *value = said_after(grow, key);

	if (!rest) {
		assert_null(value);
		return;
	}
	assert_non_null(value);
	assert_string_equal(strchr(value, ' ') + 1, rest);
	free(value);
}

/* A partition that is mounted, a volume on another one, a loop device; one that is mounted nowhere. */
static void test_devices(void **state)
{
	static const char *const want[][2] = {
		{ "8:0", "sda, mounted at /" },
		{ "8:1", "sda1, mounted at /" },
		{ "8:2", "sda2, mounted at /srv as vg-srv (dm-0)" },
		{ "253:0", "vg-srv (dm-0), mounted at /srv" },
		{ "9:127", "md127, mounted at /db as crypt (dm-1)" },
		{ "253:1", "crypt (dm-1), mounted at /db" },
		{ "7:0", "loop0, file /var/a b.img" },
		{ "104:0", "cciss!c0d0" },
		{ "8:16", NULL },
	};
	struct fixture fixture = fixture_begin();
	struct scope_trace *trace;
	char key[32];

	(void)state;
	put("proc/partitions",
	    "major minor  #blocks  name\n\n   8        0   10 sda\n   8        1   5 sda1\n"
	    "   8 2 4 sda2\n 253 0 4 dm-0\n 9 127 8 md127\n 253 1 8 dm-1\n 7 0 9 loop0\n 104 0 9 cciss/c0d0\n");
	put("proc/1/mountinfo", "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n25 24 0:5 / /dev rw - devtmpfs none rw\n"
				"26 24 253:0 / /srv rw - xfs /dev/dm-0 rw\n"
				"27 24 253:1 / /db rw - xfs /dev/mapper/crypt rw\n");
	put("sys/class/block/dm-0/dm/name", "vg-srv\n");
	put("sys/class/block/md127/dev", "9:127\n");
	put("sys/class/block/md127/holders/dm-1/dev", "253:1\n");
	put("sys/class/block/dm-1/dev", "253:1\n");
	put("sys/class/block/dm-1/dm/name", "crypt\n");
	put("sys/class/block/sda/dev", "8:0\n");
	put("sys/class/block/sda/sda1/dev", "8:1\n");
	put("sys/class/block/sda1/dev", "8:1\n");
	put("sys/class/block/sda2/dev", "8:2\n");
	put("sys/class/block/sda2/holders/dm-0/dev", "253:0\n");
	put("sys/class/block/dm-0/dev", "253:0\n");
	put("sys/class/block/loop0/dev", "7:0\n");
	put("sys/class/block/loop0/loop/backing_file", "/var/a b.img\n");
	assert_int_equal(scope_proc_devices_write(root, fixture.writer), 0);
	trace = fixture_open(&fixture);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const char *said;

		snprintf(key, sizeof(key), SCOPE_META_DEVICE "%s", want[i][0]);
		said = scope_trace_meta(trace, key);
		assert_true(want[i][1] ? said && !strcmp(said, want[i][1]) : !said);
	}
	scope_trace_close(trace);
}

static void stat_of(const char *group, unsigned periods, unsigned throttled, const char *key, unsigned long time)
{
	char name[128];

	snprintf(name, sizeof(name), "%s/cpu.stat", group);
	put(name, "usage_usec 5\nnr_periods %u\nnr_throttled %u\n%s %lu\n", periods, throttled, key, time);
}

static void more_of_2(void)
{
	stat_of("cg/a", 110, 30, "throttled_usec", 5000);
	stat_of("cg/a/b", 60, 40, "throttled_usec", 7000);
}

/* The group itself has a limit, and the one above it, which keeps it off the CPUs for longer. */
static void test_version_2(void **state)
{
	(void)state;
	put("proc/7/cgroup", "0::/a/b\n");
	put("proc/self/mountinfo", "30 20 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
	put("cg/a/cpu.max", "20000 100000\n");
	put("cg/a/b/cpu.max", "5000 50000\n");
	stat_of("cg/a", 100, 20, "throttled_usec", 1000);
	stat_of("cg/a/b", 50, 35, "throttled_usec", 4500);
	expect(more_of_2, SCOPE_META_CPU_LIMIT, "99 20000 100000 10 10 4000000 /a");
}

static void no_limit_is_known(void **state)
{
	(void)state;
	put("proc/7/cgroup", "0::/a/b\n");
	put("proc/self/mountinfo", "30 20 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
	put("cg/a/b/cpu.max", "max 100000\n");
	stat_of("cg/a/b", 0, 0, "throttled_usec", 0);
	expect(more_of_2, SCOPE_META_CPU_LIMIT, NULL);
}

static void more_of_1(void)
{
	stat_of("cg/cpu/x y", 150, 80, "throttled_time", 1500);
}

/* Version 1, beside a hierarchy of version 2 without the controller. */
static void test_version_1(void **state)
{
	(void)state;
	put("proc/7/cgroup", "9:name=systemd:/x y\n4:cpuacct,cpu:/x y\n3:cpuset:/z\n0::/\n");
	put("proc/self/mountinfo",
	    "30 20 0:26 / /cg/u rw - cgroup2 cgroup2 rw\n31 20 0:27 / /cg/s rw - cgroup cgroup rw,cpuset\n"
	    "32 20 0:28 / /cg/cpu rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct\n");
	put("cg/cpu/x y/cpu.cfs_quota_us", "3000\n");
	put("cg/cpu/x y/cpu.cfs_period_us", "100000\n");
	stat_of("cg/cpu/x y", 100, 40, "throttled_time", 1000);
	expect(more_of_1, SCOPE_META_CPU_LIMIT, "99 3000 100000 50 40 500 /x y");
}

static void more_times(void)
{
	put("proc/stat", "cpu  150 20 230 9999 77 15 46 70 0 0\ncpu0 1 2 3\n");
}

static void test_times(void **state)
{
	const unsigned long tick_ns = 1000000000ul / (unsigned long)sysconf(_SC_CLK_TCK);
	char rest[128];

	(void)state;
	put("proc/stat", "cpu  100 20 200 5000 70 10 40 50 0 0\ncpu0 1 2 3\n");
	/* Not idle are 50 of user, 30 of the system, 5 and 6 of interrupts. */
	snprintf(rest, sizeof(rest), "99 %lu %lu %lu %lu", 91 * tick_ns, 5 * tick_ns, 6 * tick_ns, 20 * tick_ns);
	expect(more_times, SCOPE_META_HOST_CPU, rest);
}

static void nothing(void)
{
}

static void what_is_not_there_is_left_out(void **state)
{
	(void)state;
	expect(nothing, SCOPE_META_CPU_LIMIT, NULL);
	expect(nothing, SCOPE_META_HOST_CPU, NULL);
}

static void pressure(const char *name, unsigned long some_us, unsigned long full_us)
{
	put(name,
	    "some avg10=0.00 avg60=0.00 avg300=0.00 total=%lu\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=%lu\n",
	    some_us, full_us);
}

/* A row that was written at that time, in that place. */
static struct scope_host_row row_at(struct scope_trace *trace, const char *key, uint64_t time_ns)
{
	struct scope_host_row row;
	const char *text = scope_trace_meta(trace, key);

	assert_non_null(text);
	assert_true(scope_trace_host_row_parse(text, &row));
	assert_int_equal(row.time_ns, time_ns);
	return row;
}

static struct scope_proc_host *host_of(void)
{
	struct scope_proc_host *host;

	assert_int_equal(scope_proc_host_create(root, 7, &host), 0);
	return host;
}

/* A row each second; a limit that is set in between; at last the process ends, and its group is removed. */
static void rows_go_on_after_the_group(void **state)
{
	struct fixture fixture = fixture_begin();
	struct scope_proc_host *host;
	struct scope_host_row row;
	struct scope_trace *trace;
	char command[192];

	(void)state;
	put("proc/7/cgroup", "0::/a/b\n");
	put("proc/self/mountinfo", "30 20 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
	put("proc/stat", "cpu  100 20 200 5000 70 10 40 50 0 0\ncpu0 1 2 3\n");
	put("cg/a/b/cpu.max", "max 100000\n");
	stat_of("cg/a/b", 40, 30, "throttled_usec", 9000);
	pressure("cg/a/b/cpu.pressure", 11, 0);
	pressure("cg/a/b/memory.pressure", 500, 400);
	pressure("cg/a/b/io.pressure", 70, 60);
	pressure("proc/pressure/memory", 1, 1);
	host = host_of();
	assert_int_equal(scope_proc_host_tick(host, 1000000000, fixture.writer), 0);
	put("cg/a/b/cpu.max", "5000 50000\n");
	stat_of("cg/a/b", 50, 35, "throttled_usec", 12000);
	assert_int_equal(scope_proc_host_tick(host, 1999999999, fixture.writer), 0);
	pressure("cg/a/b/memory.pressure", 700, 650);
	assert_int_equal(scope_proc_host_tick(host, 2000000000, fixture.writer), 0);
	snprintf(command, sizeof(command), "rm -r %s/cg/a %s/proc/7", root, root);
	assert_int_equal(system(command), 0);
	assert_int_equal(scope_proc_host_write(host, 2500000000, fixture.writer), 0);
	/* The service begins again: a new group of the same name, which counts from 0 on. */
	put("cg/a/b/cpu.max", "5000 50000\n");
	stat_of("cg/a/b", 3, 2, "throttled_usec", 500);
	assert_int_equal(scope_proc_host_tick(host, 4000000000, fixture.writer), 0);
	scope_proc_host_destroy(host);
	trace = fixture_open(&fixture);
	row = row_at(trace, SCOPE_META_HOST_ROW "3", 4000000000);
	assert_int_equal(row.value[SCOPE_HOST_THROTTLED], 3500000);
	assert_int_equal(row.value[SCOPE_HOST_PERIODS], 13);
	row = row_at(trace, SCOPE_META_HOST_ROW "0", 1000000000);
	assert_int_equal(row.known >> SCOPE_HOST_THROTTLED & 1, 0);
	assert_int_equal(row.value[SCOPE_HOST_CPU], 11000);
	assert_int_equal(row.value[SCOPE_HOST_MEMORY_FULL], 400000);
	assert_int_equal(row.value[SCOPE_HOST_IO], 70000);
	for (int i = 0; i < 2; i++) {
		row = i ? row_at(trace, SCOPE_META_HOST_ROW "2", 2500000000)
			: row_at(trace, SCOPE_META_HOST_ROW "1", 2000000000);
		assert_int_equal(row.value[SCOPE_HOST_THROTTLED], 3000000);
		assert_int_equal(row.value[SCOPE_HOST_PERIODS], 10);
		assert_int_equal(row.value[SCOPE_HOST_PERIODS_MET], 5);
		assert_int_equal(row.value[SCOPE_HOST_MEMORY], 700000);
	}
	assert_string_equal(scope_trace_meta(trace, SCOPE_META_PRESSURE_OF), "/a/b");
	/* What throttled the process is said though its group is gone. */
	assert_non_null(strstr(scope_trace_meta(trace, SCOPE_META_CPU_LIMIT), " 5000 50000 10 5 3000000 /a/b"));
	scope_trace_close(trace);
}

/* Groups of version 1 have no pressure: that of the host is taken. A kernel without any counts the rest. */
static void pressure_is_that_of_the_host(void **state)
{
	struct fixture fixture = fixture_begin();
	struct scope_proc_host *host;
	struct scope_host_row row;
	struct scope_trace *trace;
	char command[96];

	(void)state;
	put("proc/7/cgroup", "4:cpuacct,cpu:/x\n0::/\n");
	put("proc/self/mountinfo",
	    "30 20 0:26 / /cg/u rw - cgroup2 cgroup2 rw\n32 20 0:28 / /cg/cpu rw - cgroup cgroup rw,cpu\n");
	put("proc/stat", "cpu  100 20 200 5000 70 10 40 50 0 0\n");
	put("cg/cpu/x/cpu.cfs_quota_us", "3000\n");
	put("cg/cpu/x/cpu.cfs_period_us", "100000\n");
	stat_of("cg/cpu/x", 100, 40, "throttled_time", 1000);
	pressure("proc/pressure/memory", 500, 400);
	put("proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=9\n");
	host = host_of();
	assert_int_equal(scope_proc_host_tick(host, 5, fixture.writer), 0);
	scope_proc_host_destroy(host);
	snprintf(command, sizeof(command), "rm -r %s/proc/pressure", root);
	assert_int_equal(system(command), 0);
	host = host_of();
	stat_of("cg/cpu/x", 104, 42, "throttled_time", 1600);
	/* No flight recorder has been asked for more rows than it keeps: places are used again. */
	for (uint64_t i = 0; i < 1025; i++)
		assert_int_equal(scope_proc_host_tick(host, (7 + i) * 1000000000, fixture.writer), 0);
	scope_proc_host_destroy(host);
	trace = fixture_open(&fixture);
	row = row_at(trace, SCOPE_META_HOST_ROW "0", 1031ull * 1000000000);
	assert_int_equal(row.known >> SCOPE_HOST_CPU, 0);
	assert_int_equal(row.value[SCOPE_HOST_THROTTLED], 600);
	assert_int_equal(row.value[SCOPE_HOST_PERIODS], 4);
	assert_int_equal(row.value[SCOPE_HOST_STEAL], 50 * (1000000000ul / (unsigned long)sysconf(_SC_CLK_TCK)));
	assert_null(scope_trace_meta(trace, SCOPE_META_PRESSURE_OF));
	{
		struct scope_host_row *rows;
		size_t count;

		assert_int_equal(scope_trace_host_rows(trace, &rows, &count), 0);
		assert_int_equal(count, 1026);
		assert_int_equal(rows[0].value[SCOPE_HOST_MEMORY], 500000);
		assert_int_equal(rows[0].value[SCOPE_HOST_CPU], 9000);
		assert_int_equal(rows[0].known >> SCOPE_HOST_IO, 0);
		free(rows);
	}
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_devices, setup, teardown),
		cmocka_unit_test_setup_teardown(test_version_2, setup, teardown),
		cmocka_unit_test_setup_teardown(no_limit_is_known, setup, teardown),
		cmocka_unit_test_setup_teardown(test_version_1, setup, teardown),
		cmocka_unit_test_setup_teardown(test_times, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_not_there_is_left_out, setup, teardown),
		cmocka_unit_test_setup_teardown(rows_go_on_after_the_group, setup, teardown),
		cmocka_unit_test_setup_teardown(pressure_is_that_of_the_host, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
