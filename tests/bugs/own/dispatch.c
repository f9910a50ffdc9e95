// SPDX-License-Identifier: GPL-2.0-only
/* A server in the shape of an event loop that hands whole requests to four workers. */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "work.h"

#define WORKERS 4

static int loop;
static struct conn *first, **last = &first;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;

STEP static void push_request(struct conn *conn)
{
	pthread_mutex_lock(&queue_lock);
	conn->next = NULL;
	*last = conn;
	last = &conn->next;
	pthread_cond_signal(&queued);
	pthread_mutex_unlock(&queue_lock);
}

STEP static struct conn *pop_request(void)
{
	struct conn *conn;

	pthread_mutex_lock(&queue_lock);
	while (!first)
		pthread_cond_wait(&queued, &queue_lock);
	conn = first;
	first = conn->next;
	if (!first)
		last = &first;
	pthread_mutex_unlock(&queue_lock);
	return conn;
}

/* One event, then none until it is asked for again: a connection is at one place only. */
STEP static void watch(struct conn *conn, int how)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLONESHOT, .data.ptr = conn };

	if (epoll_ctl(loop, how, conn->fd, &event))
		die("epoll_ctl");
}

STEP static void *work(void *unused)
{
	for (;;) {
		struct conn *conn = pop_request();

		if (serve_request(conn))
			watch(conn, EPOLL_CTL_MOD);
		else
			conn_close(conn);
	}
	return unused;
}

STEP static void handle_event(struct conn *conn)
{
	enum got got = read_request(conn);

	if (got == GOT_REQUEST)
		push_request(conn);
	else if (got == GOT_PART)
		watch(conn, EPOLL_CTL_MOD);
	else
		conn_close(conn);
}

int main(int argc, char **argv)
{
	int listener = work_begin(argc, argv), fd;
	struct epoll_event event = { .events = EPOLLIN };
	pthread_t thread;

	loop = epoll_create1(EPOLL_CLOEXEC);
	fcntl(listener, F_SETFL, O_NONBLOCK);
	if (epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event))
		die("epoll_ctl");
	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&thread, NULL, work, NULL))
			die("pthread_create");
	for (;;) {
		struct epoll_event ready[16];
		int count = epoll_wait(loop, ready, 16, -1);

		for (int i = 0; i < count; i++) {
			if (ready[i].data.ptr)
				handle_event(ready[i].data.ptr);
			else
				while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0)
					watch(conn_open(fd), EPOLL_CTL_ADD);
		}
	}
}
