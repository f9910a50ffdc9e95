// SPDX-License-Identifier: GPL-2.0-only
/*
 * A thread that holds a mutex forever, and one that waits for it; or threads that wait for each other's mutexes.
 *
 * Usage: owner_work KIND
 *   normal recursive errorcheck adaptive robust shared pi pi-robust protect | circle COUNT
 * Prints "PID WAITER OWNER", the numbers of the process and the two threads, and waits. A circle prints "PID THREAD...", each
 * of which waits for the mutex of the next one, and the last for that of the first. Exit status 77: the C library, or this host,
 * has no such mutex.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock;
static pthread_barrier_t locked;
static long owner;

#define CIRCLE_MOST 8

static pthread_mutex_t each[CIRCLE_MOST];
static long member[CIRCLE_MOST];
static size_t members;

static long self(void)
{
	return syscall(SYS_gettid);
}

static void *own(void *unused)
{
	owner = self();
	if (pthread_mutex_lock(&lock))
		exit(77);
	pthread_barrier_wait(&locked);
	for (;;)
		pause();
	return unused;
}

static void *want(void *unused)
{
	pthread_barrier_wait(&locked);
	printf("%d %ld %ld\n", getpid(), self(), owner);
	fflush(stdout);
	pthread_mutex_lock(&lock);
	return unused;
}

static void *close_circle(void *which)
{
	const size_t at = (size_t)which;

	member[at] = self();
	pthread_mutex_lock(&each[at]);
	pthread_barrier_wait(&locked);
	pthread_mutex_lock(&each[(at + 1) % members]);
	return NULL;
}

static int be_circle(size_t count)
{
	pthread_t thread;

	members = count;
	pthread_barrier_init(&locked, NULL, (unsigned)count + 1);
	for (size_t i = 0; i < count; i++) {
		pthread_mutex_init(&each[i], NULL);
		if (pthread_create(&thread, NULL, close_circle, (void *)i))
			return 1;
	}
	pthread_barrier_wait(&locked);
	printf("%d", getpid());
	for (size_t i = 0; i < count; i++)
		printf(" %ld", member[i]);
	printf("\n");
	fflush(stdout);
	for (;;)
		pause();
}

static void need(int err)
{
	if (err)
		exit(77);
}

/* A mutex with a ceiling is for threads with a real-time policy. */
static void protect(pthread_mutexattr_t *attributes, pthread_attr_t *thread)
{
	const struct sched_param lowest = { .sched_priority = 1 };

#ifdef __GLIBC__
	need(pthread_mutexattr_setprotocol(attributes, PTHREAD_PRIO_PROTECT));
	need(pthread_mutexattr_setprioceiling(attributes, 2));
#else
	(void)attributes;
	exit(77);
#endif
	need(pthread_attr_setinheritsched(thread, PTHREAD_EXPLICIT_SCHED));
	need(pthread_attr_setschedpolicy(thread, SCHED_FIFO));
	need(pthread_attr_setschedparam(thread, &lowest));
}

static void choose(const char *kind, pthread_mutexattr_t *attributes, pthread_attr_t *thread)
{
	if (!strcmp(kind, "recursive"))
		need(pthread_mutexattr_settype(attributes, PTHREAD_MUTEX_RECURSIVE));
	else if (!strcmp(kind, "errorcheck"))
		need(pthread_mutexattr_settype(attributes, PTHREAD_MUTEX_ERRORCHECK));
	else if (!strcmp(kind, "shared"))
		need(pthread_mutexattr_setpshared(attributes, PTHREAD_PROCESS_SHARED));
	else if (!strcmp(kind, "protect"))
		protect(attributes, thread);
	else if (!strcmp(kind, "adaptive"))
#ifdef __GLIBC__
		need(pthread_mutexattr_settype(attributes, PTHREAD_MUTEX_ADAPTIVE_NP));
#else
		exit(77);
#endif
	if (strstr(kind, "robust"))
		need(pthread_mutexattr_setrobust(attributes, PTHREAD_MUTEX_ROBUST));
	if (!strncmp(kind, "pi", 2))
		need(pthread_mutexattr_setprotocol(attributes, PTHREAD_PRIO_INHERIT));
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attributes;
	pthread_attr_t thread;
	pthread_t started;

	if (argc == 3 && !strcmp(argv[1], "circle") && atoi(argv[2]) > 0 && atoi(argv[2]) <= CIRCLE_MOST)
		return be_circle((size_t)atoi(argv[2]));
	pthread_attr_init(&thread);
	pthread_mutexattr_init(&attributes);
	choose(argc > 1 ? argv[1] : "", &attributes, &thread);
	need(pthread_mutex_init(&lock, &attributes));
	pthread_barrier_init(&locked, NULL, 2);
	need(pthread_create(&started, &thread, own, NULL));
	need(pthread_create(&started, &thread, want, NULL));
	for (;;)
		pause();
}
