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
#include <time.h>
#include <unistd.h>

#include "shapes.h"

#define CLIENTS 8
#define MARKED 0.04
#define PAUSE_US 9000
#define BURST 40
#define HOGS 2
#define IDLE_CLIENTS 100

static const char *shape;
static uint16_t port;

static uint64_t clock_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* -1: nobody listens yet. */
static int connect_to_server(void)
{
	const bool datagrams = !strcmp(shape, "datagrams");
	const int few = 16384;
	const struct timeval limit = { datagrams ? 5 : 30, 0 };
	const struct sockaddr_in address = { AF_INET, htons(port), { htonl(INADDR_LOOPBACK) }, { 0 } };
	const int fd = socket(AF_INET, (datagrams ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (has_bug("slow_readers"))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &few, sizeof(few));
	if (!connect(fd, (const void *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

/* Bytes of an answer that a client asks for. */
static uint32_t draw_answer(unsigned int *state, bool slow)
{
	const double u = (rand_r(state) + 1.0) / (RAND_MAX + 1.0);

	if (slow)
		return ANSWER_MAX;
	if (!strcmp(bug, "bimodal"))
		return u < 0.25 ? 20000 : ANSWER;
	if (!strcmp(bug, "sizes"))
		return u < 0.01 ? 50000 : (uint32_t)(ANSWER / u);
	return ANSWER;
}

/* False: the server is gone. */
static bool read_answer(int fd, bool slow)
{
	static __thread char back[65536];
	uint32_t length = 0, had = 0;

	do {
		const ssize_t bytes = recv(fd, back, slow ? 16384 : sizeof(back), 0);

		if (bytes <= 0)
			return false;
		if (!had && bytes >= (ssize_t)sizeof(length))
			memcpy(&length, back, sizeof(length));
		had += (uint32_t)bytes;
		if (slow)
			usleep(4000);
	} while (had < length);
	return true;
}

static void pause_between(unsigned int *state)
{
	static __thread unsigned int asked;

	if (has_bug("few"))
		usleep(400000 + (useconds_t)rand_r(state) % 400000);
	else if (!has_bug("bursts"))
		usleep(PAUSE_US / 2 + (useconds_t)rand_r(state) % PAUSE_US);
	else if (++asked % BURST == 0)
		usleep(500000 - (useconds_t)clock_us() % 500000);
}

static void *ask(void *user)
{
	const bool once = !strcmp(shape, "accept_each") || !strcmp(shape, "prefork");
	const bool ends = has_bug("come_go") || has_bug("keys"), slow = has_bug("slow_readers") && (intptr_t)user < 2;
	unsigned int state = (unsigned int)(intptr_t)user + 1;
	int fd = -1;

	for (;;) {
		char text[64];
		const size_t bytes = 20 + (size_t)rand_r(&state) % 40;
		struct question question = {
			.mark = rand_r(&state) < MARKED * RAND_MAX ? 'b' : 'a',
			.size = (char)('b' + rand_r(&state) % 15),
			.first = fd < 0,
			.answer = draw_answer(&state, slow),
		};

		if (fd < 0)
			fd = connect_to_server();
		memset(text, 'x', bytes);
		memcpy(text, &question, sizeof(question));
		if (fd >= 0 && (send(fd, text, bytes, MSG_NOSIGNAL) != (ssize_t)bytes || !read_answer(fd, slow) ||
				once || (ends && rand_r(&state) % 15 == 0))) {
			close(fd);
			fd = -1;
		}
		pause_between(&state);
	}
	return NULL;
}

/* Takes all the CPU time that it gets. */
static void hog(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		work(1000);
}

static void begin_beside(void)
{
	if (has_bug("noisy"))
		for (int i = 0; i < HOGS; i++)
			if (!fork())
				hog();
	if (has_bug("idle_clients") && strcmp(shape, "accept_each") && strcmp(shape, "prefork"))
		for (int i = 0; i < IDLE_CLIENTS; i++)
			connect_to_server();
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
	usleep(100000);
	begin_beside();
	for (intptr_t i = 0; i < CLIENTS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, ask, (void *)i))
			return 1;
	}
	waitpid(server, NULL, 0);
	return 0;
}
