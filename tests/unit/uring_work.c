// SPDX-License-Identifier: GPL-2.0-only
/*
 * A server that accepts, receives and sends by io_uring alone, without a library.
 *
 * Usage: uring_work REQUESTS
 * Prints "ready PID" and waits for "go"; then a thread of its own sends that many requests on 4 connections. Prints "done REQUESTS",
 * and ends with its standard input. Exit status 77: this kernel has no io_uring.
 */
#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ENTRIES 64u
#define CONNECTIONS 4
#define BYTES 64

static struct {
	int fd;
	uint8_t *ring;
	struct io_uring_sqe *sqe;
	struct io_uring_params params;
} uring;

static struct sockaddr_in at = { .sin_family = AF_INET };
static char buffer[1024][BYTES];
static long requests;
static volatile uint64_t sum;

static uint32_t *word(uint32_t offset)
{
	return (uint32_t *)(uring.ring + offset);
}

static void submit(uint8_t opcode, int fd, void *data, uint32_t bytes)
{
	const uint32_t tail = *word(uring.params.sq_off.tail), at_slot = tail & *word(uring.params.sq_off.ring_mask);
	struct io_uring_sqe *sqe = &uring.sqe[at_slot];

	*sqe = (struct io_uring_sqe){ .opcode = opcode, .fd = fd, .addr = (uint64_t)(uintptr_t)data, .len = bytes };
	sqe->user_data = (uint64_t)opcode << 32 | (uint32_t)fd;
	word(uring.params.sq_off.array)[at_slot] = at_slot;
	__atomic_store_n(word(uring.params.sq_off.tail), tail + 1, __ATOMIC_RELEASE);
}

static void done(int listener, const struct io_uring_cqe *cqe)
{
	const uint8_t opcode = (uint8_t)(cqe->user_data >> 32);
	const int fd = (int)(uint32_t)cqe->user_data;

	if (opcode == IORING_OP_ACCEPT && cqe->res >= 0) {
		submit(IORING_OP_RECV, cqe->res, buffer[cqe->res % 1024], BYTES);
		submit(IORING_OP_ACCEPT, listener, NULL, 0);
	} else if (opcode == IORING_OP_RECV && cqe->res > 0) {
		for (int i = 0; i < 50000; i++)
			sum += (uint64_t)i;
		submit(IORING_OP_SEND, fd, buffer[fd % 1024], BYTES);
	} else if (opcode == IORING_OP_SEND && cqe->res > 0) {
		submit(IORING_OP_RECV, fd, buffer[fd % 1024], BYTES);
	} else {
		close(fd);
	}
}

static void *serve(void *user)
{
	const int listener = *(int *)user;
	uint32_t waiting = 1;

	prctl(PR_SET_NAME, "uring-loop");
	submit(IORING_OP_ACCEPT, listener, NULL, 0);
	for (;;) {
		uint32_t head = *word(uring.params.cq_off.head);

		if (syscall(SYS_io_uring_enter, uring.fd, waiting, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
			return NULL;
		waiting = *word(uring.params.sq_off.tail);
		while (head != __atomic_load_n(word(uring.params.cq_off.tail), __ATOMIC_ACQUIRE)) {
			const struct io_uring_cqe *cqes =
				(struct io_uring_cqe *)(uring.ring + uring.params.cq_off.cqes);

			done(listener, &cqes[head & *word(uring.params.cq_off.ring_mask)]);
			__atomic_store_n(word(uring.params.cq_off.head), ++head, __ATOMIC_RELEASE);
		}
		waiting = *word(uring.params.sq_off.tail) - waiting;
	}
}

static int set_up(void)
{
	uring.fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &uring.params);
	if (uring.fd < 0 || !(uring.params.features & IORING_FEAT_SINGLE_MMAP))
		return -1;
	uring.ring =
		mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, uring.fd, IORING_OFF_SQ_RING);
	uring.sqe = mmap(NULL, ENTRIES * sizeof(*uring.sqe), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			 uring.fd, IORING_OFF_SQES);
	return uring.ring == MAP_FAILED || uring.sqe == MAP_FAILED ? -1 : 0;
}

/* In a process of its own, which is not traced. */
static void load(void)
{
	int fd[CONNECTIONS];
	char data[BYTES] = "";

	for (int i = 0; i < CONNECTIONS; i++) {
		fd[i] = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(fd[i], (struct sockaddr *)&at, sizeof(at)))
			exit(1);
	}
	for (long i = 0; i < requests; i++) {
		if (send(fd[i % CONNECTIONS], data, BYTES, 0) != BYTES ||
		    recv(fd[i % CONNECTIONS], data, BYTES, 0) != BYTES)
			exit(1);
		usleep(1000);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	socklen_t length = sizeof(at);
	int go[2], over[2], listener = socket(AF_INET, SOCK_STREAM, 0);
	char line[16], byte = 0;
	pthread_t thread;

	requests = argc > 1 ? atol(argv[1]) : 100;
	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) || listen(listener, 8) ||
	    getsockname(listener, (struct sockaddr *)&at, &length) || pipe(go) || pipe(over))
		return 1;
	if (set_up())
		return 77;
	/* The load is no child of the server, whose children are traced. */
	if (!fork()) {
		if (!fork()) {
			close(over[0]);
			close(go[1]); /* else it would wait for ever if the server ends */
			if (read(go[0], &byte, 1) == 1)
				load();
			exit(1);
		}
		exit(0);
	}
	close(over[1]);
	usleep(100000);
	if (pthread_create(&thread, NULL, serve, &listener))
		return 1;
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) || write(go[1], &byte, 1) != 1)
		return 1;
	if (read(over[0], &byte, 1) != 0)
		return 1;
	printf("done %ld\n", requests);
	fflush(stdout);
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}
