// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads without names that wait for each other in ways with known answers.
 *
 * Usage: waits_work WAY SECONDS [PERCENT]      PERCENT: of its time that a stage takes (100)
 *   knot   four threads queue on a lock and a pipe for one that computes 1 ms for each
 *   even   the same, for a stage that computes as long as each of the four does itself
 *   ring   four threads give one token to each other in turn, and each computes for the same time
 *   pool   a thread hands short work to four, one every 5 ms
 *   asleep four threads queue on a lock, and each sleeps 2 ms while it has it
 *   push   a thread writes blocks into a pipe that is full most of the time, for one that computes 1 ms for each
 *   disk   the same, for one that writes each to the block device WAITS_DEVICE of the environment, which has the time it takes
 * Prints at the end "items N", how many times a stage worked or slept for another thread, and, of knot, asleep and push: "stage RUN KEPT WALL", ns that the stage ran in stage_compute or slept in
 * stage_asleep, of that at least how much while another thread slept for it, and that went by. A thread that waits for a CPU does not sleep.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define BLOCK 16384

static int ask[2], answer[2], ring[THREADS][2], device;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static unsigned queued;
static atomic_int waiting;
static uint64_t stage_rounds, own_rounds, stage_percent = 100, items;
static volatile uint64_t stage_ns;				  /* in stage_compute */
static volatile uint64_t kept_ns;				  /* of it, while another thread slept for it */
static volatile uint64_t turn_begin_ns, turn_end_ns, turn_run_ns; /* the stage's last turn, and how long it ran in it */
static volatile uint64_t sum;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline __attribute__((always_inline)) void turn(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		sum += i;
}

static __attribute__((noinline)) void stage_compute(void)
{
	turn(stage_rounds);
	__asm__ volatile("");
}

static __attribute__((noinline)) void own_compute(void)
{
	turn(own_rounds);
	__asm__ volatile("");
}

/* The program's progress. The one who has the lock, or is alone, calls it. */
static __attribute__((noinline)) void item_done(void)
{
	items++;
	__asm__ volatile("");
}

static void timed_stage(void)
{
	const uint64_t begin_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);

	turn_begin_ns = now_ns(CLOCK_MONOTONIC);
	stage_compute();
	turn_end_ns = now_ns(CLOCK_MONOTONIC);
	turn_run_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	stage_ns += turn_run_ns;
}

static void *stage(void *unused)
{
	char byte;

	while (read(ask[0], &byte, 1) == 1) {
		timed_stage();
		if (write(answer[1], &byte, 1) != 1)
			break;
	}
	return unused;
}

/* The stage's last turn, from that time on. The one who asked for it has the lock. */
static void count_kept(uint64_t from_ns)
{
	const uint64_t since_ns = from_ns > turn_begin_ns ? from_ns : turn_begin_ns;

	if (since_ns < turn_end_ns)
		kept_ns += (uint64_t)((double)turn_run_ns * (double)(turn_end_ns - since_ns) /
				      (double)(turn_end_ns - turn_begin_ns));
}

/* For how long this thread was ready to run and had no CPU. */
static uint64_t queued_ns(void)
{
	unsigned long long ns = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (file && fscanf(file, "%*u %llu", &ns) != 1)
		ns = 0;
	if (file)
		fclose(file);
	return ns;
}

