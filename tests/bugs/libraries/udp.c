// SPDX-License-Identifier: GPL-2.0-only
/* A server of datagrams, each of which is a request: one thread by recvmmsg, or with the variant "threads" four by recvfrom. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kinds.h"

#define MANY 8
#define TEXT 256

static int fd;

static void serve_many(void)
{
	static char requests[MANY][TEXT];
	static struct sockaddr_storage from[MANY];
	struct iovec rooms[MANY];
	struct mmsghdr messages[MANY];
	char answer[ANSWER_MAX];
	int got;

	memset(messages, 0, sizeof(messages));
	for (int i = 0; i < MANY; i++) {
		rooms[i] = (struct iovec){ requests[i], TEXT };
		messages[i].msg_hdr = (struct msghdr){ &from[i], sizeof(from[i]), &rooms[i], 1, NULL, 0, 0 };
	}
	got = recvmmsg(fd, messages, MANY, MSG_WAITFORONE, NULL);
	for (int i = 0; i < got; i++)
		sendto(fd, answer, kinds_answer(requests[i], messages[i].msg_len, answer), 0, (const void *)&from[i],
		       messages[i].msg_hdr.msg_namelen);
}

static void serve_one(void)
{
	char request[TEXT], answer[ANSWER_MAX];
	struct sockaddr_storage from;
	socklen_t bytes = sizeof(from);
	const ssize_t got = recvfrom(fd, request, sizeof(request), 0, (void *)&from, &bytes);

	if (got > 0)
		sendto(fd, answer, kinds_answer(request, (size_t)got, answer), 0, (const void *)&from, bytes);
}

static void *serve_ones(void *user)
{
	for (;;)
		serve_one();
	return user;
}

int main(int argc, char **argv)
{
	fd = kinds_datagrams(kinds_begin(argc, argv));
	if (!strcmp(kinds_variant(), "threads")) {
		pthread_t thread;

		for (int i = 0; i < 4; i++)
			pthread_create(&thread, NULL, serve_ones, NULL);
		pthread_join(thread, NULL);
	}
	for (;;)
		serve_many();
}
