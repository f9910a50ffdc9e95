// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call getppid() on one processor, and on several at once, and print the time of a call.
 *
 * Usage: processors N...      N at once, one number after the other
 * A process on each of N processors makes its calls in short rounds, all of them at the same time.
 * Prints "N ns" for each N: a call in the median round of all processes, by the clock.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS 300u
#define ROUNDS 3000u

struct shared {
	unsigned int ready;
	unsigned int zero[15];
	uint32_t round_ns[]; /* ROUNDS of each process */
};

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void work(struct shared *shared, unsigned int cpu, unsigned int count)
{
	uint32_t *round_ns = shared->round_ns + (size_t)cpu * ROUNDS;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		_exit(1);
	__atomic_add_fetch(&shared->ready, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) < count)
		sched_yield();
	for (unsigned int round = 0; round < ROUNDS; round++) {
		uint64_t begin = now_ns();

		for (unsigned int i = 0; i < CALLS; i++)
			getppid();
		round_ns[round] = (uint32_t)(now_ns() - begin);
	}
	_exit(0);
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int measure(unsigned int count)
{
	size_t rounds = (size_t)count * ROUNDS, bytes = sizeof(struct shared) + rounds * sizeof(uint32_t);
	struct shared *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int failed = shared == MAP_FAILED, status;

	for (unsigned int cpu = 0; !failed && cpu < count; cpu++) {
		pid_t pid = fork();

		if (!pid)
			work(shared, cpu, count);
		failed = pid < 0;
	}
	while (wait(&status) > 0)
		failed |= status;
	if (failed) {
		fprintf(stderr, "processors: cannot use %u processors\n", count);
		return 1;
	}
	qsort(shared->round_ns, rounds, sizeof(uint32_t), by_value);
	printf("%u %.1f\n", count, (double)shared->round_ns[rounds / 2] / CALLS);
	fflush(stdout);
	munmap(shared, bytes);
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (atoi(argv[i]) < 1 || measure((unsigned int)atoi(argv[i])))
			return 1;
	return 0;
}
