// SPDX-License-Identifier: GPL-2.0-only
/* Threads that exist when tracing begins: processes that ended already, and very many threads. */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "tests.h"

#define MANY 1500

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	uint32_t *states = data;

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	*states += scope_record_type(*(const uint32_t *)record) == SCOPE_RECORD_STATE;
}

static void wait_for_none(struct client *client)
{
	struct client_counts counts = { 0 };
	int i;

	for (i = 0; i < 300; i++) {
		CHECK(!client_query(client, &counts));
		if (!counts.processes)
			return;
		usleep(10000);
	}
	FAIL("%u processes are left", counts.processes);
}

static void wait_for_zombie(pid_t pid)
{
	char path[64], state = 0;
	FILE *file;
	int i;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	for (i = 0; i < 300 && state != 'Z'; i++) {
		usleep(10000);
		file = fopen(path, "r");
		CHECK(file && fscanf(file, "%*d %*s %c", &state) == 1);
		fclose(file);
	}
	CHECK(state == 'Z');
}

/* A child that is dead and not waited for, a target that dies before START: neither is left. */
void test_zombies(void)
{
	struct client_config config = { .count = 2, .follow = true };
	volatile pid_t *child = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct client_counts counts;
	struct client client;
	pid_t parent = fork(), early;

	if (!parent) {
		pid_t pid;

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pid = fork();

		if (!pid)
			_exit(0);
		*child = pid;
		for (;;)
			pause();
	}
	while (!*child)
		usleep(1000);
	wait_for_zombie(*child);
	early = fork();
	if (!early) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	config.pids[0] = parent;
	config.pids[1] = early;
	client_open(&client);
	CHECK(!client_configure(&client, &config));
	client_map(&client);
	kill(early, SIGKILL);
	wait_for_zombie(early);
	CHECK(!client_command(&client, SCOPE_CMD_START));
	CHECK(!client_query(&client, &counts));
	CHECK(counts.processes == 1, "%u", counts.processes);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	wait_for_none(&client);
	waitpid(early, NULL, 0);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_close(&client);
}

static void *stand_still(void *data)
{
	pthread_barrier_wait(data);
	for (;;)
		pause();
	return NULL;
}

static void run_many(void)
{
	pthread_barrier_t started;
	pthread_attr_t attributes;
	pthread_t thread;
	int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 32768);
	pthread_barrier_init(&started, NULL, MANY + 1);
	for (i = 0; i < MANY; i++)
		CHECK(!pthread_create(&thread, &attributes, stand_still, &started));
	pthread_barrier_wait(&started);
	raise(SIGSTOP);
	for (;;)
		pause();
}

/* Each of very many threads has its STATE, at START and again at STOP. */
void test_state_of_many(void)
{
	struct client_config config = { .count = 1 };
	struct client client;
	uint32_t states = 0;
	pid_t pid = fork();
	int status;

	if (!pid)
		run_many();
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	config.pids[0] = pid;
	client_begin(&client, &config);
	CHECK(!ioctl(client.fd, SCOPE_IOC_FLUSH));
	client_drain(&client, on_record, &states);
	CHECK(states == MANY + 1, "%u", states);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &states);
	CHECK(states == 2 * (MANY + 1), "%u", states);
	client_close(&client);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
