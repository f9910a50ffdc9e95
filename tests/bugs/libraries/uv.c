// SPDX-License-Identifier: GPL-2.0-only
/* A web server on libuv. With the variant "work", requests run in its pool of threads, and the loop sends their answers. */
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "kinds.h"

struct client {
	uv_tcp_t socket;
	uv_work_t work;
	uv_write_t write;
	size_t bytes, answer_bytes;
	char request[1024], answer[ANSWER_MAX];
};

static void on_room(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
	struct client *client = handle->data;

	(void)suggested;
	*buffer = uv_buf_init(client->request, sizeof(client->request));
}

static void on_closed(uv_handle_t *handle)
{
	free(handle->data);
}

static void send_answer(struct client *client)
{
	uv_buf_t buffer = uv_buf_init(client->answer, (unsigned int)client->answer_bytes);

	uv_write(&client->write, (uv_stream_t *)&client->socket, &buffer, 1, NULL);
}

static void on_work(uv_work_t *work)
{
	struct client *client = work->data;

	client->answer_bytes = kinds_answer(client->request, client->bytes, client->answer);
}

static void on_worked(uv_work_t *work, int status)
{
	(void)status;
	send_answer(work->data);
}

static void on_input(uv_stream_t *stream, ssize_t bytes, const uv_buf_t *buffer)
{
	struct client *client = stream->data;

	(void)buffer;
	if (bytes < 0) {
		uv_close((uv_handle_t *)stream, on_closed);
		return;
	}
	client->bytes = (size_t)bytes;
	if (!strcmp(kinds_variant(), "work")) {
		uv_queue_work(stream->loop, &client->work, on_work, on_worked);
		return;
	}
	on_work(&client->work);
	send_answer(client);
}

static void on_client(uv_stream_t *listener, int status)
{
	struct client *client = calloc(1, sizeof(*client));

	if (status < 0 || !client)
		return;
	uv_tcp_init(listener->loop, &client->socket);
	client->socket.data = client->work.data = client;
	uv_accept(listener, (uv_stream_t *)&client->socket);
	uv_tcp_nodelay(&client->socket, 1);
	uv_read_start((uv_stream_t *)&client->socket, on_room, on_input);
}

int main(int argc, char **argv)
{
	uv_tcp_t listener;

	uv_tcp_init(uv_default_loop(), &listener);
	uv_tcp_open(&listener, kinds_listen(kinds_begin(argc, argv)));
	if (uv_listen((uv_stream_t *)&listener, 64, on_client))
		return 1;
	return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
