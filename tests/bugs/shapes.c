// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server of a shape, with a bug in it, and its clients: for shapes.py.
 *
 * Usage: shapes SHAPE BUG PLACE PORT
 * Prints the server's process id. Eight clients ask about 900 times a second in all; 1 of 25 requests is marked, and meets bugs
 * that not all requests meet. PLACE (0 to 3) chooses in which function of a request the bug is. Ends with the server.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shapes.h"

#define CLIENTS 8
#define MARKED 0.04
#define PAUSE_US 9000

static const char *shape;
static uint16_t port;

/* -1: nobody listens yet. */
static int connect_to_server(void)
{
	const bool datagrams = !strcmp(shape, "datagrams");
	const struct timeval limit = { datagrams ? 5 : 30, 0 };
	const struct sockaddr_in address = { AF_INET, htons(port), { htonl(INADDR_LOOPBACK) }, { 0 } };
	const int fd = socket(AF_INET, (datagrams ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (!connect(fd, (const void *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

static void *ask(void *user)
{
	const bool once = !strcmp(shape, "accept_each") || !strcmp(shape, "prefork");
	unsigned int state = (unsigned int)(intptr_t)user + 1;
	int fd = -1;

	for (;;) {
		char text[64], back[1024];
		const size_t bytes = 20 + (size_t)rand_r(&state) % 40;

		if (fd < 0)
			fd = connect_to_server();
		memset(text, 'a' + 1 + rand_r(&state) % 15, bytes);
		text[0] = rand_r(&state) < MARKED * RAND_MAX ? 'b' : 'a';
		if (fd >= 0 && (send(fd, text, bytes, MSG_NOSIGNAL) != (ssize_t)bytes ||
				recv(fd, back, sizeof(back), 0) <= 0 || once)) {
			close(fd);
			fd = -1;
		}
		usleep(PAUSE_US / 2 + (useconds_t)rand_r(&state) % PAUSE_US);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pid_t server;

	if (argc != 5) {
		fprintf(stderr, "Usage: shapes SHAPE BUG PLACE PORT\n");
		return 2;
	}
	shape = argv[1];
	bug = argv[2];
	place = (unsigned int)atoi(argv[3]);
	port = (uint16_t)atoi(argv[4]);
	signal(SIGPIPE, SIG_IGN);
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(shape, port);
		fprintf(stderr, "shapes: there is no shape %s\n", shape);
		return 2;
	}
	printf("%d\n", server);
	fflush(stdout);
	for (intptr_t i = 0; i < CLIENTS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, ask, (void *)i))
			return 1;
	}
	waitpid(server, NULL, 0);
	return 0;
}
