// SPDX-License-Identifier: GPL-2.0-only
/* A web server on libsoup: GLib's main loop. */
#include <libsoup/soup.h>

#include "kinds.h"

static void on_request(SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query, void *user)
{
	char body[32];

	(void)server;
	(void)query;
	(void)user;
	g_snprintf(body, sizeof(body), "%ld\n", kinds_run(path + 1));
	soup_server_message_set_status(message, 200, NULL);
	soup_server_message_set_response(message, "text/plain", SOUP_MEMORY_COPY, body, strlen(body));
}

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	SoupServer *server = soup_server_new(NULL, NULL);

	soup_server_add_handler(server, NULL, on_request, NULL, NULL);
	if (!soup_server_listen_local(server, port, SOUP_SERVER_LISTEN_IPV4_ONLY, NULL))
		return 1;
	g_main_loop_run(g_main_loop_new(NULL, FALSE));
}
