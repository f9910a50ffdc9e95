// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs for which the effect of a delay on their progress is known. Progress is the entry of done().
 *
 * Work is sleeping, so that a busy host changes only the scatter; locks and queues are futexes,
 * called without any library.
 *
 * Usage: delay_work NAME [SECONDS]
 *
 *   pipeline   stage_a 1 ms, stage_b 2 ms, a queue of 4 between. Delays of less than 1 ms: stage_b
 *              1, stage_a 0
 *   processes  the same, each stage a process of its own, a pipe between
 *   convoy     3 threads: inside 1 ms under a lock, outside 0.5 ms. inside 1, outside 0 (below 1.5 ms)
 *   barrier    3 threads: slow 2 ms, the others quick 1 ms, then they meet. slow 1, quick 0 (below 1 ms)
 *   poke       a lock in order of arrival; one thread's turns are 1 ms each; another takes it for 1 ms,
 *              then rests 0.5 ms in rest. rest: -1 at 1 ms and 2 ms, by k = 1, 2, 3 turns in between:
 *              the period is 1 + 1/k ms, the delay for each turn 1 - 1/k ms
 *   sync       one thread: fdatasync, then 1 ms. syscall:fdatasync 1
 *   disk       one thread: a block of 4 KiB past the cache to /dev/nullb0, a device that takes 4 ms for
 *              it, then 1 ms. syscall:pwrite64 1; made faster 0.8
 *   server     a connection on which a client, a process of its own, asks again as soon as it has the
 *              answer; 1 ms for each. receive 1, also of the latency
 *
 *   shop       a server also, whose client is no child of it. For each 8th request another thread
 *              does 16 ms in rebuild, and the server, before it waits for that, 8 ms in audit.
 *              rebuild 1, audit 0 (below 8 ms)
 *
 *   spin       stage_a as above, then stage_spin, 2 ms on a CPU. Made faster, up to twice: 1
 *   tiring     one thread: 1 ms in tire, 60 ns more each time. tire 1
 *   half       one thread: 1 ms on a CPU in stage_half, then 1 ms asleep. Each made faster: 0.5
 *
 * All but processes, server, shop, tiring and half also have a thread that calls housekeeping every ms: 0.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SITE __attribute__((noinline, noclone))
#define US 1000l
#define SPINS 333333 /* of 6 instructions: 2 ms where an instruction takes 1 ns */

