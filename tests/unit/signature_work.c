// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server of one thread, or its only client, for tests/unit/signature_live.sh.
 *
 * Usage: signature_work serve SOCKET REQUESTS [slow]
 *        signature_work ask SOCKET REQUESTS
 * slow: every 70th request waits long in flush_journal().
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define STAYS __attribute__((noinline, noclone))

static int file, sock, poller;

static inline __attribute__((always_inline)) void pause_us(long us)
{
	const struct timespec time = { .tv_nsec = us * 1000 };

	nanosleep(&time, NULL);
}

static STAYS void load_index(void)
{
	char page[512];

	for (int i = 0; i < 2; i++)
		if (lseek(file, 0, SEEK_SET) || read(file, page, sizeof(page)) < 0)
			abort();
	__asm__ volatile("" : : : "memory");
}

static STAYS void flush_journal(long us)
{
	if (pwrite(file, "journal", 7, 512) != 7 || ftruncate(file, 1024))
		abort();
	pause_us(us);
	__asm__ volatile("" : : : "memory");
}

static STAYS void reply(char answer)
{
	if (getppid() < 0 || send(sock, &answer, 1, MSG_NOSIGNAL) != 1)
		abort();
	__asm__ volatile("" : : : "memory");
}

static STAYS void handle(int number, int slow)
{
	load_index();
	if (number % 7 == 0)
		flush_journal(slow && number % 70 == 0 ? 20000 : 50);
	reply('!');
	__asm__ volatile("" : : : "memory");
}

static STAYS void serve(int requests, int slow)
{
	struct epoll_event event;
	char request;

	for (int i = 0; i < requests; i++) {
		if (epoll_wait(poller, &event, 1, -1) != 1 || recv(sock, &request, 1, 0) != 1)
			abort();
		handle(i, slow);
	}
	__asm__ volatile("" : : : "memory");
}

/* The server may not be there yet. */
static int ask(const struct sockaddr_un *address, int requests)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char byte = '?';

	for (int tries = 0; connect(fd, (const struct sockaddr *)address, sizeof(*address)); tries++) {
		if (fd < 0 || tries == 1000)
			return 1;
		pause_us(10000);
	}
	for (int i = 0; i < requests; i++) {
		if (send(fd, &byte, 1, MSG_NOSIGNAL) != 1 || recv(fd, &byte, 1, 0) != 1)
			return 1;
		pause_us(500);
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct epoll_event event = { .events = EPOLLIN };
	FILE *scratch = tmpfile();
	int listener;

	if (argc < 4 || !scratch)
		return 2;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", argv[2]);
	if (!strcmp(argv[1], "ask"))
		return ask(&address, atoi(argv[3]));
	file = fileno(scratch);
	unlink(address.sun_path);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 1))
		return 1;
	sock = accept(listener, NULL, NULL);
	poller = epoll_create1(0);
	if (sock < 0 || poller < 0 || epoll_ctl(poller, EPOLL_CTL_ADD, sock, &event))
		return 1;
	serve(atoi(argv[3]), argc > 4);
	return 0;
}
