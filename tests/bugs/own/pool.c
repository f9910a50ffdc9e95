// SPDX-License-Identifier: GPL-2.0-only
/* A server in the shape of a thread that accepts, and a pool of workers with a connection each. */
#include <sys/socket.h>

#include "work.h"

#define WORKERS 24 /* as many connections as the loads open, and some */

static struct conn *first;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queued = PTHREAD_COND_INITIALIZER;

STEP static void push_client(struct conn *conn)
{
	pthread_mutex_lock(&queue_lock);
	conn->next = first;
	first = conn;
	pthread_cond_signal(&queued);
	pthread_mutex_unlock(&queue_lock);
}

STEP static struct conn *pop_client(void)
{
	struct conn *conn;

	pthread_mutex_lock(&queue_lock);
	while (!first)
		pthread_cond_wait(&queued, &queue_lock);
	conn = first;
	first = conn->next;
	pthread_mutex_unlock(&queue_lock);
	return conn;
}

STEP static void *work(void *unused)
{
	for (;;) {
		struct conn *conn = pop_client();

		while (read_request(conn) == GOT_REQUEST && serve_request(conn))
			;
		conn_close(conn);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int listener = work_begin(argc, argv), fd;
	pthread_t thread;

	for (int i = 0; i < WORKERS; i++)
		if (pthread_create(&thread, NULL, work, NULL))
			die("pthread_create");
	while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		push_client(conn_open(fd));
	die("accept");
}
