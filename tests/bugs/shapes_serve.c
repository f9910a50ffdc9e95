// SPDX-License-Identifier: GPL-2.0-only
/* The shapes of servers that shapes.c has: how requests come to the threads that serve them. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "shapes.h"

#define WORKERS 4
#define QUEUE 1024
#define CLIENTS 300

/* Requests of all processes have one count. */
static unsigned int *count;

static unsigned int next_number(void)
{
	return __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

static struct request parse(int fd, const char *text)
{
	struct question question;

	memcpy(&question, text, sizeof(question));
	return (struct request){
		.marked = question.mark == 'b',
		.first = question.first,
		.size = 100 * (question.size % 16),
		.answer = question.answer,
		.fd = fd,
		.number = next_number(),
	};
}

/* False: the client is gone. */
static bool take(int fd, struct request *request)
{
	char text[256];
	const ssize_t bytes = recv(fd, text, sizeof(text), 0);

	if (bytes < (ssize_t)sizeof(struct question))
		return false;
	*request = parse(fd, text);
	return true;
}

static char *write_answer(const struct request *request)
{
	static __thread char text[ANSWER_MAX];

	memset(text, 'x', request->answer);
	memcpy(text, &request->answer, sizeof(request->answer));
	return text;
}

static void answer(const struct request *request)
{
	if (send(request->fd, write_answer(request), request->answer, MSG_NOSIGNAL) < 0)
		shutdown(request->fd, SHUT_RDWR);
}

static struct sockaddr_in address_of(uint16_t port)
{
	return (struct sockaddr_in){ AF_INET, htons(port), { htonl(INADDR_LOOPBACK) }, { 0 } };
}

static int listen_on(uint16_t port, bool shared)
{
	const struct sockaddr_in address = address_of(port);
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1, few = 16384;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (has_bug("slow_readers"))
		setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &few, sizeof(few));
	if (shared)
		setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	if (bind(fd, (const void *)&address, sizeof(address)) || listen(fd, 128)) {
		perror("shapes: listen");
		exit(1);
	}
	return fd;
}

static void start(void *(*run)(void *), void *user)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, user) || pthread_detach(thread))
		abort();
}

static void watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/* An epoll loop; what is done with each request differs. back: an eventfd that is ready when answers wait, or -1. */
static void loop(int listener, void (*serve_one)(struct request *request), int back, void (*take_back)(void))
{
	const int epoll = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event ready[16];

	watch(epoll, listener);
	if (back >= 0)
		watch(epoll, back);
	for (;;) {
		const int events = epoll_wait(epoll, ready, 16, 1000);

		for (int i = 0; i < events; i++) {
			const int fd = ready[i].data.fd;
			struct request request;

			if (fd == listener)
				watch(epoll, accept4(listener, NULL, NULL, SOCK_CLOEXEC));
			else if (fd == back)
				take_back();
			else if (take(fd, &request))
				serve_one(&request);
			else
				close(fd);
		}
	}
}

static void serve_at_once(struct request *request)
{
	serve_request(request);
	answer(request);
}

static void *serve_epoll(void *listener)
{
	loop((int)(intptr_t)listener, serve_at_once, -1, NULL);
	return NULL;
}

static void serve_poll(int listener)
{
	static struct pollfd slot[CLIENTS];
	nfds_t slots = 1;

	slot[0] = (struct pollfd){ listener, POLLIN, 0 };
	for (;;) {
		poll(slot, slots, -1);
		for (nfds_t i = slots - 1; i > 0; i--) {
			struct request request;

			if (!slot[i].revents)
				continue;
			if (take(slot[i].fd, &request)) {
				serve_at_once(&request);
			} else {
				close(slot[i].fd);
				slot[i] = slot[--slots];
			}
		}
		if (slot[0].revents && slots < CLIENTS)
			slot[slots++] = (struct pollfd){ accept4(listener, NULL, NULL, SOCK_CLOEXEC), POLLIN, 0 };
	}
}

static void *serve_connection(void *user)
{
	const int fd = (int)(intptr_t)user;
	struct request request;

	while (take(fd, &request))
		serve_at_once(&request);
	close(fd);
	return NULL;
}

static void serve_thread_each(int listener)
{
	for (;;)
		start(serve_connection, (void *)(intptr_t)accept4(listener, NULL, NULL, SOCK_CLOEXEC));
}

/* One request on each connection. */
static void *serve_accepted(void *listener)
{
	for (;;) {
		const int fd = accept4((int)(intptr_t)listener, NULL, NULL, SOCK_CLOEXEC);
		struct request request;

		if (take(fd, &request))
			serve_at_once(&request);
		shutdown(fd, SHUT_WR);
		close(fd);
	}
	return NULL;
}

static void serve_forked(int listener)
{
	for (int i = 0; i < WORKERS; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			begin_bug();
			serve_accepted((void *)(intptr_t)listener);
		}
	for (;;)
		wait(NULL);
}

/* A queue in memory. */
struct queue {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	struct request request[QUEUE];
	unsigned int put, taken;
};

