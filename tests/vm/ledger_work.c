// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that compete for a CPU, nap, touch pages and write to a device, and a reader of the kernel's counters for
 * them.
 *
 * Usage: ledger_work run DEVICE          All threads sleep. A line of input makes them work, a second one sleep again (the
 *                                        program says "asleep" then), a third one ends them.
 *        ledger_work press MIB           A line of input makes it touch that memory, twice, and say "asleep"; a second one
 *                                        ends it.
 *        ledger_work sample PID ROUNDS   Each second, ROUNDS times: a line "MONOTONIC_NS TID NAME RUN_NS DELAY_NS MINOR MAJOR"
 *                                        for each thread, by /proc/PID/task/TID/schedstat and stat.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

static const char *device;
static volatile int stop;
static int first[2], last[2]; /* threads sleep here before and after their work, until the other end is closed */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void compute(uint64_t ns)
{
	const uint64_t end_ns = now_ns() + ns;

	while (now_ns() < end_ns)
		;
}

static void sleep_at(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 0)
		exit(1);
}

static void *spin(void *user)
{
	sleep_at(first[0]);
	while (!stop) {
		compute(70000000);
		usleep(10000);
	}
	sleep_at(last[0]);
	return user;
}

static void *nap(void *user)
{
	sleep_at(first[0]);
	while (!stop) {
		compute(500000);
		usleep(3000);
	}
	sleep_at(last[0]);
	return user;
}

static void *touch(void *user)
{
	sleep_at(first[0]);
	while (!stop) {
		char *page = mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (size_t i = 0; i < 64; i++)
			page[PAGE * i] = 1;
		munmap(page, 64 * PAGE);
		usleep(20000);
	}
	sleep_at(last[0]);
	return user;
}

static void *store(void *user)
{
	const int fd = open(device, O_RDWR | O_DIRECT);
	char *block = aligned_alloc(PAGE, 8 * PAGE);

	if (fd < 0 || !block)
		exit(1);
	sleep_at(first[0]);
	for (unsigned int i = 0; !stop; i++) {
		const size_t size = PAGE * (1 + i % 8);

		memset(block, (int)i, 8 * PAGE);
		if ((i % 3 ? pwrite(fd, block, size, (off_t)PAGE * (i % 1000)) : pread(fd, block, size, 0)) !=
		    (ssize_t)size)
			exit(1);
		usleep(5000);
	}
	sleep_at(last[0]);
	return user;
}

static int run(void)
{
	static void *(*const way[])(void *) = { spin, spin, nap, touch, store };
	static const char *const name[] = { "spin0", "spin1", "nap", "touch", "store" };
	pthread_t thread[sizeof(way) / sizeof(way[0])];
	char line[8];

	if (pipe(first) || pipe(last))
		return 1;
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		if (pthread_create(&thread[i], NULL, way[i], NULL) || pthread_setname_np(thread[i], name[i]))
			return 1;
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	close(first[1]);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	stop = 1;
	sleep(1);
	puts("asleep");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	close(last[1]);
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++)
		pthread_join(thread[i], NULL);
	return 0;
}

/* More than its control group has room for: each round pushes out the pages of the one before. */
static int press(size_t bytes)
{
	char line[8], *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, bytes, MADV_NOHUGEPAGE) || !fgets(line, sizeof(line), stdin))
		return 1;
	for (size_t i = 0; i < 2 * bytes; i += PAGE)
		memory[i % bytes]++;
	puts("asleep");
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin);
}

static int read_file(const char *path, char *text, size_t room)
{
	const int fd = open(path, O_RDONLY);
	const ssize_t size = fd < 0 ? -1 : read(fd, text, room - 1);

	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return -1;
	text[size] = 0;
	return 0;
}

/* It has the only CPU while it reads, so no thread of the process runs, and their times are complete. */
static int sample_thread(const char *pid, const char *tid)
{
	char path[64], text[1024], name[32];
	const char *rest;
	unsigned long long run_ns, delay_ns, minor, major, at_ns;

	snprintf(path, sizeof(path), "/proc/%s/task/%s/schedstat", pid, tid);
	at_ns = now_ns();
	if (read_file(path, text, sizeof(text)) || sscanf(text, "%llu %llu", &run_ns, &delay_ns) != 2)
		return 1;
	snprintf(path, sizeof(path), "/proc/%s/task/%s/stat", pid, tid);
	if (read_file(path, text, sizeof(text)) || sscanf(text, "%*d (%31[^)]", name) != 1)
		return 1;
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu", &minor, &major) != 2)
		return 1;
	return printf("%llu %s %s %llu %llu %llu %llu\n", at_ns, tid, name, run_ns, delay_ns, minor, major) < 0;
}

static int sample(const char *pid, int rounds)
{
	const struct sched_param priority = { .sched_priority = 50 };
	uint64_t next_ns = now_ns();
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/task", pid);
	if (sched_setscheduler(0, SCHED_FIFO, &priority))
		return 1;
	for (int i = 0; i < rounds; i++, next_ns += 1000000000) {
		const struct timespec next = { (time_t)(next_ns / 1000000000), (long)(next_ns % 1000000000) };
		DIR *tasks;
		struct dirent *task;

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		tasks = opendir(path);
		if (!tasks)
			return 1;
		while ((task = readdir(tasks)))
			if (task->d_name[0] != '.' && sample_thread(pid, task->d_name))
				return 1;
		closedir(tasks);
	}
	return fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "run")) {
		device = argv[2];
		return run();
	}
	if (argc == 3 && !strcmp(argv[1], "press"))
		return press((size_t)atoi(argv[2]) << 20);
	if (argc == 4 && !strcmp(argv[1], "sample"))
		return sample(argv[2], atoi(argv[3]));
	return 2;
}
