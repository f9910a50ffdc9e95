// SPDX-License-Identifier: GPL-2.0-only
/* A server with its own client, for root file systems that have no other program. Its bug is checksum_twice(). */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVERY 30     /* request goes through the bug */
#define ROUNDS 20000 /* of the checksum, for the others */

static volatile uint32_t sink;

__attribute__((noinline)) static void checksum(uint32_t request)
{
	uint32_t sum = request;

	for (int i = 0; i < ROUNDS; i++)
		sum = sum * 31 + (uint32_t)i;
	sink = sum;
}

/* Takes long enough to be found on an emulated machine whose host is busy with other guests. */
__attribute__((noinline)) static void checksum_twice(uint32_t request)
{
	uint32_t sum = request;

	for (int i = 0; i < 400 * ROUNDS; i++)
		sum = sum * 33 + (uint32_t)i;
	sink = sum;
}

static void answer(int fd)
{
	uint32_t request;

	while (read(fd, &request, sizeof(request)) == sizeof(request)) {
		if (request % EVERY)
			checksum(request);
		else
			checksum_twice(request);
		if (write(fd, &request, sizeof(request)) != sizeof(request))
			break;
	}
	close(fd);
}

static void serve(int listener)
{
	for (;;)
		answer(accept(listener, NULL, NULL));
}

static void ask(const struct sockaddr_in *server)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (const struct sockaddr *)server, sizeof(*server)))
		exit(1);
	for (uint32_t request = 1;; request++) {
		uint32_t back;

		if (write(fd, &request, sizeof(request)) != sizeof(request) ||
		    read(fd, &back, sizeof(back)) != sizeof(back))
			exit(1);
		nanosleep(&pause, NULL);
	}
}

/* The server is the child: tracing it leaves its client out. Its number is printed. */
int main(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM, 0);
	pid_t server;

	if (bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes))
		return 1;
	server = fork();
	if (!server) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(listener);
	}
	printf("%d\n", (int)server);
	fflush(stdout);
	ask(&address);
	return 0;
}
