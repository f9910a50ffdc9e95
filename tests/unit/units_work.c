// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers of many forms and their clients, which count their requests. The requests in a trace are compared with these counts.
 *
 * Usage: units_work SHAPE REQUESTS CONNECTIONS
 * Prints "ready PID" when the server serves; sends that many requests after a line comes on standard input; prints
 * "done N" when N answers have come, and waits to be killed. SHAPE: a name of shapes[] below.
 */
#define _GNU_SOURCE
#include "units_work.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

int listener;
static uint16_t port;

enum client { STAY, LEAVE, IN_PARTS, SENDS_MORE, BY_DATAGRAM };

static const struct histogram {
	const char *name;
	void (*serve)(void);
	enum client client;
} histograms[] = {
	{ "epoll_level", epoll_level, STAY },
	{ "epoll_edge", epoll_edge, STAY },
	{ "epoll_timed", epoll_timed, STAY },
	{ "epoll_parts", epoll_parts, STAY },
	{ "epoll_once", epoll_once, SENDS_MORE },
	{ "epoll_leave", epoll_timed, LEAVE },
	{ "epoll_slowly_sent", epoll_slowly_sent, IN_PARTS },
	{ "poll", by_poll, STAY },
	{ "poll_leave", by_poll, LEAVE },
	{ "select", by_select, STAY },
	{ "thread_each", thread_each, STAY },
	{ "thread_each_leave", thread_each, LEAVE },
	{ "fork_each", fork_each, LEAVE },
	{ "prefork", prefork, LEAVE },
	{ "pool", pool, STAY },
	{ "pool_back", pool_back, STAY },
	{ "pool_connections", pool_connections, LEAVE },
	{ "datagrams", datagrams, BY_DATAGRAM },
};
#define SHAPES (sizeof(histograms) / sizeof(histograms[0]))

struct ledger {
	pthread_t thread;
	const struct histogram *histogram;
	unsigned requests, answered;
};

static int call_server(enum client client)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(port) };
	int on = 1, fd = socket(AF_INET, (client == BY_DATAGRAM ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	check(fd >= 0 && !connect(fd, (struct sockaddr *)&to, sizeof(to)), "connect");
	if (client != BY_DATAGRAM)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return fd;
}

static void pause_for(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static bool ask(int fd, enum client client)
{
	const char text[MESSAGE] = { 0 };
	char back[MESSAGE];
	const size_t part = client == IN_PARTS ? MESSAGE / 4 : MESSAGE;
	ssize_t got = 0;

	for (size_t sent = 0; sent < MESSAGE; sent += part) {
		if (sent)
			pause_for(200000);
		check(write(fd, text, part) == (ssize_t)part, "write");
	}
	for (size_t have = 0; have < MESSAGE; have += (size_t)got) {
		got = read(fd, back, sizeof(back) - have);
		if (got <= 0)
			return false;
	}
	return true;
}

static void *client(void *argument)
{
	struct ledger *ledger = argument;
	const enum client kind = ledger->histogram->client;
	const bool leaves = kind == LEAVE || kind == SENDS_MORE;
	int fd = leaves ? -1 : call_server(kind);

	for (unsigned i = 0; i < ledger->requests; i++) {
		if (leaves)
			fd = call_server(kind);
		ledger->answered += ask(fd, kind);
		if (kind == SENDS_MORE) {
			check(write(fd, "more", 4) == 4, "write");
			pause_for(300000);
		}
		if (leaves)
			close(fd);
		pause_for(300000);
	}
	if (!leaves)
		close(fd);
	return NULL;
}

static unsigned run_clients(const struct histogram *histogram, unsigned requests, unsigned connections)
{
	struct ledger ledger[FDS] = { 0 };
	unsigned answered = 0;

	for (unsigned i = 0; i < connections; i++) {
		ledger[i].histogram = histogram;
		ledger[i].requests = requests / connections;
		check(!pthread_create(&ledger[i].thread, NULL, client, &ledger[i]), "thread");
	}
	for (unsigned i = 0; i < connections; i++) {
		pthread_join(ledger[i].thread, NULL);
		answered += ledger[i].answered;
	}
	return answered;
}

static void listen_to(enum client client)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof(address);
	const bool datagram = client == BY_DATAGRAM;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, (datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
	check(listener >= 0 && !bind(listener, (struct sockaddr *)&address, sizeof(address)) &&
		      (datagram || !listen(listener, FDS)) &&
		      !getsockname(listener, (struct sockaddr *)&address, &length),
	      "listen");
	port = ntohs(address.sin_port);
}

int main(int argc, char **argv)
{
	const struct histogram *histogram = NULL;
	char line[16];
	pid_t server;

	for (size_t i = 0; argc == 4 && i < SHAPES; i++)
		if (!strcmp(argv[1], histograms[i].name))
			histogram = &histograms[i];
	if (!histogram || atoi(argv[3]) < 1 || atoi(argv[3]) > FDS / 2) {
		for (size_t i = 0; i < SHAPES; i++)
			puts(histograms[i].name);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	listen_to(histogram->client);
	server = fork();
	check(server >= 0, "fork");
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		histogram->serve();
		return 1;
	}
	setpgid(server, server);
	printf("ready %d\n", (int)server);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	printf("done %u\n", run_clients(histogram, (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3])));
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		pause_for(0);
	kill(-server, SIGKILL);
	waitpid(server, NULL, 0);
	return 0;
}
