// SPDX-License-Identifier: GPL-2.0-only
/* A server in the shape of one thread for each connection. */
#include <sys/socket.h>

#include "work.h"

STEP static void *serve_client(void *client)
{
	while (read_request(client) == GOT_REQUEST && serve_request(client))
		;
	conn_close(client);
	return NULL;
}

int main(int argc, char **argv)
{
	int listener = work_begin(argc, argv), fd;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		if (pthread_create(&thread, &attr, serve_client, conn_open(fd)))
			die("pthread_create");
	die("accept");
}
