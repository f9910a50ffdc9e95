// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs beside a server of the bench: a backend that answers by UDP, a busy neighbour, or a
 * slow reader of its log.
 *
 * Usage: helper backend PORT PID SEED SHARE MS    every so manyth answer (0: none) takes MS longer
 *        helper hog CPU PID                       keeps the CPU busy, 9 of 10 ms
 *        helper drain FIFO PID BYTES MS           reads BYTES, and waits, again and again
 * Ends when the process PID is gone.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pid_t served;

static void look(int signal)
{
	(void)signal;
	if (kill(served, 0))
		_exit(0);
}

static void end_with(pid_t pid)
{
	struct itimerval often = { { 1, 0 }, { 1, 0 } };
	struct sigaction action = { .sa_handler = look, .sa_flags = SA_RESTART };

	served = pid;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
}

static int backend(int port, unsigned seed, int share, int ms)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_port = htons((unsigned short)port),
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) },
			   client;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char data[64];

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return 1;
	srand(seed);
	for (;;) {
		socklen_t bytes = sizeof(client);
		ssize_t got = recvfrom(fd, data, sizeof(data), 0, (struct sockaddr *)&client, &bytes);

		if (got <= 0)
			continue;
		if (share && !(rand() / 7 % share))
			usleep((useconds_t)ms * 1000);
		sendto(fd, data, (size_t)got, 0, (struct sockaddr *)&client, bytes);
	}
}

static __attribute__((noreturn)) void hog(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;) {
		struct timespec now;

		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_nsec / 1000000 % 10 == 9)
			usleep(1000);
	}
}

static int drain(const char *path, size_t bytes, int ms)
{
	int fd = open(path, O_RDONLY);
	char *data = malloc(bytes);

	if (fd < 0 || !data)
		return 1;
	while (read(fd, data, bytes) > 0)
		usleep((useconds_t)ms * 1000);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 7 && !strcmp(argv[1], "backend")) {
		end_with(atoi(argv[3]));
		return backend(atoi(argv[2]), (unsigned)atoi(argv[4]), atoi(argv[5]), atoi(argv[6]));
	}
	if (argc == 4 && !strcmp(argv[1], "hog")) {
		end_with(atoi(argv[3]));
		hog(atoi(argv[2]));
	}
	if (argc == 6 && !strcmp(argv[1], "drain")) {
		end_with(atoi(argv[3]));
		return drain(argv[2], (size_t)atoi(argv[4]), atoi(argv[5]));
	}
	fprintf(stderr, "usage: helper backend PORT PID SEED SHARE MS | hog CPU PID |\n"
			"       drain FIFO PID BYTES MS\n");
	return 2;
}
