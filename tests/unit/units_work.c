// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers of many shapes and their clients, who count what they ask: what requests in a trace are compared with.
 *
 * Usage: units_work SHAPE REQUESTS CONNECTIONS
 * Says "ready PID" once the server serves; asks as often as told once a line comes on standard input; says
 * "done N" when N answers have come, and waits to be killed. SHAPE: a name of shapes[] below.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE 64
#define HEADER 8
#define FDS 256
#define QUEUE 1024

static int listener;
static uint16_t port;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void check(bool right, const char *what)
{
	if (!right)
		fail(what);
}

/* By the kernel: glibc asks the vDSO, which no trace shows. */
static void look_at_clock(void)
{
	struct timespec time;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
}

static void block_signals(void)
{
	uint64_t none = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &none, sizeof(none));
}

static void work(void)
{
	for (volatile unsigned i = 0; i < 20000; i++)
		;
}

static void unblock(int fd)
{
	check(!fcntl(fd, F_SETFL, O_NONBLOCK), "fcntl");
}

static void answer(int fd)
{
	const char text[MESSAGE] = {0};

	work();
	if (write(fd, text, sizeof(text)) != sizeof(text) && errno != EPIPE && errno != ECONNRESET)
		fail("write");
}

/* Reads a request of which some has come; its size, 0: the client left. */
static size_t take(int fd)
{
	char text[MESSAGE];
	ssize_t got = read(fd, text, sizeof(text));

	return got > 0 ? (size_t)got : 0;
}

static void watch(int epoll, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	check(!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

static int take_client(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		check(errno == EAGAIN || errno == ECONNABORTED, "accept");
	return fd;
}

/* ---- one thread, one loop ---- */

static bool serve_plain(int fd)
{
	if (!take(fd))
		return false;
	answer(fd);
	return true;
}

/* Between the loop's return and the read, and behind the answer, stand calls that take nothing. */
static bool serve_timed(int fd)
{
	look_at_clock();
	block_signals();
	if (!take(fd))
		return false;
	look_at_clock();
	answer(fd);
	look_at_clock();
	return true;
}

/* A header, then its body, with calls between. */
static bool serve_parts(int fd)
{
	char text[MESSAGE];

	if (read(fd, text, HEADER) <= 0)
		return false;
	look_at_clock();
	check(read(fd, text, MESSAGE - HEADER) == MESSAGE - HEADER, "read");
	answer(fd);
	return true;
}

/* Takes as much as there is: the last read finds nothing. */
static bool serve_edge(int fd)
{
	char text[MESSAGE];
	ssize_t got;

	while ((got = read(fd, text, sizeof(text))) > 0)
		answer(fd);
	return got < 0 && errno == EAGAIN;
}

/* One request on each connection, and what comes behind the answer is thrown away. */
static bool serve_once(int fd)
{
	static bool draining[FDS];

	if (draining[fd]) {
		draining[fd] = take(fd) > 0;
		return draining[fd];
	}
	if (!take(fd))
		return false;
	answer(fd);
	shutdown(fd, SHUT_WR);
	draining[fd] = true;
	return true;
}

/* The client sends it in four parts, so it comes in several turns. */
static bool serve_slowly_sent(int fd)
{
	static size_t have[FDS];
	size_t got = take(fd);

	have[fd] = got ? have[fd] + got : 0;
	if (have[fd] >= MESSAGE) {
		have[fd] -= MESSAGE;
		answer(fd);
	}
	return got > 0;
}

static void serve_epoll(bool (*serve)(int fd), uint32_t events)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	unblock(listener);
	watch(epoll, listener, EPOLLIN);
	for (;;) {
		struct epoll_event event[16];
		int n = epoll_wait(epoll, event, 16, -1), fd;

		for (int i = 0; i < n; i++) {
			if (event[i].data.fd != listener) {
				if (!serve(event[i].data.fd))
					close(event[i].data.fd);
			} else if ((fd = take_client()) >= 0) {
				unblock(fd);
				watch(epoll, fd, events);
			}
		}
	}
}

static void epoll_level(void) { serve_epoll(serve_plain, EPOLLIN); }
static void epoll_edge(void) { serve_epoll(serve_edge, EPOLLIN | EPOLLET); }
static void epoll_timed(void) { serve_epoll(serve_timed, EPOLLIN); }
static void epoll_parts(void) { serve_epoll(serve_parts, EPOLLIN); }
static void epoll_once(void) { serve_epoll(serve_once, EPOLLIN); }
static void epoll_slowly_sent(void) { serve_epoll(serve_slowly_sent, EPOLLIN); }

static void by_poll(void)
{
	struct pollfd set[FDS] = { { .fd = listener, .events = POLLIN } };
	nfds_t count = 1;

	unblock(listener);
	for (;;) {
		check(poll(set, count, 1000) >= 0, "poll");
		look_at_clock();
		for (nfds_t i = count; i-- > 1;)
			if (set[i].revents && !serve_plain(set[i].fd)) {
				close(set[i].fd);
				set[i] = set[--count];
			}
		if (set[0].revents && count < FDS) {
			int fd = take_client();

			if (fd >= 0)
				set[count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		}
	}
}

static void by_select(void)
{
	fd_set all, ready;
	int top = listener;

	unblock(listener);
	FD_ZERO(&all);
	FD_SET(listener, &all);
	for (;;) {
		ready = all;
		check(select(top + 1, &ready, NULL, NULL, NULL) >= 0, "select");
		for (int fd = 0; fd <= top; fd++) {
			if (!FD_ISSET(fd, &ready))
				continue;
			if (fd != listener) {
				if (!serve_timed(fd)) {
					FD_CLR(fd, &all);
					close(fd);
				}
			} else if ((fd = take_client()) >= 0) {
				FD_SET(fd, &all);
				top = fd > top ? fd : top;
			} else {
				fd = listener;
			}
		}
	}
}

/* ---- a thread or a process for each connection ---- */

static void *serve_one(void *argument)
{
	int fd = (int)(intptr_t)argument;

	while (serve_timed(fd))
		;
	close(fd);
	return NULL;
}

static void thread_each(void)
{
	for (;;) {
		pthread_t thread;
		int fd = take_client();

		check(fd >= 0 && !pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)fd), "thread");
		pthread_detach(thread);
	}
}

