// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server with a thread for each of its four clients, which fails in the requested way.
 *
 * Usage: watch_work NAME      the server's name
 * Lines on standard input: "slow" (each request takes 15 ms more), "hang" (one thread waits for a condition that nobody signals),
 * "spin" (one thread loops without a call), "calm" (all is well again), "busy N" (clients pause N us instead of 5,000).
 * Prints "ready PID", the server's; "WORD SECONDS" of the first request that fails in this way, since 1970.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 4

enum way {
	CALM,
	SLOW,
	HANG,
	SPIN,
};

static const char *const names[] = { "calm", "slow", "hang", "spin" };

struct shared {
	volatile int way;
	volatile int pause_us;
	volatile double change; /* 0: not yet */
};

static struct shared *shared;
static int listener;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t length = sizeof(address);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answer = PTHREAD_COND_INITIALIZER;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void begin(void)
{
	if (!shared->change)
		shared->change = now();
}

__attribute__((noinline)) void render_slowly(void)
{
	begin();
	usleep(15000);
}

__attribute__((noinline)) void await_answer(void)
{
	begin();
	pthread_mutex_lock(&lock);
	while (shared->way == HANG)
		pthread_cond_wait(&answer, &lock);
	pthread_mutex_unlock(&lock);
}

__attribute__((noinline)) void count_for_ever(void)
{
	begin();
	while (shared->way == SPIN)
		;
}

__attribute__((noinline)) void serve(int client, char *byte)
{
	if (shared->way == SLOW)
		render_slowly();
	if (shared->way == HANG && client == 1)
		await_answer();
	if (shared->way == SPIN && client == 2)
		count_for_ever();
	(*byte)++;
}

static void *run(void *argument)
{
	struct epoll_event event = { .events = EPOLLIN };
	const int epoll = epoll_create1(EPOLL_CLOEXEC), fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	char byte;

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event))
		exit(1);
	while (epoll_wait(epoll, &event, 1, -1) == 1 && read(fd, &byte, 1) == 1) {
		serve((int)(long)argument, &byte);
		if (write(fd, &byte, 1) != 1)
			break;
	}
	return NULL;
}

/* Wakes the thread that waits, once all is well again: in this process, so that nobody has to come. */
static void be_server(const char *name)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, name);
	for (long i = 0; i < CLIENTS; i++)
		if (pthread_create(&thread, NULL, run, (void *)i))
			exit(1);
	for (;;) {
		usleep(200000);
		if (shared->way != HANG)
			pthread_cond_broadcast(&answer);
	}
}

static void *ask(void *argument)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char byte = 0;

	(void)argument;
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, length))
		exit(1);
	while (write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1)
		usleep((useconds_t)shared->pause_us);
	return NULL;
}

static void take(const char *line)
{
	int us;

	if (sscanf(line, "busy %d", &us) == 1) {
		shared->pause_us = us;
		return;
	}
	for (int way = CALM; way <= SPIN; way++) {
		if (strncmp(line, names[way], 4))
			continue;
		shared->change = 0;
		shared->way = way;
		while (way != CALM && !shared->change)
			usleep(1000);
		printf("%s %.3f\n", names[way], way == CALM ? now() : shared->change);
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	char line[64];
	pthread_t thread;
	pid_t server;

	signal(SIGPIPE, SIG_IGN);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	shared->pause_us = 5000;
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof(sa_family_t)) ||
	    listen(listener, CLIENTS) || getsockname(listener, (struct sockaddr *)&address, &length))
		return 1;
	server = fork();
	if (!server)
		be_server(argc > 1 ? argv[1] : "server");
	for (int i = 0; i < CLIENTS; i++)
		if (pthread_create(&thread, NULL, ask, NULL))
			return 1;
	printf("ready %d\n", (int)server);
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin))
		take(line);
	kill(server, SIGKILL);
	return 0;
}
