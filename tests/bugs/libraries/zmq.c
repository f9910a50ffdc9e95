// SPDX-License-Identifier: GPL-2.0-only
/* A web server on ZeroMQ: its I/O thread has the connections, the main thread hands requests to four workers by queues in memory. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "kinds.h"

#define WORKERS 4
#define ID_MAX 64

static void *context;

/* A request is the connection's identity and the text; so is its answer. */
static void *work(void *user)
{
	void *jobs = zmq_socket(context, ZMQ_DEALER);
	char id[ID_MAX], request[4096], answer[ANSWER_MAX];

	if (zmq_connect(jobs, "inproc://jobs"))
		_exit(1);
	for (;;) {
		const int id_bytes = zmq_recv(jobs, id, sizeof(id), 0);
		const int bytes = zmq_recv(jobs, request, sizeof(request), 0);

		if (id_bytes < 0 || bytes < 0)
			continue;
		zmq_send(jobs, id, (size_t)id_bytes, ZMQ_SNDMORE);
		zmq_send(jobs, answer, kinds_answer(request, (size_t)bytes, answer), 0);
	}
	return user;
}

/* Passes a message of two parts on. Connections that begin and end come without a text. */
static void pass(void *from, void *to)
{
	char id[ID_MAX], text[4096];
	const int id_bytes = zmq_recv(from, id, sizeof(id), 0);
	const int bytes = zmq_recv(from, text, sizeof(text), 0);

	if (id_bytes <= 0 || bytes <= 0)
		return;
	zmq_send(to, id, (size_t)id_bytes, ZMQ_SNDMORE);
	zmq_send(to, text, (size_t)bytes, 0);
}

int main(int argc, char **argv)
{
	const uint16_t port = kinds_begin(argc, argv);
	char at[64] = "tcp://127.0.0.1:";
	void *clients, *jobs;
	size_t end = strlen(at);

	context = zmq_ctx_new();
	clients = zmq_socket(context, ZMQ_STREAM);
	jobs = zmq_socket(context, ZMQ_DEALER);
	for (unsigned int part = 10000; part; part /= 10)
		at[end++] = (char)('0' + port / part % 10);
	if (zmq_bind(clients, at) || zmq_bind(jobs, "inproc://jobs"))
		return 1;
	for (int i = 0; i < WORKERS; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, work, NULL);
	}
	for (;;) {
		zmq_pollitem_t items[] = { { clients, 0, ZMQ_POLLIN, 0 }, { jobs, 0, ZMQ_POLLIN, 0 } };

		zmq_poll(items, 2, -1);
		if (items[0].revents)
			pass(clients, jobs);
		if (items[1].revents)
			pass(jobs, clients);
	}
}
