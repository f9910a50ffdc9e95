// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server that serves two clients of its own for a while, and then fails in one of several ways, or does not.
 *
 * Usage: stuck_work WAY
 *   accept   no descriptor is left: accept fails, the listening socket stays ready
 *   eof      a client closed its connection, and the loop misinterprets a read of 0 bytes as "no data yet"
 *   hang-up  a pipe's other end is closed, which the loop's poll reports for ever
 *   timer    the loop misinterprets a timer of 0 ms as one that is due
 *   peer     a request waits for ever for the answer of a peer, in a read
 *   resolve  a request waits for ever for an answer in a poll of its own
 *   freeze   twice a request takes 1.5 s, and the other client waits
 *   busy     it never waits, because it polls and serves
 *   idle     clients send no more requests
 * Prints "ready PID" of the server; fails half a second after a line comes on standard input.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 2

static int epoll, listener;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t length;

static void check(bool right, const char *what)
{
	if (!right) {
		perror(what);
		exit(1);
	}
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void watch(int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	check(!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

static int call_server(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	check(fd >= 0 && !connect(fd, (struct sockaddr *)&address, length), "connect");
	return fd;
}

/* Asks now and then while the server runs. rests_s: seconds after which it asks no more; leaves: it closes then. */
static void ask(double rests_s, bool hurry, bool leaves)
{
	int fd = call_server();
	const double begin = now();
	char byte = 0;

	while (write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1) {
		if (!hurry)
			usleep(10000);
		if (now() - begin > rests_s && leaves)
			break;
		if (now() - begin > rests_s)
			pause();
	}
	exit(0);
}

__attribute__((noinline)) void take_client(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0)
		watch(fd, EPOLLIN);
}

__attribute__((noinline)) void ask_resolver(void)
{
	int pair[2];
	struct pollfd set = { .events = POLLIN };

	check(!socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), "socketpair");
	set.fd = pair[0];
	poll(&set, 1, 60000);
}

/* A peer that takes the connection, into its backlog, and never answers. */
__attribute__((noinline)) void ask_peer(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(at);
	int peer = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), to = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte = 'q';

	check(!bind(peer, (struct sockaddr *)&at, bytes) && !listen(peer, 1) &&
		      !getsockname(peer, (struct sockaddr *)&at, &bytes) &&
		      !connect(to, (struct sockaddr *)&at, bytes) && write(to, &byte, 1) == 1,
	      "peer");
	if (read(to, &byte, 1) < 0)
		abort();
}

__attribute__((noinline)) void save_all(void)
{
	usleep(1500000);
}

__attribute__((noinline)) bool serve(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		return false;
	check(write(fd, &byte, 1) == 1 || errno == EPIPE, "write");
	return true;
}

__attribute__((noinline)) void run_loop(const char *way, double wrong)
{
	const bool timer = !strcmp(way, "timer"), busy = !strcmp(way, "busy");
	struct epoll_event event;
	unsigned freezes = 0;
	bool right = true;
	int pipes[2];

	for (;;) {
		int n = epoll_wait(epoll, &event, 1, busy || (timer && !right) ? 0 : -1);

		if (right && now() > wrong) {
			right = false;
			if (!strcmp(way, "accept")) {
				const struct rlimit none = { 0, 64 };

				if (!fork()) {
					prctl(PR_SET_PDEATHSIG, SIGKILL);
					usleep(100000);
					call_server();
					pause();
				}
				check(!setrlimit(RLIMIT_NOFILE, &none), "setrlimit");
			}
			if (!strcmp(way, "hang-up")) {
				check(!pipe(pipes), "pipe");
				watch(pipes[0], 0);
				close(pipes[1]);
			}
			if (!strcmp(way, "resolve"))
				ask_resolver();
			if (!strcmp(way, "peer"))
				ask_peer();
		}
		if (!strcmp(way, "freeze") && freezes < 2 && now() > wrong + 4 * freezes) {
			freezes++;
			save_all();
		}
		if (n != 1)
			continue;
		if (event.data.fd == listener)
			take_client();
		else if ((event.events & EPOLLIN) && !serve(event.data.fd) && strcmp(way, "eof"))
			close(event.data.fd);
	}
}

int main(int argc, char **argv)
{
	const char *way = argc == 2 ? argv[1] : "";
	const double rests_s = !strcmp(way, "idle") ? 0.5 : !strcmp(way, "timer") ? 1.5 : 1000;
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	char line[8];
	int go[2];
	pid_t server;

	signal(SIGPIPE, SIG_IGN);
	length = sizeof(address);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	check(listener >= 0 && !bind(listener, (struct sockaddr *)&any, sizeof(sa_family_t)) && !listen(listener, 8) &&
		      !getsockname(listener, (struct sockaddr *)&address, &length) && !pipe(go),
	      "listen");
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		epoll = epoll_create1(EPOLL_CLOEXEC);
		watch(listener, EPOLLIN);
		check(read(go[0], line, 1) == 1, "read");
		run_loop(way, now() + 1);
	}
	printf("ready %d\n", (int)server);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < CLIENTS; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			ask(!strcmp(way, "eof") && !i ? 0.7 : rests_s, !strcmp(way, "busy"), !strcmp(way, "eof"));
		}
	check(write(go[1], line, 1) == 1, "write");
	while (fgets(line, sizeof(line), stdin))
		;
	kill(server, SIGKILL);
	return 0;
}
