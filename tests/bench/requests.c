// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ask a redis or memcached server for a value again and again, and print the time of one request.
 *
 * Usage: requests redis|memcached PORT PID REQUESTS
 * One connection and one request at a time, so the server makes the same calls and switches for each,
 * whatever slows it down. Meant for a guest whose clock counts instructions: 1 ns is one. Prints, in ns
 * of that clock for each request:
 *   median    CPU time of process PID, in user mode and in the kernel, in the median batch of ten
 *   server    the same on average over all: what happens now and then is in it
 *   all       the time that passed: this program, and who else wants the processor, are in it
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define VALUE_BYTES 100
#define WARM 200
#define BATCH 10

static const struct protocol {
	const char *name;
	const char *set, *stored; /* the value is between the two halves of set */
	const char *get, *found;  /* the same */
} protocols[] = {
	{ "redis", "*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$100\r\n%s\r\n", "+OK\r\n", "*2\r\n$3\r\nGET\r\n$3\r\nkey\r\n",
	  "$100\r\n%s\r\n" },
	{ "memcached", "set key 0 0 100\r\n%s\r\n", "STORED\r\n", "get key\r\n", "VALUE key 0 100\r\n%s\r\nEND\r\n" },
};
#define PROTOCOLS (sizeof(protocols) / sizeof(protocols[0]))

static uint64_t clock_ns(clockid_t id)
{
	struct timespec time;

	clock_gettime(id, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int connect_to(uint16_t port)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on))) {
		perror("requests: connect");
		exit(1);
	}
	return fd;
}

/* An answer that is not the expected one ends the program. */
static void ask(int fd, const char *question, const char *answer)
{
	size_t bytes = strlen(question), want = strlen(answer), got = 0;
	char buffer[256];

	if (write(fd, question, bytes) != (ssize_t)bytes) {
		perror("requests: write");
		exit(1);
	}
	while (got < want) {
		ssize_t more = read(fd, buffer + got, sizeof(buffer) - got);

		if (more <= 0 || memcmp(buffer, answer, got + (size_t)more)) {
			fprintf(stderr, "requests: unexpected answer\n");
			exit(1);
		}
		got += (size_t)more;
	}
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void measure(int fd, clockid_t clock, size_t batches, const char *question, const char *answer)
{
	uint64_t *took = calloc(batches, sizeof(*took)), server = 0, all;

	if (!took)
		exit(1);
	for (unsigned int i = 0; i < WARM; i++)
		ask(fd, question, answer);
	all = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < batches; i++) {
		took[i] = clock_ns(clock);
		for (unsigned int turn = 0; turn < BATCH; turn++)
			ask(fd, question, answer);
		took[i] = clock_ns(clock) - took[i];
		server += took[i];
	}
	all = clock_ns(CLOCK_MONOTONIC) - all;
	qsort(took, batches, sizeof(*took), ascending);
	printf("median %.1f\nserver %.1f\nall %.1f\n", (double)took[batches / 2] / BATCH,
	       (double)server / (double)(batches * BATCH), (double)all / (double)(batches * BATCH));
	free(took);
}

int main(int argc, char **argv)
{
	char value[VALUE_BYTES + 1], question[256], answer[256];
	clockid_t clock;
	size_t at = 0;
	int fd;

	while (argc == 5 && at < PROTOCOLS && strcmp(argv[1], protocols[at].name))
		at++;
	if (argc != 5 || at == PROTOCOLS || atol(argv[4]) < BATCH || clock_getcpuclockid(atoi(argv[3]), &clock)) {
		fputs("usage: requests redis|memcached PORT PID REQUESTS\n", stderr);
		return 2;
	}
	memset(value, 'x', VALUE_BYTES);
	value[VALUE_BYTES] = 0;
	fd = connect_to((uint16_t)atoi(argv[2]));
	snprintf(question, sizeof(question), protocols[at].set, value);
	ask(fd, question, protocols[at].stored);
	snprintf(answer, sizeof(answer), protocols[at].found, value);
	measure(fd, clock, (size_t)atol(argv[4]) / BATCH, protocols[at].get, answer);
	return 0;
}
