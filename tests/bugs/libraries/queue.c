// SPDX-License-Identifier: GPL-2.0-only
/* A web server whose requests run in four processes. A thread gives them requests and another sends their answers: by a message queue of
 * System V, or with the variant "ring" by two rings in shared memory with semaphores. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kinds.h"

#define WORKERS 4
#define SLOTS 64

struct message {
	long type; /* of System V */
	int fd;	   /* of the client, in the first process */
	size_t bytes;
	char text[256];
};

#define MESSAGE_BYTES (sizeof(struct message) - sizeof(long))

enum { REQUESTS, ANSWERS };

static struct ring {
	sem_t filled, room;
	pthread_mutex_t lock;
	unsigned int first, last;
	struct message slots[SLOTS];
} * rings; /* NULL: messages */

static int queues[2];

static void give(int which, const struct message *message)
{
	struct ring *ring = &rings[which];

	if (!rings) {
		if (msgsnd(queues[which], message, MESSAGE_BYTES, 0))
			abort();
		return;
	}
	sem_wait(&ring->room);
	pthread_mutex_lock(&ring->lock);
	ring->slots[ring->last++ % SLOTS] = *message;
	pthread_mutex_unlock(&ring->lock);
	sem_post(&ring->filled);
}

static void take(int which, struct message *message)
{
	struct ring *ring = &rings[which];

	if (!rings) {
		if (msgrcv(queues[which], message, MESSAGE_BYTES, 0, 0) < 0)
			abort();
		return;
	}
	while (sem_wait(&ring->filled))
		;
	pthread_mutex_lock(&ring->lock);
	*message = ring->slots[ring->first++ % SLOTS];
	pthread_mutex_unlock(&ring->lock);
	sem_post(&ring->room);
}

static void work(void)
{
	struct message request, answer;

	for (;;) {
		take(REQUESTS, &request);
		answer.type = 1;
		answer.fd = request.fd;
		answer.bytes = kinds_answer(request.text, request.bytes, answer.text);
		give(ANSWERS, &answer);
	}
}

static void *send_answers(void *user)
{
	struct message answer;

	for (;;) {
		take(ANSWERS, &answer);
		send(answer.fd, answer.text, answer.bytes, MSG_NOSIGNAL);
	}
	return user;
}

static void begin_rings(void)
{
	pthread_mutexattr_t attributes;

	rings = mmap(NULL, 2 * sizeof(*rings), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	for (int i = 0; i < 2; i++) {
		sem_init(&rings[i].filled, 1, 0);
		sem_init(&rings[i].room, 1, SLOTS);
		pthread_mutex_init(&rings[i].lock, &attributes);
	}
}

/* Queues stay after the server: the program that ends it removes them by their keys. */
static void begin_workers(uint16_t port)
{
	if (!strcmp(kinds_variant(), "ring"))
		begin_rings();
	for (int i = 0; i < 2; i++)
		queues[i] = rings ? -1 : msgget(2 * port + i, IPC_CREAT | 0600);
	for (int i = 0; i < WORKERS; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work();
	}
}

static void serve_clients(int listener)
{
	const int poller = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { EPOLLIN, { .fd = listener } };
	struct message request = { .type = 1 };

	epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
	for (;;) {
		ssize_t bytes;

		if (epoll_wait(poller, &event, 1, -1) < 1)
			continue;
		if (event.data.fd == listener) {
			event.data.fd = accept(listener, NULL, NULL);
			kinds_accepted(event.data.fd);
			epoll_ctl(poller, EPOLL_CTL_ADD, event.data.fd, &event);
			continue;
		}
		bytes = recv(event.data.fd, request.text, sizeof(request.text), 0);
		if (bytes <= 0) {
			close(event.data.fd);
			continue;
		}
		request.fd = event.data.fd;
		request.bytes = (size_t)bytes;
		give(REQUESTS, &request);
	}
}

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	const int listener = kinds_listen(port);
	pthread_t thread;

	begin_workers(port);
	pthread_create(&thread, NULL, send_answers, NULL);
	serve_clients(listener);
}
