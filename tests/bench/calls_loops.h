/* SPDX-License-Identifier: GPL-2.0-only */
/* The loops that calls.c times: a call that is made repeatedly, and the process at its other end. */
#ifndef SCOPE_BENCH_CALLS_LOOPS_H
#define SCOPE_BENCH_CALLS_LOOPS_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEEP 11 /* for 16 functions in all: `bytes` of the mode chain shows it */

static int to_peer[2], from_peer[2];
static uint32_t *turn; /* shared with the peer: 0: the turn of the loop, 1: that of the peer */

static void call_parent(void)
{
	getppid();
}

static void call_close(void)
{
	close(-1);
}

static void call_peer(void)
{
	char byte = 'x';

	if (write(to_peer[1], &byte, 1) != 1 || read(from_peer[0], &byte, 1) != 1)
		_exit(1);
}

static void call_yield(void)
{
	sched_yield();
}

static void futex(int op, uint32_t value)
{
	syscall(SYS_futex, turn, op, value, NULL, NULL, 0);
}

/* Gives the turn to the other side, and waits until it is back. */
static void hand_over(uint32_t other)
{
	__atomic_store_n(turn, other, __ATOMIC_SEQ_CST);
	futex(FUTEX_WAKE, 1);
	while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) == other)
		futex(FUTEX_WAIT, other);
}

static void call_handover(void)
{
	hand_over(1);
}

static void call_timer(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 1 }, NULL);
}

/* A socket of datagrams, to a port where nobody has to listen: it is connected at once, each time. */
static void call_connect(void)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(9),
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static int fd = -1;

	if (fd < 0)
		fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		_exit(1);
}

static int open_disk(const char *path)
{
	const int fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);

	if (fd < 0)
		_exit(1);
	return fd;
}

/* One device for each run. */
static void read_disk(const char *path)
{
	static void *page;
	static int fd = -1;

	if (fd < 0) {
		fd = open_disk(path);
		page = aligned_alloc(4096, 4096);
	}
	if (!page || pread(fd, page, 4096, 0) != 4096)
		_exit(1);
}

static void call_request(void)
{
	read_disk("/dev/nullb0");
}

static void call_bio(void)
{
	read_disk("/dev/ram0");
}

static void call_linear(void)
{
	read_disk("/dev/mapper/scope_bench");
}

static void call_flush(void)
{
	static int fd = -1;

	if (fd < 0)
		fd = open_disk("/dev/loop0");
	if (fdatasync(fd))
		_exit(1);
}

__attribute__((noinline, noclone)) void calls_function(void);
void calls_function(void)
{
	/* Keeps the call. */
	__asm__ volatile("");
}

static void call_spin(void)
{
	for (int i = 0; i < 1000; i++)
		calls_function();
}

/* Rounds must end well before the next interrupt: 2 million instructions at the most. */
static const struct row {
	const char *name;
	void (*call)(void);
	unsigned int few, many, turns; /* of short rounds, and of the long loop */
	unsigned int depth;	       /* functions that the loop lies below */
} rows[] = {
	{ "getppid", call_parent, 300, 1300, 400000, 0 },
	{ "close", call_close, 300, 1300, 400000, 0 },
	{ "pingpong", call_peer, 20, 60, 30000, 0 },
	{ "yield", call_yield, 100, 300, 100000, 0 },
	{ "handover", call_handover, 20, 60, 30000, 0 },
	{ "timer", call_timer, 20, 60, 30000, 0 },
	{ "connect", call_connect, 50, 150, 20000, 0 },
	{ "request", call_request, 10, 30, 3000, 0 },
	{ "bio", call_bio, 10, 30, 3000, 0 },
	{ "linear", call_linear, 10, 30, 3000, 0 },
	{ "flush", call_flush, 10, 30, 3000, 0 },
	{ "getppid_few", call_parent, 20, 60, 3000, 0 },
	{ "getppid_deep", call_parent, 10, 30, 1000, DEEP },
	{ "function", calls_function, 100, 400, 50000, 0 },
	{ "spin", call_spin, 10, 40, 100000, 0 },
	{ "idle", NULL, 0, 0, 1, 0 },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))
static const struct row *row; /* what this run loops over */

static bool has_peer(void)
{
	return row->call == call_peer || row->call == call_yield || row->call == call_handover;
}

/* Sends every byte back until the pipe's other end is closed; or yields, or takes its turns, until it is killed. */
static pid_t start_peer(void)
{
	pid_t child;
	char byte;

	turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = turn == MAP_FAILED || pipe(to_peer) || pipe(from_peer) ? -1 : fork();
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (row->call == call_yield)
		call_yield();
	while (row->call == call_handover && !__atomic_load_n(turn, __ATOMIC_SEQ_CST))
		futex(FUTEX_WAIT, 0);
	while (row->call == call_handover)
		hand_over(0);
	close(to_peer[1]);
	while (read(to_peer[0], &byte, 1) == 1)
		if (write(from_peer[1], &byte, 1) != 1)
			break;
	_exit(0);
}

#endif