static void *asker(void *unused)
{
	uint64_t asked_ns;
	char byte = 0;

	for (;;) {
		own_compute();
		pthread_mutex_lock(&lock);
		if (write(ask[1], &byte, 1) != 1)
			break;
		asked_ns = now_ns(CLOCK_MONOTONIC);
		if (read(answer[0], &byte, 1) != 1)
			break;
		count_kept(asked_ns);
		item_done();
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static __attribute__((noinline)) void stage_asleep(void)
{
	const struct timespec step = { .tv_nsec = (long)stage_percent * 20000 };

	nanosleep(&step, NULL);
	__asm__ volatile("");
}

/* Threads that want the lock cannot get it while this one sleeps. */
static void *sleeper(void *unused)
{
	uint64_t begin_ns, took_ns;
	bool wanted;

	for (;;) {
		own_compute();
		atomic_fetch_add(&waiting, 1);
		pthread_mutex_lock(&lock);
		wanted = atomic_fetch_sub(&waiting, 1) > 1;
		begin_ns = now_ns(CLOCK_MONOTONIC);
		stage_asleep();
		took_ns = now_ns(CLOCK_MONOTONIC) - begin_ns;
		stage_ns += took_ns;
		kept_ns += wanted ? took_ns : 0;
		item_done();
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *passer(void *which)
{
	const size_t at = (size_t)which;
	char byte;

	while (read(ring[at][0], &byte, 1) == 1) {
		own_compute();
		if (write(ring[(at + 1) % THREADS][1], &byte, 1) != 1)
			break;
	}
	return NULL;
}

static void *worker(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		while (!queued)
			pthread_cond_wait(&work, &lock);
		queued--;
		pthread_mutex_unlock(&lock);
		own_compute();
	}
	return unused;
}

static void *pusher(void *unused)
{
	static char block[BLOCK];
	uint64_t awake_ns;

	while (write(ask[1], block, sizeof(block)) == (ssize_t)sizeof(block)) {
		own_compute();
		/* While this thread ran, and while it had no CPU, the stage may have run as well. */
		awake_ns = queued_ns() + now_ns(CLOCK_THREAD_CPUTIME_ID);
		kept_ns = stage_ns > awake_ns ? stage_ns - awake_ns : 0;
	}
	return unused;
}

static void *puller(void *unused)
{
	static char block[BLOCK];

	while (read(ask[0], block, sizeof(block)) > 0) {
		timed_stage();
		item_done();
	}
	return unused;
}

static __attribute__((noinline)) void stage_write(const char *block)
{
	if (pwrite(device, block, BLOCK, 0) != BLOCK)
		exit(1);
	__asm__ volatile("");
}

static void *writer(void *unused)
{
	static char block[BLOCK] __attribute__((aligned(4096)));

	while (read(ask[0], block, sizeof(block)) > 0) {
		stage_write(block);
		item_done();
	}
	return unused;
}

static void start(void *(*run)(void *), size_t argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, (void *)argument))
		exit(1);
}

/* Rounds in that time on this machine, of the fastest of some. */
static uint64_t rounds_in(uint64_t ns)
{
	const uint64_t rounds = 1000000;
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < 20; i++) {
		const uint64_t begin_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);

		turn(rounds);
		if (now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns < least_ns)
			least_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns;
	}
	return (uint64_t)((double)rounds * (double)ns / (double)least_ns);
}

static void begin(const char *way)
{
	if (!strcmp(way, "knot") || !strcmp(way, "even"))
		start(stage, 0);
	if (!strcmp(way, "disk")) {
		const char *path = getenv("WAITS_DEVICE");

		device = path ? open(path, O_WRONLY | O_DIRECT | O_CLOEXEC) : -1;
		if (device < 0)
			exit(1);
	}
	if (!strcmp(way, "push") || !strcmp(way, "disk")) {
		start(strcmp(way, "disk") ? puller : writer, 0);
		start(pusher, 0);
		return;
	}
	for (size_t i = 0; i < THREADS; i++) {
		if (pipe(ring[i]))
			exit(1);
		start(!strcmp(way, "ring")     ? passer
		      : !strcmp(way, "pool")   ? worker
		      : !strcmp(way, "asleep") ? sleeper
					       : asker,
		      i);
	}
	if (!strcmp(way, "ring") && write(ring[0][1], "", 1) != 1)
		exit(1);
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	const uint64_t length_ns = argc > 2 ? (uint64_t)(atof(argv[2]) * 1e9) : 1000000000;
	uint64_t begin_ns;

	if (argc > 3)
		stage_percent = strtoull(argv[3], NULL, 10);
	stage_rounds = rounds_in(!strcmp(way, "even") ? 100000 : 1000000) * stage_percent / 100;
	own_rounds = rounds_in(!strcmp(way, "ring") ? 300000 : !strcmp(way, "even") ? 400000 : 50000);
	if (pipe(ask) || pipe(answer))
		return 1;
	begin(way);
	begin_ns = now_ns(CLOCK_MONOTONIC);
	while (now_ns(CLOCK_MONOTONIC) < begin_ns + length_ns) {
		/* A call of its own, so that a speedup of nanosleep is one of the threads alone. */
		poll(NULL, 0, 5);
		if (strcmp(way, "pool"))
			continue;
		pthread_mutex_lock(&lock);
		queued++;
		pthread_cond_signal(&work);
		pthread_mutex_unlock(&lock);
	}
	printf("items %llu\n", (unsigned long long)items);
	printf("stage %llu %llu %llu\n", (unsigned long long)stage_ns, (unsigned long long)kept_ns,
	       (unsigned long long)(now_ns(CLOCK_MONOTONIC) - begin_ns));
	return 0;
}
