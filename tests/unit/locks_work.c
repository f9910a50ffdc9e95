// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that wait for one lock of a given kind, and record their waits in a ledger.
 *
 * Usage: locks_work KIND [THREADS]     mutex recursive timed c11 pi read write condition semaphore
 * Three threads take the lock for 15 ms each, eight times. With more threads, which queue for it, each takes it for 2 ms, four times.
 * Prints "ready PID", waits for a line, and then prints "ledger {…}": one JSON object with the times of waits of 1 ms and
 * more, by the thread's own clock, in ns. Ends with the next line. 77: this system has no such lock.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX 300
#define WAIT_NS 1000000

static pthread_mutex_t mutex;
static mtx_t c11;
static pthread_rwlock_t rwlock;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static pthread_barrier_t barrier;
static const char *kind;
static int threads = 3, turns = 8;
static uint64_t hold_ns = 15000000;
static int turns_left;

static struct ledger {
	unsigned waits;
	uint64_t wait_ns;
} ledger[THREADS_MAX];

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void rest(uint64_t ns)
{
	nanosleep(&(struct timespec){ 0, (long)ns }, NULL);
}

static int lock(int thread)
{
	struct timespec until;

	if (!strcmp(kind, "c11"))
		return mtx_lock(&c11) != thrd_success;
	if (!strcmp(kind, "semaphore"))
		return sem_wait(&semaphore);
	/* Of read, thread 0 writes. */
	if (!strcmp(kind, "read") && thread)
		return pthread_rwlock_rdlock(&rwlock);
	if (!strcmp(kind, "read") || !strcmp(kind, "write"))
		return pthread_rwlock_wrlock(&rwlock);
	if (strcmp(kind, "timed"))
		return pthread_mutex_lock(&mutex);
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	return pthread_mutex_timedlock(&mutex, &until);
}

static int unlock(void)
{
	if (!strcmp(kind, "c11"))
		return mtx_unlock(&c11) != thrd_success;
	if (!strcmp(kind, "semaphore"))
		return sem_post(&semaphore);
	if (!strcmp(kind, "read") || !strcmp(kind, "write"))
		return pthread_rwlock_unlock(&rwlock);
	return pthread_mutex_unlock(&mutex);
}

static void note(int thread, uint64_t wait_ns)
{
	if (wait_ns < WAIT_NS)
		return;
	ledger[thread].waits++;
	ledger[thread].wait_ns += wait_ns;
}

/* Thread 0 gives turns, the others wait for them. */
static void *signals(void *user)
{
	const int thread = (int)(intptr_t)user;
	uint64_t begin_ns;

	pthread_barrier_wait(&barrier);
	for (int i = 0; thread == 0 && i < 2 * turns; i++) {
		rest(hold_ns);
		pthread_mutex_lock(&mutex);
		turns_left++;
		pthread_mutex_unlock(&mutex);
		pthread_cond_signal(&condition);
	}
	for (int i = 0; thread && i < turns; i++) {
		rest(hold_ns / 3);
		pthread_mutex_lock(&mutex);
		begin_ns = now_ns();
		while (!turns_left)
			pthread_cond_wait(&condition, &mutex);
		note(thread, now_ns() - begin_ns);
		turns_left--;
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static void *takes(void *user)
{
	const int thread = (int)(intptr_t)user;
	uint64_t begin_ns;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < turns; i++) {
		/* A timer gives it work: what it waits for before the first is no part of its work. */
		rest(hold_ns / 3);
		begin_ns = now_ns();
		if (lock(thread))
			return user;
		note(thread, now_ns() - begin_ns);
		rest(hold_ns);
		if (unlock())
			return user;
	}
	return NULL;
}

static int make(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	if (!strcmp(kind, "recursive"))
		pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	if (!strcmp(kind, "pi") && pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT))
		return 77;
	if (pthread_mutex_init(&mutex, &attributes) == ENOTSUP)
		return 77;
	return mtx_init(&c11, mtx_plain) != thrd_success || pthread_rwlock_init(&rwlock, NULL) ||
	       sem_init(&semaphore, 0, 1) || pthread_barrier_init(&barrier, NULL, (unsigned)threads);
}

int main(int argc, char **argv)
{
	pthread_t thread[THREADS_MAX];
	struct ledger sum = { 0, 0 };
	char line[16];
	int status;

	if (argc == 3) {
		threads = atoi(argv[2]);
		turns = 4;
		hold_ns = 2000000;
	}
	if (argc < 2 || argc > 3 || threads < 3 || threads > THREADS_MAX)
		return 2;
	kind = argv[1];
	status = make();
	if (status)
		return status;
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (intptr_t i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, strcmp(kind, "condition") ? takes : signals, (void *)i))
			return 1;
	for (int i = 0; i < threads; i++) {
		void *failed;

		pthread_join(thread[i], &failed);
		if (failed)
			return 1;
		sum.waits += ledger[i].waits;
		sum.wait_ns += ledger[i].wait_ns;
	}
	printf("ledger {\"waits\":%u,\"wait_ns\":%llu}\n", sum.waits, (unsigned long long)sum.wait_ns);
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin);
}
