// SPDX-License-Identifier: GPL-2.0-only
/* A web server with a coroutine for each connection, on a stack of its own, and a scheduler over epoll. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <ucontext.h>
#include <unistd.h>

#include "kinds.h"

#define STACK_BYTES 262144

struct coroutine {
	ucontext_t context;
	char *stack;
	int fd;
	int ended;
};

static ucontext_t scheduler;
static struct coroutine *current;
static int poller;

/* Lets others run until the descriptor is ready. */
static void await_ready(int fd, uint32_t events)
{
	struct epoll_event event = { EPOLLONESHOT | events, { .ptr = current } };

	if (epoll_ctl(poller, EPOLL_CTL_MOD, fd, &event) && epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event))
		abort();
	swapcontext(&current->context, &scheduler);
}

static ssize_t await_input(int fd, char *bytes, size_t room)
{
	for (;;) {
		const ssize_t got = recv(fd, bytes, room, MSG_DONTWAIT);

		if (got >= 0 || errno != EAGAIN)
			return got;
		await_ready(fd, EPOLLIN);
	}
}

/* Asks the peer, and lets other coroutines run until it answers, after 20 ms. */
KIND static long ask_later(void)
{
	const struct sockaddr_in at = { AF_INET, htons(kinds_peer()), { htonl(INADDR_LOOPBACK) }, { 0 } };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char answer[16];
	long bytes = -1;

	if (connect(fd, (const void *)&at, sizeof(at)) && errno == EINPROGRESS)
		await_ready(fd, EPOLLOUT);
	if (send(fd, "slow\n", 5, 0) == 5)
		bytes = await_input(fd, answer, sizeof(answer));
	close(fd);
	return bytes;
}

static void serve_client(void)
{
	char request[1024], answer[ANSWER_MAX], path[32];

	for (;;) {
		const int fd = current->fd;
		const ssize_t bytes = await_input(fd, request, sizeof(request));
		long n = 0;

		if (bytes <= 0)
			break;
		kinds_path(request, (size_t)bytes, path);
		if (!strcmp(path, "ask_later"))
			n = ask_later();
		if (send(fd, answer, kinds_print(n + kinds_run(path), answer), 0) < 0)
			break;
	}
	close(current->fd);
	current->ended = 1;
	swapcontext(&current->context, &scheduler);
}

static void accept_client(int listener)
{
	const int fd = accept(listener, NULL, NULL);
	struct coroutine *one = calloc(1, sizeof(*one));

	if (fd < 0 || !one)
		abort();
	kinds_accepted(fd);
	one->fd = fd;
	one->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	getcontext(&one->context);
	one->context.uc_stack.ss_sp = one->stack;
	one->context.uc_stack.ss_size = STACK_BYTES;
	makecontext(&one->context, serve_client, 0);
	current = one;
}

static void resume_current(void)
{
	swapcontext(&scheduler, &current->context);
	if (!current->ended)
		return;
	munmap(current->stack, STACK_BYTES);
	free(current);
}

int main(int argc, char **argv)
{
	const int listener = kinds_listen(kinds_begin(argc, argv));
	struct epoll_event first = { EPOLLIN, { .ptr = NULL } };

	poller = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(poller, EPOLL_CTL_ADD, listener, &first);
	for (;;) {
		struct epoll_event events[16];
		const int ready = epoll_wait(poller, events, 16, -1);

		for (int i = 0; i < ready; i++) {
			if (events[i].data.ptr)
				current = events[i].data.ptr;
			else
				accept_client(listener);
			resume_current();
		}
	}
}