static void fork_each(void)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = take_client();
		pid_t child;

		check(fd >= 0, "accept");
		child = fork();
		check(child >= 0, "fork");
		if (!child) {
			serve_one((void *)(intptr_t)fd);
			_exit(0);
		}
		close(fd);
	}
}

static void prefork(void)
{
	for (int i = 1; i < 3; i++)
		if (!fork())
			break;
	for (;;) {
		int fd = take_client();

		check(fd >= 0, "accept");
		look_at_clock();
		serve_timed(fd);
		close(fd);
	}
}

/* ---- a loop that reads, and a pool that works ---- */

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t more;
	int fd[QUEUE];
	unsigned first, count;
};

static struct queue queue = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };
static struct queue done = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };
static int doorbell = -1; /* -1: workers answer themselves */

static void put(struct queue *to, int fd)
{
	pthread_mutex_lock(&to->lock);
	to->fd[(to->first + to->count++) % QUEUE] = fd;
	pthread_cond_signal(&to->more);
	pthread_mutex_unlock(&to->lock);
}

static int get(struct queue *from, bool wait)
{
	int fd = -1;

	pthread_mutex_lock(&from->lock);
	while (wait && !from->count)
		pthread_cond_wait(&from->more, &from->lock);
	if (from->count) {
		fd = from->fd[from->first++ % QUEUE];
		from->count--;
	}
	pthread_mutex_unlock(&from->lock);
	return fd;
}

static void *worker(void *unused)
{
	const uint64_t one = 1;

	(void)unused;
	for (;;) {
		int fd = get(&queue, true);

		if (doorbell < 0) {
			answer(fd);
			continue;
		}
		work();
		put(&done, fd);
		check(write(doorbell, &one, sizeof(one)) == sizeof(one), "doorbell");
	}
	return NULL;
}