static void work(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

static void futex(uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

SITE void done(void)
{
	__asm__ volatile("" ::: "memory");
}

SITE void stage_a(void)
{
	work(1000 * US);
}

SITE void stage_b(void)
{
	work(2000 * US);
}

SITE void stage_spin(void)
{
	for (volatile int i = 0; i < SPINS; i++)
		;
}

SITE void stage_half(void)
{
	for (volatile int i = 0; i < SPINS / 2; i++)
		;
}

SITE void tire(long rounds)
{
	work(1000 * US + 60 * rounds);
}

SITE void inside(void)
{
	work(1000 * US);
}

SITE void outside(void)
{
	work(500 * US);
}

SITE void slow(void)
{
	work(2000 * US);
}

SITE void quick(void)
{
	work(1000 * US);
}

SITE void rest(void)
{
	work(500 * US);
}

SITE void housekeeping(void)
{
	work(1000 * US);
}

/* Waits until the word no longer has that value. */
static void await_change(uint32_t *word, uint32_t value)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		futex(word, FUTEX_WAIT, value);
}

/* Threads get the lock in order of arrival. */
static struct {
	uint32_t next, serving;
} ticket;

static void ticket_lock(void)
{
	const uint32_t mine = __atomic_fetch_add(&ticket.next, 1, __ATOMIC_ACQ_REL);
	uint32_t now;

	while ((now = __atomic_load_n(&ticket.serving, __ATOMIC_ACQUIRE)) != mine)
		futex(&ticket.serving, FUTEX_WAIT, now);
}

static void ticket_unlock(void)
{
	__atomic_fetch_add(&ticket.serving, 1, __ATOMIC_ACQ_REL);
	futex(&ticket.serving, FUTEX_WAKE, INT32_MAX);
}

/* Items that wait between the stages. */
static uint32_t queued;
#define QUEUE_MAX 4

static void *first_stage(void *unused)
{
	for (;;) {
		stage_a();
		await_change(&queued, QUEUE_MAX);
		__atomic_fetch_add(&queued, 1, __ATOMIC_ACQ_REL);
		futex(&queued, FUTEX_WAKE, 1);
	}
	return unused;
}

static void *second_stage(void *unused)
{
	for (;;) {
		await_change(&queued, 0);
		__atomic_fetch_sub(&queued, 1, __ATOMIC_ACQ_REL);
		futex(&queued, FUTEX_WAKE, 1);
		stage_b();
		done();
	}
	return unused;
}

static void *spinning_stage(void *unused)
{
	for (;;) {
		await_change(&queued, 0);
		__atomic_fetch_sub(&queued, 1, __ATOMIC_ACQ_REL);
		futex(&queued, FUTEX_WAKE, 1);
		stage_spin();
		done();
	}
	return unused;
}

static void *half_and_half(void *unused)
{
	for (;;) {
		stage_half();
		work(1000 * US);
		done();
	}
	return unused;
}

static void *tiring(void *unused)
{
	for (long i = 0;; i++) {
		tire(i);
		done();
	}
	return unused;
}

static void *convoy(void *unused)
{
	for (;;) {
		ticket_lock();
		inside();
		done();
		ticket_unlock();
		outside();
	}
	return unused;
}

static uint32_t arrived, round_number;
#define MEMBERS 3

static void meet(void)
{
	const uint32_t now = __atomic_load_n(&round_number, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_ACQ_REL) < MEMBERS) {
		await_change(&round_number, now);
		return;
	}
	__atomic_store_n(&arrived, 0, __ATOMIC_RELEASE);
	__atomic_fetch_add(&round_number, 1, __ATOMIC_ACQ_REL);
	futex(&round_number, FUTEX_WAKE, INT32_MAX);
}

static void *slow_member(void *unused)
{
	for (;;) {
		slow();
		meet();
		done();
	}
	return unused;
}

static void *quick_member(void *unused)
{
	for (;;) {
		quick();
		meet();
	}
	return unused;
}

static void *worker(void *unused)
{
	for (;;) {
		ticket_lock();
		work(1000 * US);
		done();
		ticket_unlock();
	}
	return unused;
}

static void *poker(void *unused)
{
	for (;;) {
		ticket_lock();
		work(1000 * US);
		ticket_unlock();
		rest();
	}
	return unused;
}

static void *syncer(void *unused)
{
	const int fd = fileno(tmpfile());

	for (;;) {
		if (fdatasync(fd))
			exit(1);
		work(1000 * US);
		done();
	}
	return unused;
}

static void *disk_writer(void *unused)
{
	static char block[4096] __attribute__((aligned(4096)));
	const int fd = open("/dev/nullb0", O_WRONLY | O_DIRECT);

	for (;;) {
		if (pwrite(fd, block, sizeof(block), 0) != sizeof(block))
			exit(1);
		work(1000 * US);
		done();
	}
	return unused;
}

static void *keeper(void *unused)
{
	for (;;)
		housekeeping();
	return unused;
}

/* Two processes with a pipe of few bytes between: each item is a page of its own. */
static void two_processes(void)
{
	static char page[4096];
	int pipes[2];

	if (pipe(pipes) || fcntl(pipes[1], F_SETPIPE_SZ, 4 * (int)sizeof(page)) < 0)
		exit(1);
	if (fork()) {
		for (;;) {
			stage_a();
			if (write(pipes[1], page, sizeof(page)) != sizeof(page))
				exit(1);
		}
	}
	close(pipes[1]);
	while (read(pipes[0], page, sizeof(page)) == sizeof(page)) {
		stage_b();
		done();
	}
	exit(0);
}

