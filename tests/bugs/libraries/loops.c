// SPDX-License-Identifier: GPL-2.0-only
/* A web server on libevent's bufferevents: three loops in threads, to which another thread gives connections. */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "kinds.h"

#define LOOPS 3

static int given[LOOPS][2];

static void on_input(struct bufferevent *client, void *user)
{
	struct evbuffer *input = bufferevent_get_input(client);
	char request[1024], answer[ANSWER_MAX];

	(void)user;
	for (;;) {
		const struct evbuffer_ptr end = evbuffer_search(input, "\r\n\r\n", 4, NULL);

		if (end.pos < 0 || (size_t)end.pos + 4 > sizeof(request))
			return;
		evbuffer_remove(input, request, (size_t)end.pos + 4);
		bufferevent_write(client, answer, kinds_answer(request, (size_t)end.pos, answer));
	}
}

static void on_end(struct bufferevent *client, short what, void *user)
{
	(void)what;
	(void)user;
	bufferevent_free(client);
}

static void on_given(int fd, short what, void *user)
{
	struct bufferevent *client;
	int accepted;

	(void)what;
	if (read(fd, &accepted, sizeof(accepted)) != sizeof(accepted))
		return;
	client = bufferevent_socket_new(user, accepted, BEV_OPT_CLOSE_ON_FREE);
	bufferevent_setcb(client, on_input, NULL, on_end, NULL);
	bufferevent_enable(client, EV_READ | EV_WRITE);
}

static void *run_loop(void *user)
{
	struct event_base *base = event_base_new();

	event_add(event_new(base, *(int *)user, EV_READ | EV_PERSIST, on_given, base), NULL);
	event_base_dispatch(base);
	return NULL;
}

static void on_client(struct evconnlistener *listener, int fd, struct sockaddr *address, int bytes, void *user)
{
	static unsigned int next;

	(void)listener;
	(void)address;
	(void)bytes;
	(void)user;
	kinds_accepted(fd);
	if (write(given[next++ % LOOPS][1], &fd, sizeof(fd)) != sizeof(fd))
		abort();
}

int main(int argc, char **argv)
{
	const int listener = kinds_listen(kinds_begin(argc, argv));
	struct event_base *base = event_base_new();

	for (int i = 0; i < LOOPS; i++) {
		pthread_t thread;

		if (pipe(given[i]) || pthread_create(&thread, NULL, run_loop, &given[i][0]))
			return 1;
	}
	evutil_make_socket_nonblocking(listener);
	if (!evconnlistener_new(base, on_client, NULL, LEV_OPT_CLOSE_ON_FREE, -1, listener))
		return 1;
	return event_base_dispatch(base);
}
