// SPDX-License-Identifier: GPL-2.0-only
/* When a thread is renamed while it is traced, there is a record of it, whichever thread did it. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include "tests.h"

struct names {
	uint32_t renames, own, by_other, of_exec;
};

static int go[2];

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	const struct scope_record_comm *comm = record;
	struct names *names = data;

	(void)cpu, (void)tid, (void)now_ns, (void)bytes;
	if (scope_record_type(comm->word) != SCOPE_RECORD_COMM)
		return;
	names->renames++;
	CHECK(!comm->zero && !comm->comm[SCOPE_COMM_BYTES - 1]);
	names->own += !strcmp(comm->comm, "worker 7") && comm->tid != comm->tgid;
	/* Sixteen letters were asked for: the kernel cuts them. */
	names->by_other += !strcmp(comm->comm, "abcdefghijklmno") && comm->tid == comm->tgid;
	names->of_exec += !strcmp(comm->comm, "true");
}

static void *rename_both(void *data)
{
	char path[64];
	int fd;

	(void)data;
	CHECK(!prctl(PR_SET_NAME, "worker 7"));
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", getpid());
	fd = open(path, O_WRONLY);
	CHECK(fd >= 0 && write(fd, "abcdefghijklmnop", 16) == 16);
	close(fd);
	return NULL;
}

static void target(void)
{
	pthread_t thread;
	char byte;

	CHECK(read(go[0], &byte, 1) == 1);
	pthread_create(&thread, NULL, rename_both, NULL);
	pthread_join(thread, NULL);
	execl("/bin/true", "true", NULL);
	_exit(127);
}

void test_rename(void)
{
	struct client_config config = { .count = 1 };
	struct names names = { 0 };
	struct client client;
	int status;
	pid_t pid;

	CHECK(!pipe(go));
	pid = fork();
	if (!pid)
		target();
	config.pids[0] = pid;
	client_begin(&client, &config);
	/* Not traced, so not recorded. */
	CHECK(!prctl(PR_SET_NAME, "bystander"));
	CHECK(write(go[1], "g", 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_drain(&client, on_record, &names);
	CHECK(names.own == 1 && names.by_other == 1 && names.of_exec == 1 && names.renames == 3,
	      "%u own, %u by another thread, %u by exec, %u in all", names.own, names.by_other, names.of_exec,
	      names.renames);
	client_close(&client);
}
