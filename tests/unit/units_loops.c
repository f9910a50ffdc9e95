// SPDX-License-Identifier: GPL-2.0-only
/*
 * Servers that answer in the thread that takes the request: loops over descriptors, and a thread or a process for each
 * connection.
 */
#define _GNU_SOURCE
#include "units_work.h"

#include <poll.h>
#include <sys/select.h>
#include <sys/wait.h>

/* ---- one thread, one loop ---- */

static bool serve_plain(int fd)
{
	if (!take(fd))
		return false;
	answer(fd);
	return true;
}

/* Between the loop's return and the read, and after the answer, are calls that take nothing. */
bool serve_timed(int fd)
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

/* One request on each connection, and what comes after the answer is thrown away. */
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

void serve_epoll(bool (*serve)(int fd), uint32_t events)
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

void epoll_level(void)
{
	serve_epoll(serve_plain, EPOLLIN);
}
void epoll_edge(void)
{
	serve_epoll(serve_edge, EPOLLIN | EPOLLET);
}
void epoll_timed(void)
{
	serve_epoll(serve_timed, EPOLLIN);
}
void epoll_parts(void)
{
	serve_epoll(serve_parts, EPOLLIN);
}
void epoll_once(void)
{
	serve_epoll(serve_once, EPOLLIN);
}
void epoll_slowly_sent(void)
{
	serve_epoll(serve_slowly_sent, EPOLLIN);
}

void by_poll(void)
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

void by_select(void)
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

void thread_each(void)
{
	for (;;) {
		pthread_t thread;
		int fd = take_client();

		check(fd >= 0 && !pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)fd), "thread");
		pthread_detach(thread);
	}
}

void fork_each(void)
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

void prefork(void)
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
