// SPDX-License-Identifier: GPL-2.0-only
/* Servers with a pool of threads: one takes requests, the others work. */
#define _GNU_SOURCE
#include "units_work.h"

#include <sys/eventfd.h>

#define QUEUE 1024

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int fd[QUEUE];
	unsigned first, count;
};

static struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };
static struct queue done = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };
static int doorbell = -1; /* -1: workers answer themselves */

static void put(struct queue *to, int fd)
{
	pthread_mutex_lock(&to->lock);
	to->fd[(to->first + to->count++) % QUEUE] = fd;
	pthread_cond_signal(&to->more);
	pthread_mutex_unlock(&to->lock);
}

static int get(struct queue *from, bool wait)
{
	int fd = -1;

	pthread_mutex_lock(&from->lock);
	while (wait && !from->count)
		pthread_cond_wait(&from->more, &from->lock);
	if (from->count) {
		fd = from->fd[from->first++ % QUEUE];
		from->count--;
	}
	pthread_mutex_unlock(&from->lock);
	return fd;
}

static void *worker(void *unused)
{
	const uint64_t one = 1;

	(void)unused;
	for (;;) {
		int fd = get(&queue, true);

		if (doorbell < 0) {
			answer(fd);
			continue;
		}
		work();
		put(&done, fd);
		check(write(doorbell, &one, sizeof(one)) == sizeof(one), "doorbell");
	}
	return NULL;
}

static bool hand_over(int fd)
{
	uint64_t rings;

	if (fd == doorbell) {
		check(read(fd, &rings, sizeof(rings)) > 0, "doorbell");
		while ((fd = get(&done, false)) >= 0)
			answer(fd);
		return true;
	}
	if (!take(fd))
		return false;
	put(&queue, fd);
	return true;
}

static void start_workers(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		check(!pthread_create(&thread, NULL, worker, NULL), "thread");
}

void pool(void)
{
	start_workers();
	serve_epoll(hand_over, EPOLLIN);
}

static void ring_back(int epoll)
{
	doorbell = eventfd(0, EFD_CLOEXEC);
	watch(epoll, doorbell, EPOLLIN);
}

/* The loop answers in a later turn, when a worker is done. */
void pool_back(void)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ring_back(epoll);
	start_workers();
	unblock(listener);
	watch(epoll, listener, EPOLLIN);
	for (;;) {
		struct epoll_event event;
		int fd;

		if (epoll_wait(epoll, &event, 1, -1) != 1)
			continue;
		if (event.data.fd != listener) {
			if (!hand_over(event.data.fd))
				close(event.data.fd);
		} else if ((fd = take_client()) >= 0) {
			watch(epoll, fd, EPOLLIN);
		}
	}
}

/* Workers are handed connections, and read themselves. */
static void *connection_worker(void *unused)
{
	(void)unused;
	for (;;) {
		int fd = get(&queue, true);

		serve_timed(fd);
		close(fd);
	}
	return NULL;
}

void pool_connections(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		check(!pthread_create(&thread, NULL, connection_worker, NULL), "thread");
	for (;;) {
		int fd = take_client();

		check(fd >= 0, "accept");
		put(&queue, fd);
	}
}

void datagrams(void)
{
	for (;;) {
		struct sockaddr_in from;
		socklen_t length = sizeof(from);
		char text[MESSAGE];
		ssize_t got = recvfrom(listener, text, sizeof(text), 0, (struct sockaddr *)&from, &length);

		check(got >= 0, "recvfrom");
		work();
		check(sendto(listener, text, (size_t)got, 0, (struct sockaddr *)&from, length) == got, "sendto");
	}
}
