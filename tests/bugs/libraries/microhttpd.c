// SPDX-License-Identifier: GPL-2.0-only
/* A web server on libmicrohttpd: four threads with a loop each, or with the argument "connection" a thread for each connection. */
#include <microhttpd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kinds.h"

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *path, const char *method,
				  const char *version, const char *upload, size_t *upload_bytes, void **context)
{
	char body[32];
	struct MHD_Response *response;
	enum MHD_Result result;

	(void)user;
	(void)method;
	(void)version;
	(void)upload;
	(void)upload_bytes;
	/* The first call has the head of the request alone. */
	if (!*context) {
		*context = body;
		return MHD_YES;
	}
	snprintf(body, sizeof(body), "%ld\n", kinds_run(path + 1));
	response = MHD_create_response_from_buffer(strlen(body), body, MHD_RESPMEM_MUST_COPY);
	result = MHD_queue_response(connection, MHD_HTTP_OK, response);
	MHD_destroy_response(response);
	return result;
}

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	const bool each = !strcmp(kinds_variant(), "connection");
	const unsigned flags = each ? MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL
				    : MHD_USE_EPOLL_INTERNAL_THREAD;
	struct MHD_Daemon *daemon = MHD_start_daemon(flags, port, NULL, NULL, on_request, NULL,
						     each ? MHD_OPTION_END : MHD_OPTION_THREAD_POOL_SIZE, 4u,
						     MHD_OPTION_END);

	if (!daemon)
		return 1;
	for (;;)
		pause();
}
