// SPDX-License-Identifier: GPL-2.0-only
/*
 * Measure the cost of two ways to trace by perf events on this machine; each round also measures without a tracer.
 *
 * Usage: perf_ways [ROUNDS]      default 9; root
 * Ways: filtered, events of each CPU with a filter of thread numbers, and once more for those that are
 * newer (none here); threads, events of each thread
 * on each CPU, inherited. Loops: getppid() of the target, getppid() of another process, and a byte
 * to a thread and back. Prints medians over the rounds, each the best of a hundred repetitions.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "perf/tracefs.h"

#define RING_BYTES (8u << 20)
#define CPUS_MAX 64
#define FILES_MAX 1024
#define ROUNDS_MAX 99

enum way { NONE, FILTERED, THREADS, WAYS };
enum point { ENTER, EXIT, SWITCH, WAKING, POINTS };
enum loop { TARGET, OTHER, PINGPONG, LOOPS };

static const char *const points[POINTS] = {
	"raw_syscalls/sys_enter",
	"raw_syscalls/sys_exit",
	"sched/sched_switch",
	"sched/sched_waking",
};
static const char *const filters[POINTS] = {
	"common_pid>=%d&&common_pid<=%d",
	"common_pid>=%d&&common_pid<=%d",
	"(prev_pid>=%d&&prev_pid<=%d)||(next_pid>=%1$d&&next_pid<=%2$d)",
	"pid>=%d&&pid<=%d",
};

static const char *const young[POINTS] = {
	"common_pid>4194303",
	"common_pid>4194303",
	"prev_pid>4194303||next_pid>4194303",
	"pid>4194303",
};

static struct {
	uint32_t number[POINTS];
	int file[FILES_MAX], files;
	struct perf_event_mmap_page *ring[CPUS_MAX];
	int owner[CPUS_MAX];
	int cpus;
} bench;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void open_one(enum point point, int pid, int cpu, const char *filter)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = bench.number[point],
		.sample_period = 1,
		.inherit = pid > 0,
		.context_switch = pid > 0 && point == SWITCH,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 || bench.files == FILES_MAX)
		die("perf_event_open");
	bench.file[bench.files++] = fd;
	if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		die(filter);
	if (bench.ring[cpu]) {
		if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, bench.owner[cpu]))
			die("PERF_EVENT_IOC_SET_OUTPUT");
		return;
	}
	bench.owner[cpu] = fd;
	bench.ring[cpu] =
		mmap(NULL, RING_BYTES + (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bench.ring[cpu] == MAP_FAILED)
		die("mmap");
}

/* In both ways other threads make the wakings. */
static void open_way(enum way way, const int traced[3])
{
	const int first = traced[0], last = traced[2];
	char text[256];
	int cpu, i, point;

	for (cpu = 0; cpu < bench.cpus && way != NONE; cpu++) {
		for (point = 0; point < POINTS; point++) {
			snprintf(text, sizeof(text), filters[point], first, last);
			if (way == FILTERED || point == WAKING)
				open_one(point, -1, cpu, text);
			if (way == FILTERED)
				open_one(point, -1, cpu, young[point]);
			for (i = 0; i < 3 && way == THREADS && point != WAKING; i++)
				open_one(point, traced[i], cpu, NULL);
		}
	}
}

static void close_way(void)
{
	int cpu;

	for (cpu = 0; cpu < bench.cpus; cpu++) {
		if (bench.ring[cpu])
			munmap(bench.ring[cpu], RING_BYTES + (size_t)sysconf(_SC_PAGESIZE));
		bench.ring[cpu] = NULL;
	}
	while (bench.files)
		close(bench.file[--bench.files]);
}

/* A reader that takes no time: what costs the target is the writing. */
static void empty_rings(void)
{
	int cpu;

	for (cpu = 0; cpu < bench.cpus; cpu++)
		if (bench.ring[cpu])
			__atomic_store_n(&bench.ring[cpu]->data_tail,
					 __atomic_load_n(&bench.ring[cpu]->data_head, __ATOMIC_ACQUIRE),
					 __ATOMIC_RELEASE);
}

static void repeat(enum loop loop, const int *to, const int *from, int times)
{
	char byte = 1;
	int i;

	for (i = 0; i < times; i++) {
		if (loop != PINGPONG)
			syscall(SYS_getppid);
		else if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			exit(1);
	}
}

