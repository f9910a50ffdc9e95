// SPDX-License-Identifier: GPL-2.0-only
/* A web server on GLib's main loop. With the variant "pool", requests run in a GThreadPool, and the loop sends their answers. */
#include <gio/gio.h>

#include "kinds.h"

struct client {
	GSocketConnection *connection;
	gsize bytes, answer_bytes;
	char request[1024], answer[ANSWER_MAX];
};

static GThreadPool *pool;

static GSocket *socket_of(const struct client *client)
{
	return g_socket_connection_get_socket(client->connection);
}

static gboolean send_answer(gpointer user)
{
	struct client *client = user;

	g_socket_send(socket_of(client), client->answer, client->answer_bytes, NULL, NULL);
	return G_SOURCE_REMOVE;
}

static void run_request(gpointer data, gpointer user)
{
	struct client *client = data;

	(void)user;
	client->answer_bytes = kinds_answer(client->request, client->bytes, client->answer);
	if (pool)
		g_idle_add(send_answer, client);
	else
		send_answer(client);
}

static gboolean on_input(GSocket *socket, GIOCondition condition, gpointer user)
{
	struct client *client = user;
	const gssize bytes = g_socket_receive(socket, client->request, sizeof(client->request), NULL, NULL);

	(void)condition;
	if (bytes <= 0) {
		g_object_unref(client->connection);
		g_free(client);
		return G_SOURCE_REMOVE;
	}
	client->bytes = (gsize)bytes;
	if (pool)
		g_thread_pool_push(pool, client, NULL);
	else
		run_request(client, NULL);
	return G_SOURCE_CONTINUE;
}

static gboolean on_client(GSocketService *service, GSocketConnection *connection, GObject *source, gpointer user)
{
	struct client *client = g_new0(struct client, 1);
	GSource *input;

	(void)service;
	(void)source;
	(void)user;
	client->connection = g_object_ref(connection);
	g_socket_set_blocking(socket_of(client), FALSE);
	kinds_accepted(g_socket_get_fd(socket_of(client)));
	input = g_socket_create_source(socket_of(client), G_IO_IN, NULL);
	g_source_set_callback(input, G_SOURCE_FUNC(on_input), client, NULL);
	g_source_attach(input, NULL);
	g_source_unref(input);
	return TRUE;
}

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	GSocketService *service = g_socket_service_new();

	if (!g_strcmp0(kinds_variant(), "pool"))
		pool = g_thread_pool_new(run_request, NULL, 4, TRUE, NULL);
	if (!g_socket_listener_add_inet_port(G_SOCKET_LISTENER(service), port, NULL, NULL))
		return 1;
	g_signal_connect(service, "incoming", G_CALLBACK(on_client), NULL);
	g_main_loop_run(g_main_loop_new(NULL, FALSE));
	return 0;
}
