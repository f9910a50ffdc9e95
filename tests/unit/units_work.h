/* SPDX-License-Identifier: GPL-2.0-only */
/* The common parts of the servers of units_work.c: how they take requests, work and answer. */
#ifndef SCOPE_TEST_UNITS_WORK_H
#define SCOPE_TEST_UNITS_WORK_H

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE 64
#define HEADER 8
#define FDS 256

extern int listener;

/* Servers, which never return: one thread and one loop; a thread or a process for each connection; a pool. */
void serve_epoll(bool (*serve)(int fd), uint32_t events); /* serve false: the connection is over */
bool serve_timed(int fd);
void epoll_level(void);
void epoll_edge(void);
void epoll_timed(void);
void epoll_parts(void);
void epoll_once(void);
void epoll_slowly_sent(void);
void by_poll(void);
void by_select(void);
void thread_each(void);
void fork_each(void);
void prefork(void);
void pool(void);
void pool_back(void);
void pool_connections(void);
void datagrams(void);

static inline void fail(const char *what)
{
	perror(what);
	exit(1);
}

static inline void check(bool right, const char *what)
{
	if (!right)
		fail(what);
}

/* It asks the kernel: glibc asks the vDSO, which no trace shows. */
static inline void look_at_clock(void)
{
	struct timespec time;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
}

static inline void block_signals(void)
{
	uint64_t none = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &none, sizeof(none));
}

static inline void work(void)
{
	for (volatile unsigned i = 0; i < 20000; i++)
		;
}

static inline void unblock(int fd)
{
	check(!fcntl(fd, F_SETFL, O_NONBLOCK), "fcntl");
}

static inline void answer(int fd)
{
	const char text[MESSAGE] = { 0 };

	work();
	if (write(fd, text, sizeof(text)) != sizeof(text) && errno != EPIPE && errno != ECONNRESET)
		fail("write");
}

/* Reads the rest of a request of which a part has come. Returns its size; 0: the client left. */
static inline size_t take(int fd)
{
	char text[MESSAGE];
	ssize_t got = read(fd, text, sizeof(text));

	return got > 0 ? (size_t)got : 0;
}

static inline void watch(int epoll, int fd, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	check(!epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

static inline int take_client(void)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		check(errno == EAGAIN || errno == ECONNABORTED, "accept");
	return fd;
}

#endif