/* First writes the number of its helper, then answers every byte on ask with the ns of one pass. */
static void serve(enum loop loop, int ask, int answer)
{
	const int times = loop == PINGPONG ? 20 : 200; /* shorter than a time slice */
	int to[2], from[2], i;
	double best, begin, helper = 0;
	char byte;

	if (pipe(to) || pipe(from))
		exit(1);
	if (loop == PINGPONG)
		helper = fork();
	if ((helper > 0 || loop != PINGPONG) && write(answer, &helper, sizeof(helper)) != sizeof(helper))
		exit(1);
	if (loop == PINGPONG && !helper) {
		close(to[1]);
		while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
			;
		exit(0);
	}
	while (read(ask, &byte, 1) == 1) {
		best = 1e18;
		for (i = 0; i < 100; i++) {
			begin = now_ns();
			repeat(loop, to, from, times);
			begin = (now_ns() - begin) / times;
			best = begin < best ? begin : best;
		}
		if (write(answer, &best, sizeof(best)) != sizeof(best))
			exit(1);
	}
	exit(0);
}

struct worker {
	int pid, helper, ask, answer;
};

static struct worker start(enum loop loop)
{
	cpu_set_t last;
	int ask[2], answer[2], pid;
	double helper;

	if (pipe(ask) || pipe(answer))
		die("pipe");
	pid = fork();
	if (!pid) {
		CPU_ZERO(&last);
		CPU_SET(bench.cpus - 1, &last);
		sched_setaffinity(0, sizeof(last), &last);
		close(ask[1]);
		serve(loop, ask[0], answer[1]);
	}
	close(ask[0]);
	close(answer[1]);
	if (read(answer[0], &helper, sizeof(helper)) != sizeof(helper))
		die("worker");
	return (struct worker){ pid, (int)helper, ask[1], answer[0] };
}

static double measure(const struct worker *worker)
{
	double ns = 0;

	empty_rings();
	if (write(worker->ask, "", 1) != 1 || read(worker->answer, &ns, sizeof(ns)) != sizeof(ns))
		die("worker");
	return ns;
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

static void print(double (*value)[LOOPS][ROUNDS_MAX], int rounds)
{
	static const char *const loops[LOOPS] = { "target_call", "other_call", "pingpong" };
	static const char *const ways[WAYS] = { "none", "filtered", "threads" };
	int loop, way;

	for (loop = 0; loop < LOOPS; loop++) {
		for (way = 0; way < WAYS; way++) {
			double *at = value[way][loop];

			qsort(at, (size_t)rounds, sizeof(*at), by_value);
			printf("perf_ways_%s_%s_ns %.0f ns\n", loops[loop], ways[way], at[rounds / 2]);
		}
		for (way = FILTERED; way < WAYS; way++)
			printf("perf_ways_%s_%s_ratio %.2f times\n", loops[loop], ways[way],
			       value[way][loop][rounds / 2] / value[NONE][loop][rounds / 2]);
	}
}

int main(int argc, char **argv)
{
	static double value[WAYS][LOOPS][ROUNDS_MAX];
	const int rounds = argc > 1 ? atoi(argv[1]) : 9;
	struct worker worker[LOOPS];
	struct scope_error error;
	int tracefs, i, way, loop;

	bench.cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (rounds < 1 || rounds > ROUNDS_MAX || bench.cpus > CPUS_MAX)
		return 2;
	if (scope_perf_tracefs_open(&error, &tracefs)) {
		fprintf(stderr, "perf_ways: %s\n", error.text);
		return 1;
	}
	for (i = 0; i < POINTS; i++) {
		char *format;

		if (scope_perf_tracepoint_read(tracefs, points[i], &error, &bench.number[i], &format)) {
			fprintf(stderr, "perf_ways: %s\n", error.text);
			return 1;
		}
		free(format);
	}
	worker[OTHER] = start(OTHER);
	worker[TARGET] = start(TARGET);
	worker[PINGPONG] = start(PINGPONG);
	for (i = 0; i < rounds; i++) {
		for (way = 0; way < WAYS; way++) {
			open_way(way, (int[]){ worker[TARGET].pid, worker[PINGPONG].pid, worker[PINGPONG].helper });
			for (loop = 0; loop < LOOPS; loop++)
				value[way][loop][i] = measure(&worker[loop]);
			close_way();
		}
	}
	for (loop = 0; loop < LOOPS; loop++)
		close(worker[loop].ask);
	while (wait(NULL) > 0)
		;
	print(value, rounds);
	return 0;
}
