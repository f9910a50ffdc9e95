// SPDX-License-Identifier: GPL-2.0-only
/* The limit of memory for rings: all of them together half of the free memory, and no more than the limit of the caller's control group. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "tests.h"

#define GROUP "/tmp/scope-memory"
#define SUBBUF_BYTES (1u << 20)
#define ROUNDS 2

static uint64_t available_bytes(void)
{
	FILE *file = fopen("/proc/meminfo", "r");
	unsigned long kb = 0;
	char line[128];

	CHECK(file);
	while (fgets(line, sizeof(line), file) && sscanf(line, "MemAvailable: %lu", &kb) != 1)
		;
	fclose(file);
	return (uint64_t)kb << 10;
}

static int configure(struct client *client, uint64_t bytes)
{
	struct client_config config = { .count = 1, .subbuf_bytes = SUBBUF_BYTES };

	config.pids[0] = getpid();
	config.subbuf_count = bytes / SUBBUF_BYTES / sysconf(_SC_NPROCESSORS_ONLN);
	client_open(client);
	return client_configure(client, &config);
}

/* It asks as soon as no other process holds `begin`, writes to `done` when it is answered, and keeps its memory. */
static pid_t ask_in_child(uint64_t bytes, const int begin[2], const int done[2])
{
	struct client client;
	pid_t pid = fork();
	char byte = 0;
	int err;

	CHECK(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(begin[1]);
	CHECK(!read(begin[0], &byte, 1));
	err = configure(&client, bytes);
	CHECK(!err || err == -ENOMEM, "%s", strerror(-err));
	CHECK(write(done[1], &byte, 1) == 1);
	/* Until it is killed. */
	pause();
	_exit(0);
}

/* Each alone would fit, both would take over half. */
static void two_at_once(void)
{
	const uint64_t free_bytes = available_bytes();
	uint64_t bytes = SUBBUF_BYTES;
	int begin[2], done[2], err, i;
	struct client client;
	pid_t pid[2];
	char byte;

	/* In (free / 4, free / 2], with room for what others free or take in that time. */
	while (bytes * 2 <= free_bytes * 15 / 32)
		bytes *= 2;
	CHECK(!pipe(begin) && !pipe(done));
	for (i = 0; i < 2; i++)
		pid[i] = ask_in_child(bytes, begin, done);
	close(begin[0]);
	close(begin[1]);
	for (i = 0; i < 2; i++)
		CHECK(read(done[0], &byte, 1) == 1);
	printf("# %lu of %lu MB free are left, %lu MB asked for twice\n", available_bytes() >> 20, free_bytes >> 20,
	       bytes >> 20);
	CHECK(available_bytes() > free_bytes * 7 / 16, "both have got them");
	CHECK(available_bytes() < free_bytes - bytes / 2, "nobody has got them");
	for (i = 0; i < 2; i++) {
		kill(pid[i], SIGKILL);
		CHECK(waitpid(pid[i], NULL, 0) == pid[i]);
	}
	client_wait_unused();
	close(done[0]);
	close(done[1]);
	/* What they had is given back. */
	err = configure(&client, bytes);
	CHECK(!err, "%s", strerror(-err));
	client_close(&client);
}

static bool put(const char *name, const char *text)
{
	char path[128];
	ssize_t done;
	int fd;

	snprintf(path, sizeof(path), GROUP "/%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return false;
	done = write(fd, text, strlen(text));
	close(fd);
	return done == (ssize_t)strlen(text);
}

static uint64_t number_of(const char *name)
{
	unsigned long long number = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), GROUP "/%s", name);
	file = fopen(path, "r");
	CHECK(file && fscanf(file, "%llu", &number) == 1, "%s", path);
	fclose(file);
	return number;
}

/* A group of 24 MB gets no rings of 64 MB, and those of 8 MB count as its own. */
static void __attribute__((noreturn)) inside_group(void)
{
	uint64_t before, with, after;
	struct client client;
	char self[16];
	int err;

	snprintf(self, sizeof(self), "%d", getpid());
	CHECK(put("small/cgroup.procs", self), "%s", strerror(errno));
	err = configure(&client, 64u << 20);
	CHECK(err == -ENOMEM, "64 MB: %s", strerror(-err));
	client_close(&client);
	before = number_of("small/memory.current");
	err = configure(&client, 8u << 20);
	CHECK(!err, "8 MB: %s", strerror(-err));
	client_map(&client);
	CHECK(!client_command(&client, SCOPE_CMD_START));
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	client_pages(&client, &(struct client_counts){ 0 });
	with = number_of("small/memory.current");
	client_close(&client);
	after = number_of("small/memory.current");
	printf("# %lu KB, with rings of 8 MB %lu KB, then %lu KB\n", before >> 10, with >> 10, after >> 10);
	CHECK(with >= before + (7u << 20) && after + (7u << 20) <= with);
	fflush(stdout);
	_exit(0);
}

/* Pages that user space maps can be charged from 5.11 on. */
static bool can_charge(void)
{
	struct utsname name;
	int major = 0, minor = 0;

	CHECK(!uname(&name) && sscanf(name.release, "%d.%d", &major, &minor) == 2);
	return major > 5 || (major == 5 && minor >= 11);
}

static void charged_to_the_group(void)
{
	int status = 0;
	pid_t pid;

	mkdir(GROUP, 0755);
	if (!can_charge() || mount("none", GROUP, "cgroup2", 0, NULL)) {
		printf("# skipped: this kernel cannot charge pages that are mapped\n");
		return;
	}
	mkdir(GROUP "/small", 0755);
	if (put("cgroup.subtree_control", "+memory") && put("small/memory.max", "25165824")) {
		pid = fork();
		CHECK(pid >= 0);
		if (!pid)
			inside_group();
		CHECK(waitpid(pid, &status, 0) == pid);
	} else {
		printf("# skipped: no memory controller of version 2\n");
	}
	rmdir(GROUP "/small");
	umount(GROUP);
	CHECK(!status, "status %x", status);
}

void test_memory(void)
{
	int round;

	for (round = 0; round < ROUNDS; round++)
		two_at_once();
	charged_to_the_group();
}
