// SPDX-License-Identifier: GPL-2.0-only
/* A web server on libev: one loop. */
#include <ev.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kinds.h"

static void on_input(struct ev_loop *loop, ev_io *client, int events)
{
	char request[1024], answer[ANSWER_MAX];
	const ssize_t bytes = recv(client->fd, request, sizeof(request), 0);

	(void)events;
	if (bytes <= 0 || send(client->fd, answer, kinds_answer(request, (size_t)bytes, answer), 0) < 0) {
		ev_io_stop(loop, client);
		close(client->fd);
		free(client);
	}
}

static void on_client(struct ev_loop *loop, ev_io *listener, int events)
{
	const int fd = accept(listener->fd, NULL, NULL);
	ev_io *client = malloc(sizeof(*client));

	(void)events;
	if (fd < 0 || !client)
		return;
	kinds_accepted(fd);
	ev_io_init(client, on_input, fd, EV_READ);
	ev_io_start(loop, client);
}

int main(int argc, char **argv)
{
	struct ev_loop *loop = ev_default_loop(0);
	ev_io listener;

	ev_io_init(&listener, on_client, kinds_listen(kinds_begin(argc, argv)), EV_READ);
	ev_io_start(loop, &listener);
	return ev_run(loop, 0);
}
