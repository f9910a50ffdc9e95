// SPDX-License-Identifier: GPL-2.0-only
/*
 * A target that does what holds a tracer up.
 *
 * Usage: hostile_target MODE
 *
 * Prints a line when it is as it will stay, and ends with its standard input.
 *
 *   stack   threads whose frames lie below pages that userfaultfd would have to bring in, and nobody
 *           does; half of them sleep for good, the others again and again
 *   turn    a thread that computes
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define THREADS 4
#define PAGE 4096ul
#define ABOVE (64 * 1024)

static int faults = -1; /* nobody reads it */
static atomic_int ready;

static void fail(const char *what)
{
	perror(what);
	exit(77);
}

static void watch_pages(void *from, size_t bytes)
{
	struct uffdio_register region = {
		.range = { (uintptr_t)from, bytes }, .mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (ioctl(faults, UFFDIO_REGISTER, &region))
		fail("UFFDIO_REGISTER");
}

/* Whole pages of the frame that nobody wrote to. */
__attribute__((noinline)) static void sleeps_below(bool for_good)
{
	volatile char never_written[ABOVE];
	uintptr_t first = ((uintptr_t)never_written + 2 * PAGE) & ~(PAGE - 1);

	watch_pages((void *)first, ABOVE - 4 * PAGE);
	ready++;
	do
		usleep(for_good ? 3600u * 1000000u : 5000);
	while (!for_good);
	__asm__ volatile("" : : "r"(never_written) : "memory");
}

static void *sleeper(void *context)
{
	sleeps_below((uintptr_t)context % 2);
	return NULL;
}

static void open_faults(void)
{
	struct uffdio_api api = { .api = UFFD_API };

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api))
		fail("userfaultfd");
}

static void begin_stacks(void)
{
	open_faults();
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, sleeper, (void *)i))
			fail("pthread_create");
	}
	while (ready < THREADS)
		usleep(1000);
}

static volatile unsigned int sum;

/* On the CPU most of the time, in a function of its own. */
__attribute__((noinline)) static void *turn(void *context)
{
	for (;;) {
		for (unsigned int i = 0; i < 2000000; i++)
			sum += i;
		usleep(1000);
	}
	return context;
}

static void begin_turning(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, turn, NULL))
		fail("pthread_create");
}

static const struct mode {
	const char *name;
	void (*begin)(void);
} modes[] = {
	{ "stack", begin_stacks },
	{ "turn", begin_turning },
};

int main(int argc, char **argv)
{
	char byte;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (argc < 2 || strcmp(modes[i].name, argv[1]))
			continue;
		modes[i].begin();
		puts("ready");
		fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
		return 0;
	}
	fputs("hostile_target: which MODE?\n", stderr);
	return 2;
}
