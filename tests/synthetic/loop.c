// SPDX-License-Identifier: GPL-2.0-only
/* Event loops of a synthetic server, by epoll, poll or select. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>

#include "skeleton.h"

#define FDS 4096
#define EVENTS 64
#define RETURNS 4096

struct loop {
	const struct profile *profile;
	int listener; /* -1: another thread accepts */
	int epoll;    /* -1: poll or select */
	int bell;     /* written when there are answers to send, or connections to poll */
	bool select;
	pthread_mutex_t lock;
	struct client returned[RETURNS];
	unsigned first, count;
	struct client *client[FDS]; /* by descriptor */
	int top;
};

static void stop(const char *what)
{
	perror(what);
	exit(1);
}

static void watch(struct loop *loop, int fd)
{
	struct epoll_event event = { .events = EPOLLIN | (fd == loop->listener ? EPOLLEXCLUSIVE : 0), .data.fd = fd };

	if (loop->epoll >= 0 && epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event))
		stop("synthetic: epoll_ctl");
}

struct loop *loop_create(const struct profile *profile, int listener)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		stop("synthetic: a loop");
	loop->profile = profile;
	loop->listener = listener;
	loop->select = !strcmp(profile->model, "select");
	loop->epoll = loop->select || !strcmp(profile->model, "poll") ? -1 : epoll_create1(EPOLL_CLOEXEC);
	pthread_mutex_init(&loop->lock, NULL);
	loop->bell = -1;
	if (listener >= 0) {
		fcntl(listener, F_SETFL, O_NONBLOCK);
		watch(loop, listener);
	}
	if (plan_return(profile, 1, 0).path || loop->epoll < 0) {
		loop->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		watch(loop, loop->bell);
	}
	return loop;
}

void loop_add(struct loop *loop, int fd, uint16_t port)
{
	const uint64_t one = 1;
	struct client *client = calloc(1, sizeof(*client));

	if (!client || fd >= FDS || (loop->select && fd >= FD_SETSIZE)) {
		free(client);
		close(fd);
		return;
	}
	fcntl(fd, F_SETFL, O_NONBLOCK);
	*client = (struct client){ .fd = fd, .port = port };
	__atomic_store_n(&loop->client[fd], client, __ATOMIC_RELEASE);
	if (fd > __atomic_load_n(&loop->top, __ATOMIC_RELAXED))
		__atomic_store_n(&loop->top, fd, __ATOMIC_RELEASE);
	watch(loop, fd);
	if (loop->epoll < 0 && loop->listener < 0 && write(loop->bell, &one, sizeof(one)) < 0)
		stop("synthetic: a bell");
}

void loop_return(struct loop *loop, const struct client *client)
{
	const uint64_t one = 1;

	pthread_mutex_lock(&loop->lock);
	loop->returned[(loop->first + loop->count++) % RETURNS] = *client;
	pthread_mutex_unlock(&loop->lock);
	if (write(loop->bell, &one, sizeof(one)) < 0)
		stop("synthetic: a bell");
}

static bool take_returned(struct loop *loop, struct client *ret_client)
{
	bool found;

	pthread_mutex_lock(&loop->lock);
	found = loop->count > 0;
	if (found) {
		*ret_client = loop->returned[loop->first++ % RETURNS];
		loop->count--;
	}
	pthread_mutex_unlock(&loop->lock);
	return found;
}

static void answer_bell(struct loop *loop, uint64_t since_ns)
{
	struct client client;
	uint64_t rings;

	if (read(loop->bell, &rings, sizeof(rings)) < 0 && errno != EAGAIN)
		stop("synthetic: a bell");
	while (take_returned(loop, &client)) {
		const struct unit unit = plan_return(loop->profile, client.port, client.turn);

		steps_make(unit, &client, since_ns, false);
		since_ns = steps_now_ns();
	}
}

static void accept_all(struct loop *loop)
{
	uint16_t port;
	int fd = skeleton_accept(loop->listener, &port);

	if (fd >= 0)
		loop_add(loop, fd, port);
}

static void handle(struct loop *loop, int fd, uint64_t since_ns)
{
	struct client *client;

	if (fd == loop->bell) {
		answer_bell(loop, since_ns);
		return;
	}
	if (fd == loop->listener) {
		accept_all(loop);
		return;
	}
	client = __atomic_load_n(&loop->client[fd], __ATOMIC_ACQUIRE);
	if (!client)
		return;
	skeleton_serve(loop->profile, client, loop, since_ns, false);
	if (client->gone) {
		loop->client[fd] = NULL;
		free(client);
		close(fd);
	}
}

static void run_epoll(struct loop *loop)
{
	struct epoll_event event[EVENTS];

	for (;;) {
		const int count = epoll_wait(loop->epoll, event, EVENTS, -1);
		uint64_t since_ns = steps_now_ns();

		for (int i = 0; i < count; i++) {
			handle(loop, event[i].data.fd, since_ns);
			since_ns = steps_now_ns();
		}
	}
}

static bool polls(const struct loop *loop, int fd)
{
	return fd == loop->listener || fd == loop->bell || __atomic_load_n(&loop->client[fd], __ATOMIC_ACQUIRE);
}

static int top_of(const struct loop *loop)
{
	int top = __atomic_load_n(&loop->top, __ATOMIC_ACQUIRE);

	top = loop->listener > top ? loop->listener : top;
	return loop->bell > top ? loop->bell : top;
}

static void run_poll(struct loop *loop)
{
	static __thread struct pollfd set[FDS];

	for (;;) {
		uint64_t since_ns;
		nfds_t count = 0;

		for (int fd = 0; fd <= top_of(loop); fd++)
			if (polls(loop, fd))
				set[count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		if (poll(set, count, -1) < 0)
			continue;
		since_ns = steps_now_ns();
		for (nfds_t i = 0; i < count; i++) {
			if (!set[i].revents)
				continue;
			handle(loop, set[i].fd, since_ns);
			since_ns = steps_now_ns();
		}
	}
}

static void run_select(struct loop *loop)
{
	fd_set set;

	for (;;) {
		const int top = top_of(loop);
		uint64_t since_ns;

		FD_ZERO(&set);
		for (int fd = 0; fd <= top; fd++)
			if (polls(loop, fd))
				FD_SET(fd, &set);
		if (select(top + 1, &set, NULL, NULL, NULL) < 0)
			continue;
		since_ns = steps_now_ns();
		for (int fd = 0; fd <= top; fd++) {
			if (!FD_ISSET(fd, &set))
				continue;
			handle(loop, fd, since_ns);
			since_ns = steps_now_ns();
		}
	}
}

void loop_run(struct loop *loop)
{
	if (loop->epoll >= 0)
		run_epoll(loop);
	else if (loop->select)
		run_select(loop);
	else
		run_poll(loop);
}
