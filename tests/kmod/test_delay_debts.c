// SPDX-License-Identifier: GPL-2.0-only
/* More threads visit a kernel function than its rule can remember: the delay of each is served or counted as missed. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "client_probe.h"
#include "delay_ways.h"
#include "tests.h"

#define THREADS 1200u
#define PLACES 1024u /* in the module's table */
#define STACK_BYTES 65536

/* Of the child, and of its threads. */
static char path[64];
static int go[2];
static volatile uint32_t *through; /* shared: threads that came back from open() */

/* A thread that opens a FIFO to read stays in the call until it is opened to write. */
static void *open_fifo(void *argument)
{
	char byte;

	CHECK(read(go[0], &byte, 1) == 1 && open(path, O_RDONLY) >= 0);
	__atomic_add_fetch(through, 1, __ATOMIC_SEQ_CST);
	pause();
	return argument;
}

static pid_t begin_threads(void)
{
	int ready[2];
	pid_t pid;
	char byte = 0;

	CHECK(!pipe(go) && !pipe(ready));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		pthread_attr_t attributes;
		pthread_t thread;
		uint32_t i;

		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, STACK_BYTES);
		for (i = 0; i < THREADS; i++)
			CHECK(!pthread_create(&thread, &attributes, open_fifo, NULL));
		CHECK(write(ready[1], &byte, 1) == 1);
		pause();
	}
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	return pid;
}

void test_delay_debts(void)
{
	struct client_config config = { .count = 1, .subbuf_count = 64 };
	struct client_delay rule = { .site = SCOPE_DELAY_KERNEL, .ns = MS / 10, .second_max_ns = 1000 * MS };
	struct delay_served served = { 0 };
	struct client_delay_state state;
	const char bytes[THREADS] = { 0 };
	struct client client;
	pid_t pid;
	int fd;

	through = mmap(NULL, sizeof(*through), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(through != MAP_FAILED);
	snprintf(path, sizeof(path), "/dev/shm/debts-%d", getpid());
	CHECK(!mkfifo(path, 0600));
	pid = begin_threads();
	config.pids[0] = pid;
	rule.symbol = client_probe_function(CLIENT_OPEN);
	client_begin(&client, &config);
	delay_must(&client, &rule);
	CHECK(write(go[1], bytes, THREADS) == (ssize_t)THREADS);
	/* Every one of them owes before the first returns. */
	do {
		usleep(10000);
		state = delay_state_of(&client, 0);
	} while (state.visits < THREADS);
	CHECK(!state.served && !*through, "%lu, %u", state.served, *through);
	fd = open(path, O_RDWR);
	CHECK(fd >= 0);
	while (*through < THREADS)
		usleep(10000);
	state = delay_state_of(&client, 0);
	printf("# %lu visits, %lu served, %lu missed, %lu capped\n", state.visits, state.served, state.missed,
	       state.capped);
	CHECK(state.visits == THREADS && state.served + state.missed == THREADS);
	CHECK(state.missed >= THREADS - PLACES && state.missed < THREADS / 2);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, delay_on_record, &served);
	CHECK(served.count == state.served && served.asked_ns == state.asked_ns);
	client_close(&client);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(fd);
	unlink(path);
}
