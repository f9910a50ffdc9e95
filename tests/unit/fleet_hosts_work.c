// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server of a group of servers that call each other over TCP. It has a thread for each client, and each thread has a connection to each of its backends.
 *
 * Usage: fleet_hosts_work serve PORT BUG SEED [ADDRESS:PORT...]   BUG: "none", or "spin" or "sleep" for 5 ms in 5 % of its requests
 *        fleet_hosts_work load ADDRESS:PORT CLIENTS SEED          clients that pause for a random time between requests
 * Both print "ready PID"; a server listens by then.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BACKENDS_MAX 8
#define MESSAGE 64
#define BUG_NS 5000000
#define BUG_SHARE 20 /* one request of that number */

static struct sockaddr_in backend[BACKENDS_MAX];
static int backends;
static const char *bug;
static uint64_t seed;
static unsigned clients;

struct client {
	int fd;
	uint64_t random;
};

static uint64_t roll(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static double rounds_a_ns;

static inline __attribute__((always_inline)) void work_ns(uint64_t ns)
{
	for (uint64_t i = (uint64_t)((double)ns * rounds_a_ns); i; i--)
		__asm__ volatile("" : "+r"(i));
}

/* Without a call that a server would have in its trace. */
static void measure(void)
{
	struct timespec from, to;
	double ns;

	for (rounds_a_ns = 0.01;; rounds_a_ns *= 2) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
		work_ns(10000000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
		ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
		if (ns >= 5e6)
			break;
	}
	rounds_a_ns *= 1e7 / ns;
}

static void pause_ns(uint64_t ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = (long)ns }, NULL);
}

/* The bug. */
static __attribute__((noinline)) void rebuild_index(void)
{
	if (!strcmp(bug, "sleep"))
		nanosleep(&(struct timespec){ .tv_nsec = BUG_NS }, NULL);
	else
		work_ns(BUG_NS);
	__asm__ volatile("");
}

static __attribute__((noinline)) void find_rows(uint64_t *random)
{
	work_ns(100000 + roll(random) % 100000);
	__asm__ volatile("");
}

static int dial(const struct sockaddr_in *address)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	for (int i = 0; i < 200; i++) {
		if (!connect(fd, (const struct sockaddr *)address, sizeof(*address))) {
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
			return fd;
		}
		pause_ns(20000000);
	}
	perror("connect");
	exit(1);
}

static __attribute__((noinline)) void call_backend(int fd)
{
	char message[MESSAGE] = "";

	if (write(fd, message, sizeof(message)) != MESSAGE || read(fd, message, sizeof(message)) != MESSAGE)
		exit(0);
	__asm__ volatile("");
}

static __attribute__((noinline)) void handle(struct client *client, const int *fd)
{
	find_rows(&client->random);
	if (strcmp(bug, "none") && !(roll(&client->random) % BUG_SHARE))
		rebuild_index();
	for (int i = 0; i < backends; i++)
		call_backend(fd[i]);
	__asm__ volatile("");
}

static void *serve_client(void *argument)
{
	struct client *client = argument;
	char message[MESSAGE];
	int fd[BACKENDS_MAX];

	for (int i = 0; i < backends; i++)
		fd[i] = dial(&backend[i]);
	while (read(client->fd, message, sizeof(message)) == MESSAGE) {
		handle(client, fd);
		if (write(client->fd, message, sizeof(message)) != MESSAGE)
			break;
	}
	exit(0);
}

static void *send_requests(void *argument)
{
	struct client *client = argument;

	for (;;) {
		call_backend(client->fd);
		pause_ns(15000000 + roll(&client->random) % 40000000);
	}
	return NULL;
}

static void begin(void *(*run)(void *argument), int fd)
{
	struct client *client = calloc(1, sizeof(*client));
	pthread_t thread;

	client->fd = fd;
	client->random = seed * 0x9e3779b97f4a7c15ull + ++clients * 0xbf58476d1ce4e5b9ull;
	for (int i = 0; i < 8; i++)
		roll(&client->random);
	if (pthread_create(&thread, NULL, run, client))
		exit(1);
}

static struct sockaddr_in address_of(char *text)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	char *colon = strchr(text, ':');

	if (colon)
		*colon = '\0';
	address.sin_port = htons((uint16_t)atoi(colon ? colon + 1 : "0"));
	inet_pton(AF_INET, text, &address.sin_addr);
	return address;
}

static void ready(void)
{
	printf("ready %d\n", getpid());
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	const int on = 1;
	int listener;

	prctl(PR_SET_PDEATHSIG, 9);
	measure();
	if (argc == 5 && !strcmp(argv[1], "load")) {
		const struct sockaddr_in to = address_of(argv[2]);

		seed = strtoull(argv[4], NULL, 10) + 1000;
		for (int i = atoi(argv[3]); i > 0; i--)
			begin(send_requests, dial(&to));
		ready();
		for (;;)
			pause();
	}
	if (argc < 5 || argc > 5 + BACKENDS_MAX)
		return 2;
	bug = argv[3];
	seed = strtoull(argv[4], NULL, 10) + (uint64_t)atoi(argv[2]);
	for (int i = 5; i < argc; i++)
		backend[backends++] = address_of(argv[i]);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	own.sin_port = htons((uint16_t)atoi(argv[2]));
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (struct sockaddr *)&own, sizeof(own)) || listen(listener, 64)) {
		perror("listen");
		return 1;
	}
	ready();
	for (;;) {
		const int fd = accept(listener, NULL, NULL);

		if (fd >= 0)
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
		if (fd >= 0)
			begin(serve_client, fd);
	}
}
