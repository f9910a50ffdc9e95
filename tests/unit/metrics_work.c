// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that pass bytes through pipes, sockets and a file and wait on a futex, and record what they do in a ledger.
 *
 * Usage: metrics_work      Prints "ready", and begins when a line comes; at the next line it ends and prints the ledger,
 * a line for each metric: NAME VALUE.
 */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3

static int pipes[2], sockets[2], file;
static uint32_t word;
static volatile int stop;

/* Of one thread: calls and bytes by kind. */
struct ledger {
	uint64_t pipe_reads, pipe_writes, pipe_read_bytes, pipe_written_bytes;
	uint64_t network_receives, network_sends, network_received_bytes, network_sent_bytes;
	uint64_t file_reads, file_writes, file_read_bytes, file_written_bytes;
	uint64_t futex_waits, futex_wakes, futex_woken;
	uint64_t run_ns; /* by the kernel's own clock of the thread */
};

static void count(uint64_t *calls, uint64_t *bytes, ssize_t returned)
{
	++*calls;
	if (returned > 0)
		*bytes += (uint64_t)returned;
}

static void read_clock(struct ledger *ledger)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	ledger->run_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void wake(struct ledger *ledger)
{
	const long woken = syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);

	ledger->futex_wakes++;
	if (woken > 0)
		ledger->futex_woken += (uint64_t)woken;
}

static void *give(void *user)
{
	struct ledger *ledger = user;
	static char bytes[3000];

	pthread_setname_np(pthread_self(), "give");
	for (unsigned i = 1; !stop; i++) {
		count(&ledger->pipe_writes, &ledger->pipe_written_bytes, write(pipes[1], bytes, i % 2999 + 1));
		count(&ledger->network_sends, &ledger->network_sent_bytes, send(sockets[1], bytes, i % 1499 + 1, 0));
		count(&ledger->file_writes, &ledger->file_written_bytes,
		      i % 2 ? pwritev(file, &(struct iovec){ bytes, i % 999 + 1 }, 1, 0)
			    : pwritev2(file, &(struct iovec){ bytes, i % 999 + 1 }, 1, 0, 0));
		count(&ledger->file_reads, &ledger->file_read_bytes,
		      preadv2(file, &(struct iovec){ bytes, i % 777 + 1 }, 1, 0, 0));
		__atomic_add_fetch(&word, 1, __ATOMIC_SEQ_CST);
		wake(ledger);
		usleep(300);
	}
	close(pipes[1]);
	close(sockets[1]);
	__atomic_add_fetch(&word, 1, __ATOMIC_SEQ_CST);
	wake(ledger);
	return NULL;
}

static void *take(void *user)
{
	struct ledger *ledger = user;
	static char bytes[4000];
	ssize_t one = 1, other = 1;

	pthread_setname_np(pthread_self(), "take");
	while (one > 0 || other > 0) {
		const struct timespec most = { .tv_nsec = 5000000 };

		if (one > 0) {
			one = read(pipes[0], bytes, sizeof(bytes));
			count(&ledger->pipe_reads, &ledger->pipe_read_bytes, one);
		}
		if (other > 0) {
			other = recv(sockets[0], bytes, sizeof(bytes), 0);
			count(&ledger->network_receives, &ledger->network_received_bytes, other);
		}
		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, __atomic_load_n(&word, __ATOMIC_SEQ_CST), &most, NULL, 0);
		ledger->futex_waits++;
	}
	return NULL;
}

/* 20 ms on a CPU, 5 ms asleep: the clock of the thread counts the first. */
static void *spin(void *user)
{
	struct ledger *ledger = user;

	pthread_setname_np(pthread_self(), "spin");
	while (!stop) {
		const uint64_t begin_ns = ledger->run_ns;

		while (ledger->run_ns - begin_ns < 20000000) {
			for (volatile unsigned i = 0; i < 100000; i++)
				;
			read_clock(ledger);
		}
		usleep(5000);
	}
	read_clock(ledger);
	return NULL;
}

int main(void)
{
	static void *(*const ways[THREADS])(void *) = { give, take, spin };
	struct ledger ledger[THREADS] = { 0 };
	pthread_t thread[THREADS];
	FILE *scratch = tmpfile();
	char line[16];

	file = scratch ? fileno(scratch) : -1;
	if (file < 0 || pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 1;
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, ways[i], &ledger[i]))
			return 1;
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
#define SAY(name) printf(#name " %llu\n", (unsigned long long)(ledger[0].name + ledger[1].name))
	SAY(pipe_reads);
	SAY(pipe_writes);
	SAY(pipe_read_bytes);
	SAY(pipe_written_bytes);
	SAY(network_receives);
	SAY(network_sends);
	SAY(network_received_bytes);
	SAY(network_sent_bytes);
	SAY(file_reads);
	SAY(file_writes);
	SAY(file_read_bytes);
	SAY(file_written_bytes);
	SAY(futex_waits);
	SAY(futex_wakes);
	SAY(futex_woken);
	printf("run.spin %llu\nend 0\n", (unsigned long long)ledger[2].run_ns);
	fflush(stdout);
	/* The capture ends before the process does, so that no call of its end is among those. */
	return fgets(line, sizeof(line), stdin) ? 0 : 1;
}
