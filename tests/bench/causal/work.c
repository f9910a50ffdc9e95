// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs in which one place can really be made faster, to compare with the prediction of an experiment.
 *
 * Usage: [UNIT=100000] work NAME PERCENT SECONDS      UNIT: times round a loop that are a unit of work
 *
 * By turns of 0.1 s the place does all it has to, and PERCENT less. Prints for each of these two the
 * visits of done() and the time in ns. Short turns, since a busy host changes its speed all the time.
 *
 *   serial     a thread: f 3 units of work, g 1. f: 0.75
 *   stages     a thread sleeps 0.2 ms, the next works 2 units in b. b: 1
 *   beside     a thread works 2 units; another 0.3 in c, then sleeps 2 ms. c: 0
 *   lock       two threads: 2 units in d under a mutex, 1 without it. d: 1 up to 50 %
 *   sleep      a thread works 1 unit, then sleeps 1 ms. The sleep: its share of the time
 *   processes  as stages, but each a process, a pipe between. b: 1
 *   futex      as lock, the lock made of futex calls alone. e: 1 up to 50 %
 *   race       two threads, 6.7 units in a and 6.4; who comes first waits for the other. a: 0.09
 *              (Coz, SOSP 2015, figure 1)
 *   chains     a thread walks a chain of a hash table, 2 units in walk, then packs what it found, 1
 *              unit. walk: 0.67 (dedup there)
 *
 * Each place is one line, since Coz looks at lines; -gdwarf-3, since its reader knows no newer one.
 */
#define _GNU_SOURCE
#include <coz.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SITE __attribute__((noinline, noclone))

static long unit = 100000; /* of work, in times round a loop */

/* Shared with processes. */
static uint64_t *visits;
static long *percent; /* of the work that is left at the place */

SITE void done(void)
{
	__atomic_fetch_add(visits, 1, __ATOMIC_RELAXED);
	COZ_PROGRESS_NAMED("done");
}

static long part(long units_by_100)
{
	return unit / 100 * units_by_100 / 100 * __atomic_load_n(percent, __ATOMIC_RELAXED);
}

static void rest(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

SITE void other(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		;
}

SITE void f(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		; /* place f */
}

SITE void a(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		; /* place a */
}

SITE void b(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		; /* place b */
}

SITE void c(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		; /* place c */
}

SITE void d(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		; /* place d */
}

SITE void e(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		; /* place e */
}

SITE void doze(long ns)
{
	rest(ns); /* place doze */
}

static void *serial(void *unused)
{
	for (;;) {
		f(part(300));
		other(unit);
		done();
	}
	return unused;
}

static int pipes[2];

static void *feeder(void *unused)
{
	static char page[4096];

	for (;;) {
		rest(200000);
		if (write(pipes[1], page, sizeof(page)) != sizeof(page))
			exit(1);
	}
	return unused;
}

static void *fed(void *unused)
{
	static char page[4096];

	while (read(pipes[0], page, sizeof(page)) == sizeof(page)) {
		b(part(200));
		done();
	}
	return unused;
}

static void *mainline(void *unused)
{
	for (;;) {
		other(2 * unit);
		done();
	}
	return unused;
}

static void *beside(void *unused)
{
	for (;;) {
		c(part(30));
		rest(2000000);
	}
	return unused;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *locker(void *unused)
{
	for (;;) {
		pthread_mutex_lock(&mutex);
		d(part(200));
		done();
		pthread_mutex_unlock(&mutex);
		other(unit);
	}
	return unused;
}

/* 0 free, 1 held, 2 held and waited for: Drepper, Futexes Are Tricky, section 5. */
static uint32_t word;

static void futex_lock(void)
{
	uint32_t was = 0;

	if (__atomic_compare_exchange_n(&word, &was, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

static void futex_unlock(void)
{
	if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *futex_locker(void *unused)
{
	for (;;) {
		futex_lock();
		e(part(200));
		done();
		futex_unlock();
		other(unit);
	}
	return unused;
}

static pthread_barrier_t meeting;

static void *longer(void *unused)
{
	for (;;) {
		a(part(670));
		pthread_barrier_wait(&meeting);
		done();
	}
	return unused;
}

static void *shorter(void *unused)
{
	for (;;) {
		other(unit / 100 * 640);
		pthread_barrier_wait(&meeting);
	}
	return unused;
}

static struct link {
	struct link *next;
} table[1024];

/* Each link that is followed is one turn of work. */
SITE struct link *walk(struct link *at, long links)
{
	for (volatile long i = 0; i < links; i++)
		at = at->next; /* place walk */
	return at;
}

static void *packer(void *unused)
{
	struct link *at = table;

	for (size_t i = 0; i < 1024; i++)
		table[i].next = &table[(i * 5 + 1) % 1024];
	for (;;) {
		at = walk(at, part(200));
		other(unit);
		done();
	}
	return unused;
}

static void *sleeper(void *unused)
{
	for (;;) {
		other(unit);
		doze(10000 * __atomic_load_n(percent, __ATOMIC_RELAXED));
		done();
	}
	return unused;
}

static const struct {
	const char *name;
	void *(*thread[2])(void *unused);
} programs[] = {
	{ "serial", { serial } },
	{ "stages", { feeder, fed } },
	{ "beside", { mainline, beside } },
	{ "lock", { locker, locker } },
	{ "sleep", { sleeper } },
	{ "processes", { feeder } },
	{ "futex", { futex_locker, futex_locker } },
	{ "race", { longer, shorter } },
	{ "chains", { packer } },
};

static int start(const char *name)
{
	pthread_t thread;

	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(name, programs[i].name))
			continue;
		for (size_t j = 0; j < 2 && programs[i].thread[j]; j++)
			if (pthread_create(&thread, NULL, programs[i].thread[j], NULL))
				return -1;
		return 0;
	}
	return -1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Each of an even number of turns is added to one of the two sums. */
static void take_turns(long less, int turns)
{
	uint64_t sum[2] = { 0 }, ns[2] = { 0 };

	for (int i = 0; i < turns; i++) {
		uint64_t before, begin_ns;

		__atomic_store_n(percent, i % 2 ? 100 - less : 100, __ATOMIC_RELAXED);
		before = __atomic_load_n(visits, __ATOMIC_RELAXED);
		begin_ns = now_ns();
		usleep(100000);
		sum[i % 2] += __atomic_load_n(visits, __ATOMIC_RELAXED) - before;
		ns[i % 2] += now_ns() - begin_ns;
	}
	for (int i = 0; i < 2; i++)
		printf("%llu %llu%c", (unsigned long long)sum[i], (unsigned long long)ns[i], i ? '\n' : ' ');
}

int main(int argc, char **argv)
{
	void *shared;

	if (argc != 4)
		return 2;
	if (getenv("UNIT"))
		unit = atol(getenv("UNIT"));
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(pipes) || fcntl(pipes[1], F_SETPIPE_SZ, 4 * 4096) < 0)
		return 1;
	visits = shared;
	pthread_barrier_init(&meeting, NULL, 2);
	percent = (long *)(visits + 8);
	*percent = 100;
	if (!strcmp(argv[1], "processes") && !fork()) {
		close(pipes[1]);
		fed(NULL);
		exit(0);
	}
	if (start(argv[1]))
		return 2;
	usleep(300000);
	take_turns(atoi(argv[2]), 10 * atoi(argv[3]));
	exit(0);
}