static int listen_anywhere(struct sockaddr_in *address)
{
	socklen_t bytes = sizeof(*address);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	if (fd < 0 || bind(fd, (struct sockaddr *)address, bytes) || listen(fd, 8) ||
	    getsockname(fd, (struct sockaddr *)address, &bytes))
		exit(1);
	return fd;
}

static void ask_for_ever(const struct sockaddr_in *address)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	char byte = 'a';

	if (connect(fd, (const struct sockaddr *)address, sizeof(*address)))
		exit(1);
	while (write(fd, &byte, 1) == 1 && read(fd, &byte, 1) == 1)
		;
	exit(0);
}

static void server(void)
{
	struct sockaddr_in address;
	const int listening = listen_anywhere(&address);
	char byte;
	int fd;

	if (!fork())
		ask_for_ever(&address);
	fd = accept(listening, NULL, NULL);
	while (read(fd, &byte, 1) == 1) {
		work(1000 * US);
		if (write(fd, &byte, 1) != 1)
			break;
	}
	exit(0);
}

/* This does not call work(), because a report would name it. */
static inline __attribute__((always_inline)) void work_here(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
	__asm__ volatile("" ::: "memory"); /* prevents a tail call, which would remove the function's frame */
}

SITE void serve(void)
{
	work_here(1000 * US);
}

SITE void audit(void)
{
	work_here(8000 * US);
}

SITE void rebuild(void)
{
	work_here(16000 * US);
}

static uint32_t wanted, rebuilt;

static void *rebuilder(void *unused)
{
	for (uint32_t i = 0;; i++) {
		await_change(&wanted, i);
		rebuild();
		__atomic_fetch_add(&rebuilt, 1, __ATOMIC_ACQ_REL);
		futex(&rebuilt, FUTEX_WAKE, 1);
	}
	return unused;
}

static void audit_and_rebuild(void)
{
	const uint32_t now = __atomic_load_n(&rebuilt, __ATOMIC_ACQUIRE);

	__atomic_fetch_add(&wanted, 1, __ATOMIC_ACQ_REL);
	futex(&wanted, FUTEX_WAKE, 1);
	audit();
	await_change(&rebuilt, now);
}

static void shop(void)
{
	struct sockaddr_in address;
	const int listening = listen_anywhere(&address);
	pthread_t thread;
	char byte;
	int fd;

	if (!fork()) {
		if (!fork())
			ask_for_ever(&address);
		exit(0);
	}
	wait(NULL);
	fd = accept(listening, NULL, NULL);
	if (pthread_create(&thread, NULL, rebuilder, NULL))
		exit(1);
	for (unsigned i = 0; read(fd, &byte, 1) == 1; i++) {
		serve();
		if (i % 8 == 0)
			audit_and_rebuild();
		if (write(fd, &byte, 1) != 1)
			break;
	}
	exit(0);
}

static const struct {
	const char *name;
	void *(*thread[4])(void *unused);
} programs[] = {
	{ "pipeline", { first_stage, second_stage, keeper } },
	{ "convoy", { convoy, convoy, convoy, keeper } },
	{ "barrier", { slow_member, quick_member, quick_member, keeper } },
	{ "poke", { worker, poker, keeper } },
	{ "sync", { syncer, keeper } },
	{ "disk", { disk_writer, keeper } },
	{ "spin", { first_stage, spinning_stage, keeper } },
	{ "tiring", { tiring } },
	{ "half", { half_and_half } },
};

int main(int argc, char **argv)
{
	const unsigned seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 600;
	bool known = false;
	pthread_t thread;

	alarm(seconds);
	if (argc > 1 && !strcmp(argv[1], "processes"))
		two_processes();
	if (argc > 1 && !strcmp(argv[1], "server"))
		server();
	if (argc > 1 && !strcmp(argv[1], "shop"))
		shop();
	for (size_t i = 0; argc > 1 && i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (strcmp(argv[1], programs[i].name))
			continue;
		known = true;
		for (size_t j = 0; j < 4 && programs[i].thread[j]; j++)
			if (pthread_create(&thread, NULL, programs[i].thread[j], NULL))
				return 1;
	}
	if (!known)
		return 2;
	for (;;)
		pause();
}