static bool hand_over(int fd)
{
	uint64_t rings;

	if (fd == doorbell) {
		check(read(fd, &rings, sizeof(rings)) > 0, "doorbell");
		while ((fd = get(&done, false)) >= 0)
			answer(fd);
		return true;
	}
	if (!take(fd))
		return false;
	put(&queue, fd);
	return true;
}

static void start_workers(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		check(!pthread_create(&thread, NULL, worker, NULL), "thread");
}

static void pool(void)
{
	start_workers();
	serve_epoll(hand_over, EPOLLIN);
}

static void ring_back(int epoll)
{
	doorbell = eventfd(0, EFD_CLOEXEC);
	watch(epoll, doorbell, EPOLLIN);
}

/* The loop answers in a later turn, when a worker is done. */
static void pool_back(void)
{
	int epoll = epoll_create1(EPOLL_CLOEXEC);

	ring_back(epoll);
	start_workers();
	unblock(listener);
	watch(epoll, listener, EPOLLIN);
	for (;;) {
		struct epoll_event event;
		int fd;

		if (epoll_wait(epoll, &event, 1, -1) != 1)
			continue;
		if (event.data.fd != listener) {
			if (!hand_over(event.data.fd))
				close(event.data.fd);
		} else if ((fd = take_client()) >= 0) {
			watch(epoll, fd, EPOLLIN);
		}
	}
}

/* Workers are handed connections, and read themselves. */
static void *connection_worker(void *unused)
{
	(void)unused;
	for (;;) {
		int fd = get(&queue, true);

		serve_timed(fd);
		close(fd);
	}
	return NULL;
}

static void pool_connections(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		check(!pthread_create(&thread, NULL, connection_worker, NULL), "thread");
	for (;;) {
		int fd = take_client();

		check(fd >= 0, "accept");
		put(&queue, fd);
	}
}

static void datagrams(void)
{
	for (;;) {
		struct sockaddr_in from;
		socklen_t length = sizeof(from);
		char text[MESSAGE];
		ssize_t got = recvfrom(listener, text, sizeof(text), 0, (struct sockaddr *)&from, &length);

		check(got >= 0, "recvfrom");
		work();
		check(sendto(listener, text, (size_t)got, 0, (struct sockaddr *)&from, length) == got, "sendto");
	}
}

/* ---- clients ---- */

enum client { STAY, LEAVE, IN_PARTS, SENDS_MORE, BY_DATAGRAM };

static const struct shape {
	const char *name;
	void (*serve)(void);
	enum client client;
} shapes[] = {
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
#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

struct ledger {
	pthread_t thread;
	const struct shape *shape;
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
	const char text[MESSAGE] = {0};
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
	const enum client kind = ledger->shape->client;
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

static unsigned run_clients(const struct shape *shape, unsigned requests, unsigned connections)
{
	struct ledger ledger[FDS] = {0};
	unsigned answered = 0;

	for (unsigned i = 0; i < connections; i++) {
		ledger[i].shape = shape;
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
	      !getsockname(listener, (struct sockaddr *)&address, &length), "listen");
	port = ntohs(address.sin_port);
}

int main(int argc, char **argv)
{
	const struct shape *shape = NULL;
	char line[16];
	pid_t server;

	for (size_t i = 0; argc == 4 && i < SHAPES; i++)
		if (!strcmp(argv[1], shapes[i].name))
			shape = &shapes[i];
	if (!shape || atoi(argv[3]) < 1 || atoi(argv[3]) > FDS / 2) {
		for (size_t i = 0; i < SHAPES; i++)
			puts(shapes[i].name);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	listen_to(shape->client);
	server = fork();
	check(server >= 0, "fork");
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		shape->serve();
		return 1;
	}
	setpgid(server, server);
	printf("ready %d\n", (int)server);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	printf("done %u\n", run_clients(shape, (unsigned)atoi(argv[2]), (unsigned)atoi(argv[3])));
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		pause_for(0);
	kill(-server, SIGKILL);
	waitpid(server, NULL, 0);
	return 0;
}
