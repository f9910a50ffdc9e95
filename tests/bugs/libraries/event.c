// SPDX-License-Identifier: GPL-2.0-only
/* A web server on libevent's evhttp: one loop. */
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>

#include "kinds.h"

static void on_request(struct evhttp_request *request, void *user)
{
	struct evbuffer *body = evbuffer_new();

	(void)user;
	evbuffer_add_printf(body, "%ld\n", kinds_run(evhttp_request_get_uri(request) + 1));
	evhttp_send_reply(request, 200, "OK", body);
	evbuffer_free(body);
}

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	struct event_base *base = event_base_new();
	struct evhttp *http = evhttp_new(base);

	if (evhttp_bind_socket(http, "127.0.0.1", port))
		return 1;
	evhttp_set_gencb(http, on_request, NULL);
	return event_base_dispatch(base);
}
