// SPDX-License-Identifier: GPL-2.0-only
/*
 * A healthy server with one client, and a process that takes the CPU from it.
 *
 * Usage: outside_work serve MICROSECONDS [EACH [poll]] | burn
 *   serve  a client asks, every 2 ms at most, a child that computes for some ms and answers. Prints the child's pid.
 *          With EACH the child also asks a process "backend" over the loopback in each request, which sleeps for 0.2 ms
 *          and each EACH-th time for 10 ms before it answers. With "poll" it waits for the answer in poll() and
 *          reads then, as clients with a time limit do.
 *   burn   computes until it is killed
 * The server is the child, so that a limit of its control group does not hold for its client.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_BYTES 64
#define PAUSE_NS 2000000
#define QUICK_NS 200000
#define SLOW_NS 10000000

static volatile uint64_t sum;

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static __attribute__((noinline)) void compute(uint64_t ns)
{
	const uint64_t end_ns = cpu_ns() + ns;

	while (cpu_ns() < end_ns)
		for (int i = 0; i < 1000; i++)
			sum += (uint64_t)i;
}

static struct sockaddr_un address_of(pid_t pid, socklen_t *ret_bytes)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	/* Of the abstract name space: no file to remove. */
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "scope-outside-%d", pid);
	*ret_bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(address.sun_path + 1));
	return address;
}

static void answer(int listener, long each)
{
	char request[REQUEST_BYTES];
	const int client = accept(listener, NULL, NULL);

	prctl(PR_SET_NAME, "backend");
	for (long number = 1; client >= 0 && read(client, request, sizeof(request)) > 0; number++) {
		nanosleep(&(struct timespec){ 0, number % each == 0 ? SLOW_NS : QUICK_NS }, NULL);
		if (write(client, request, sizeof(request)) < 0)
			break;
	}
}

/* A connection to a new process that answers until it is closed. */
static int start_backend(long each)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0), fd = socket(AF_INET, SOCK_STREAM, 0);
	pid_t child;

	if (bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes))
		return -1;
	child = fork();
	if (!child) {
		/* Children of a process are traced with it, so the one that answers is no child of it. */
		close(fd);
		if (!fork())
			answer(listener, each);
		_exit(0);
	}
	close(listener);
	waitpid(child, NULL, 0);
	return connect(fd, (struct sockaddr *)&address, bytes) ? -1 : fd;
}

static __attribute__((noinline)) bool ask_backend(int backend, char request[REQUEST_BYTES], bool polls)
{
	struct pollfd answer = { .fd = backend, .events = POLLIN };

	return write(backend, request, REQUEST_BYTES) > 0 && (!polls || poll(&answer, 1, 5000) == 1) &&
	       read(backend, request, REQUEST_BYTES) > 0;
}

/* backend: a connection; -1: none. */
static int serve(int listener, uint64_t work_ns, int backend, bool polls)
{
	char request[REQUEST_BYTES];
	const int client = accept(listener, NULL, NULL);

	while (client >= 0 && read(client, request, sizeof(request)) > 0) {
		compute(work_ns);
		if (backend >= 0 && !ask_backend(backend, request, polls))
			break;
		if (write(client, request, sizeof(request)) < 0)
			break;
	}
	return 0;
}

static int ask(pid_t server, const struct sockaddr_un *address, socklen_t bytes)
{
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	char request[REQUEST_BYTES] = "";

	printf("%d\n", server);
	fflush(stdout);
	if (connect(fd, (const struct sockaddr *)address, bytes))
		return 1;
	for (;;) {
		nanosleep(&(struct timespec){ 0, PAUSE_NS }, NULL);
		if (write(fd, request, sizeof(request)) < 0 || read(fd, request, sizeof(request)) <= 0)
			return 0;
	}
}

int main(int argc, char **argv)
{
	socklen_t bytes;
	struct sockaddr_un address;
	pid_t server;
	int listener;

	if (argc == 2 && !strcmp(argv[1], "burn"))
		for (;;)
			compute(1000000000);
	if (argc < 3 || argc > 5 || strcmp(argv[1], "serve"))
		return 2;
	signal(SIGPIPE, SIG_IGN);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	address = address_of(getpid(), &bytes);
	if (listener < 0 || bind(listener, (const struct sockaddr *)&address, bytes) || listen(listener, 4))
		return 1;
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return serve(listener, strtoull(argv[2], NULL, 10) * 1000,
			     argc > 3 ? start_backend(strtol(argv[3], NULL, 10)) : -1, argc > 4);
	}
	return server < 0 ? 1 : ask(server, &address, bytes);
}