static struct queue requests = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };
static struct queue answers = { .lock = PTHREAD_MUTEX_INITIALIZER, .filled = PTHREAD_COND_INITIALIZER };
static int answers_ready;

static void put(struct queue *queue, const struct request *request)
{
	pthread_mutex_lock(&queue->lock);
	queue->request[queue->put++ % QUEUE] = *request;
	pthread_cond_signal(&queue->filled);
	pthread_mutex_unlock(&queue->lock);
}

static struct request get(struct queue *queue)
{
	struct request request;

	pthread_mutex_lock(&queue->lock);
	while (queue->put == queue->taken)
		pthread_cond_wait(&queue->filled, &queue->lock);
	request = queue->request[queue->taken++ % QUEUE];
	pthread_mutex_unlock(&queue->lock);
	return request;
}

static void put_work(struct request *request)
{
	put(&requests, request);
}

static void *work_and_answer(void *user)
{
	for (;;) {
		struct request request = get(&requests);

		serve_at_once(&request);
	}
	return user;
}

static void serve_queue(int listener)
{
	for (int i = 0; i < WORKERS; i++)
		start(work_and_answer, NULL);
	loop(listener, put_work, -1, NULL);
}

static void *work_and_give_back(void *user)
{
	const uint64_t one = 1;

	for (;;) {
		struct request request = get(&requests);

		serve_request(&request);
		put(&answers, &request);
		if (write(answers_ready, &one, sizeof(one)) != sizeof(one))
			abort();
	}
	return user;
}

static void answer_ready(void)
{
	uint64_t ready;

	if (read(answers_ready, &ready, sizeof(ready)) != sizeof(ready))
		return;
	while (ready-- > 0) {
		const struct request request = get(&answers);

		answer(&request);
	}
}

/* The loop writes the answers, when a worker says by an eventfd that there are some. */
static void serve_back(int listener)
{
	answers_ready = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	for (int i = 0; i < WORKERS; i++)
		start(work_and_give_back, NULL);
	loop(listener, put_work, answers_ready, answer_ready);
}

static int to_first[2], to_second[2];

static void pass_on(struct request *request)
{
	if (write(to_first[1], request, sizeof(*request)) != sizeof(*request))
		abort();
}

static void *first_stage(void *user)
{
	struct request request;

	prctl(PR_SET_NAME, "stage1");
	while (read(to_first[0], &request, sizeof(request)) == sizeof(request)) {
		stage_one(&request);
		if (write(to_second[1], &request, sizeof(request)) != sizeof(request))
			abort();
	}
	return user;
}

static void *second_stage(void *user)
{
	struct request request;

	prctl(PR_SET_NAME, "stage2");
	while (read(to_second[0], &request, sizeof(request)) == sizeof(request)) {
		stage_two(&request);
		answer(&request);
	}
	return user;
}

static void serve_pipeline(int listener)
{
	if (pipe(to_first) || pipe(to_second))
		abort();
	start(first_stage, NULL);
	for (int i = 0; i < 2; i++)
		start(second_stage, NULL);
	loop(listener, pass_on, -1, NULL);
}

static void serve_datagrams(uint16_t port)
{
	const struct sockaddr_in address = address_of(port);
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (bind(fd, (const void *)&address, sizeof(address)))
		exit(1);
	for (;;) {
		char text[256];
		struct sockaddr_in from;
		socklen_t length = sizeof(from);
		const ssize_t bytes = recvfrom(fd, text, sizeof(text), 0, (void *)&from, &length);
		struct request request;

		if (bytes < (ssize_t)sizeof(struct question))
			continue;
		request = parse(fd, text);
		serve_request(&request);
		sendto(fd, write_answer(&request), request.answer, 0, (void *)&from, length);
	}
}

void serve(const char *shape, uint16_t port)
{
	static const struct {
		const char *name;
		void (*serve)(int listener);
	} simple[] = {
		{ "poll", serve_poll }, { "thread_each", serve_thread_each }, { "queue", serve_queue },
		{ "back", serve_back }, { "pipeline", serve_pipeline },
	};

	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (count == MAP_FAILED)
		return;
	if (!strcmp(shape, "prefork"))
		serve_forked(listen_on(port, false));
	begin_bug();
	if (!strcmp(shape, "datagrams"))
		serve_datagrams(port);
	if (!strcmp(shape, "epoll_each")) {
		for (int i = 0; i < 2; i++)
			start(serve_epoll, (void *)(intptr_t)listen_on(port, true));
		serve_epoll((void *)(intptr_t)listen_on(port, true));
	}
	if (!strcmp(shape, "epoll"))
		serve_epoll((void *)(intptr_t)listen_on(port, false));
	if (!strcmp(shape, "accept_each")) {
		void *listener = (void *)(intptr_t)listen_on(port, false);

		for (int i = 0; i < WORKERS; i++)
			start(serve_accepted, listener);
		serve_accepted(listener);
	}
	for (size_t i = 0; i < sizeof(simple) / sizeof(simple[0]); i++)
		if (!strcmp(shape, simple[i].name))
			simple[i].serve(listen_on(port, false));
}
