// SPDX-License-Identifier: GPL-2.0-only
/*
 * A healthy server with one client, and a process that takes the CPU from it.
 *
 * Usage: outside_work serve MICROSECONDS | burn
 *   serve  a client asks, every 2 ms at most, a child that computes for some ms and answers. Prints the child's pid.
 *   burn   computes until it is killed
 * The server is the child, so that a limit of its control group does not hold for its client.
 */
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define REQUEST_BYTES 64
#define PAUSE_NS 2000000

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

static int serve(int listener, uint64_t work_ns)
{
	char request[REQUEST_BYTES];
	const int client = accept(listener, NULL, NULL);

	while (client >= 0 && read(client, request, sizeof(request)) > 0) {
		compute(work_ns);
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
	if (argc != 3 || strcmp(argv[1], "serve"))
		return 2;
	signal(SIGPIPE, SIG_IGN);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	address = address_of(getpid(), &bytes);
	if (listener < 0 || bind(listener, (const struct sockaddr *)&address, bytes) || listen(listener, 4))
		return 1;
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return serve(listener, strtoull(argv[2], NULL, 10) * 1000);
	}
	return server < 0 ? 1 : ask(server, &address, bytes);
}
