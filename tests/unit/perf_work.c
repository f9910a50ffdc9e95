// SPDX-License-Identifier: GPL-2.0-only
/*
 * Work whose events are known in advance, for the perf source to trace.
 *
 * Usage: perf_work threads COUNT CALLS | forks COUNT CALLS [LAST_PID] | names COUNT CALLS |
 *        holes COUNT CALLS
 *
 * Prints a line when it is ready and begins when it reads one: COUNT threads, or one child after the
 * other, each make CALLS calls of getppid(). Then it prints another line and waits for its end. With
 * LAST_PID the kernel's last number is set to that before the first child (root, and
 * CONFIG_CHECKPOINT_RESTORE). With names the threads make as many calls
 * again as "picked", a second after they took the name, and again under another name; one thread is
 * "picked" all the time and makes none. With holes the calls are sleeps of 50 ms in sleeps_in_hole(),
 * which has 20 KiB on its stack that nobody wrote to, called by calls_into_hole().
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_barrier_t begin, end;
static int calls;

static void call(void)
{
	int i;

	for (i = 0; i < calls; i++) {
		syscall(SYS_getppid);
		usleep(10000);
	}
}

static bool names, holes;

__attribute__((noinline)) static int sleeps_in_hole(void)
{
	volatile char never_written[20480];

	usleep(50000);
	/* Else the compiler has no room made for it. */
	__asm__ volatile("" : : "r"(never_written) : "memory");
	return calls;
}

__attribute__((noinline)) static int calls_into_hole(void)
{
	return sleeps_in_hole() + 1;
}

static void call_by_name(const char *name)
{
	prctl(PR_SET_NAME, name);
	sleep(1);
	call();
}

static void *stay(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "picked");
	pthread_barrier_wait(&begin);
	pause();
	return NULL;
}

static void *work(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&begin);
	if (holes)
		for (int i = 0; i < calls; i++)
			calls_into_hole();
	else
		call();
	if (names) {
		call_by_name("picked");
		call_by_name("other");
	}
	pthread_barrier_wait(&end);
	pause();
	return NULL;
}

static void wait_for_line(void)
{
	char line[16];

	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(1);
}

static int run_threads(unsigned int count)
{
	pthread_attr_t attr;
	pthread_t thread;
	unsigned int i;

	pthread_barrier_init(&begin, NULL, count + 1 + names);
	pthread_barrier_init(&end, NULL, count + 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (i = 0; i < count; i++)
		if (pthread_create(&thread, &attr, work, NULL))
			return 1;
	if (names && pthread_create(&thread, &attr, stay, NULL))
		return 1;
	wait_for_line();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	return 0;
}

static int set_last(const char *last)
{
	FILE *file = fopen("/proc/sys/kernel/ns_last_pid", "we");
	int bad = !file || fputs(last, file) < 0;

	if (file && fclose(file))
		bad = 1;
	return bad;
}

static int run_forks(unsigned int count, const char *last)
{
	unsigned int i;

	wait_for_line();
	if (last && set_last(last))
		return 1;
	for (i = 0; i < count; i++) {
		const pid_t child = fork();

		if (child < 0)
			return 1;
		if (!child) {
			call();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	int status;

	if (argc < 4)
		return 2;
	calls = atoi(argv[3]);
	names = !strcmp(argv[1], "names");
	holes = !strcmp(argv[1], "holes");
	if (names || holes || !strcmp(argv[1], "threads"))
		status = run_threads((unsigned int)atoi(argv[2]));
	else
		status = run_forks((unsigned int)atoi(argv[2]), argc > 4 ? argv[4] : NULL);
	if (status)
		return status;
	puts("done");
	fflush(stdout);
	pause();
	return 0;
}
