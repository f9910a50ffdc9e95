// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server for tests/vm/test_kinds.sh: a byte of a client selects one of three kinds of work, and serve() does it. Kind
 * 2 takes longer than the others.
 *
 * Prints "ready PID PORT". Serves one connection after another, until it is killed.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile uint64_t sum;

__attribute__((noinline)) void serve(int fd, int kind)
{
	const char answer = 'a';

	for (int i = 0; i < (kind == 2 ? 400000 : 4000); i++)
		sum += (uint64_t)i * (uint64_t)kind;
	if (write(fd, &answer, 1) != 1)
		perror("write");
}

int main(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t length = sizeof(at);
	const int to = socket(AF_INET, SOCK_STREAM, 0);
	char kind;

	if (bind(to, (struct sockaddr *)&at, sizeof(at)) || listen(to, 8) ||
	    getsockname(to, (struct sockaddr *)&at, &length))
		return 1;
	printf("ready %d %d\n", getpid(), ntohs(at.sin_port));
	fflush(stdout);
	for (;;) {
		const int fd = accept(to, NULL, NULL);

		while (read(fd, &kind, 1) == 1)
			serve(fd, kind - '0');
		close(fd);
	}
}
