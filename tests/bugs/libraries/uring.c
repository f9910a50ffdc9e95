// SPDX-License-Identifier: GPL-2.0-only
/* A web server on io_uring: one thread, which submits accepts, receives and sends, and waits for their ends. */
#include <liburing.h>
#include <stdlib.h>
#include <unistd.h>

#include "kinds.h"

struct client {
	int fd;
	int sends;
	char request[1024], answer[ANSWER_MAX];
};

static struct io_uring ring;

static void submit_receive(struct client *client)
{
	struct io_uring_sqe *entry = io_uring_get_sqe(&ring);

	client->sends = 0;
	io_uring_prep_recv(entry, client->fd, client->request, sizeof(client->request), 0);
	io_uring_sqe_set_data(entry, client);
}

static void submit_send(struct client *client, size_t bytes)
{
	struct io_uring_sqe *entry = io_uring_get_sqe(&ring);

	client->sends = 1;
	io_uring_prep_send(entry, client->fd, client->answer, kinds_answer(client->request, bytes, client->answer), 0);
	io_uring_sqe_set_data(entry, client);
}

static void submit_accept(int listener)
{
	struct io_uring_sqe *entry = io_uring_get_sqe(&ring);

	io_uring_prep_accept(entry, listener, NULL, NULL, 0);
	io_uring_sqe_set_data(entry, NULL);
}

static void on_client(int listener, int fd)
{
	struct client *client = calloc(1, sizeof(*client));

	submit_accept(listener);
	if (fd < 0 || !client)
		return;
	kinds_accepted(fd);
	client->fd = fd;
	submit_receive(client);
}

static void on_done(struct client *client, int result)
{
	if (result <= 0) {
		close(client->fd);
		free(client);
	} else if (client->sends) {
		submit_receive(client);
	} else {
		submit_send(client, (size_t)result);
	}
}

int main(int argc, char **argv)
{
	int listener;

	if (io_uring_queue_init(64, &ring, 0))
		return 77;
	listener = kinds_listen(kinds_begin(argc, argv));
	submit_accept(listener);
	for (;;) {
		struct io_uring_cqe *done;

		if (io_uring_submit_and_wait(&ring, 1) < 0)
			continue;
		while (!io_uring_peek_cqe(&ring, &done)) {
			struct client *client = io_uring_cqe_get_data(done);
			const int result = done->res;

			io_uring_cqe_seen(&ring, done);
			if (client)
				on_done(client, result);
			else
				on_client(listener, result);
		}
	}
}
