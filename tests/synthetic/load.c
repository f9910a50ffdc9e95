// SPDX-License-Identifier: GPL-2.0-only
/* Clients of a synthetic server: they send the requests of the profile, at its rate. */
#define _GNU_SOURCE
#include "load.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BUFFER (1u << 20)

struct client {
	pthread_t thread;
	const struct profile *profile;
	uint16_t server;
	uint64_t requests, each; /* each: on one connection */
	double every_ns, first_ns;
	uint64_t answered;
	struct timespec begin;
	char *buffer;
};

static int reach(const struct client *client, uint16_t *ret_port)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(client->server) }, own;
	socklen_t length = sizeof(own);
	int on = 1, fd = socket(AF_INET, (client->profile->datagrams ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    getsockname(fd, (struct sockaddr *)&own, &length)) {
		perror("synthetic: connect");
		exit(1);
	}
	if (!client->profile->datagrams)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	*ret_port = ntohs(own.sin_port);
	return fd;
}

static bool move(struct client *client, int fd, uint64_t bytes, bool writes)
{
	while (bytes) {
		const size_t part = bytes < BUFFER ? bytes : BUFFER;
		const ssize_t moved = writes ? send(fd, client->buffer, part, MSG_NOSIGNAL)
					     : read(fd, client->buffer, part);

		if (moved <= 0 && errno != EINTR)
			return false;
		bytes -= moved > 0 ? (uint64_t)moved : 0;
	}
	return true;
}

/* Until the time of request number i. */
static void pause_until(const struct client *client, uint64_t i)
{
	const double ns = client->first_ns + client->every_ns * (double)i + (double)client->begin.tv_nsec;
	const struct timespec then = { .tv_sec = client->begin.tv_sec + (time_t)(ns / 1e9),
				       .tv_nsec = (long)(ns - 1e9 * (double)(time_t)(ns / 1e9)) };

	if (client->every_ns > 0)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, NULL);
}

static void *run(void *argument)
{
	struct client *client = argument;
	uint16_t port = 0;
	uint32_t turn = 0;
	int fd = -1;

	for (uint64_t i = 0; i < client->requests; i++, turn++) {
		uint64_t asked, answered;

		pause_until(client, i);
		if (fd >= 0 && turn == client->each) {
			close(fd);
			fd = -1;
		}
		if (fd < 0) {
			fd = reach(client, &port);
			turn = 0;
		}
		plan_bytes(client->profile, port, turn, &asked, &answered);
		if (!move(client, fd, asked, true) || !move(client, fd, answered, false)) {
			close(fd);
			fd = -1;
			continue;
		}
		client->answered++;
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

uint64_t load_run(const struct profile *profile, uint16_t port, uint64_t requests, unsigned connections, double rate)
{
	struct client *client = calloc(connections, sizeof(*client));
	uint64_t answered = 0;

	for (unsigned i = 0; client && i < connections; i++) {
		client[i] = (struct client){ .profile = profile, .server = port, .each = UINT64_MAX };
		client[i].requests = requests / connections + (i < requests % connections);
		if (profile->reconnect && profile->per_connection >= 1)
			client[i].each = (uint64_t)(profile->per_connection + 0.5);
		client[i].every_ns = rate > 0 ? 1e9 * connections / rate : 0;
		client[i].first_ns = client[i].every_ns * i / connections;
		client[i].buffer = calloc(1, BUFFER);
		clock_gettime(CLOCK_MONOTONIC, &client[i].begin);
		if (!client[i].buffer || pthread_create(&client[i].thread, NULL, run, &client[i])) {
			perror("synthetic: a client");
			exit(1);
		}
	}
	for (unsigned i = 0; client && i < connections; i++) {
		pthread_join(client[i].thread, NULL);
		answered += client[i].answered;
		free(client[i].buffer);
	}
	free(client);
	return answered;
}
