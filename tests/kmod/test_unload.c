// SPDX-License-Identifier: GPL-2.0-only
/*
 * While any process uses a session the module refuses to be unloaded, immediately and with EWOULDBLOCK. A user that is
 * killed releases it, at any point.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "tests.h"

static struct client_config config = {
	.count = 1, .stack_mode = SCOPE_STACK_COPY, .sample_period_ns = 1000000, .subbuf_bytes = 65536
};

static void on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t now_ns, const void *record, uint32_t bytes)
{
	(void)data, (void)cpu, (void)tid, (void)now_ns, (void)record, (void)bytes;
}

/* Each says that it is there just before it does what it never comes back from. */
static void there(int fd)
{
	CHECK(write(fd, "", 1) == 1);
}

static void stay(int fd)
{
	there(fd);
	for (;;)
		pause();
}

static void use_open(int fd)
{
	struct client client;

	client_open(&client);
	stay(fd);
}

static void use_configured(int fd)
{
	struct client client;

	client_open(&client);
	CHECK(!client_configure(&client, &config));
	stay(fd);
}

static void use_mapping_alone(int fd)
{
	struct client client;

	client_begin(&client, &config);
	close(client.fd);
	stay(fd);
}

static void use_running(int fd)
{
	struct client client;

	client_begin(&client, &config);
	stay(fd);
}

static void use_poll(int fd)
{
	struct client client;
	struct pollfd poll_fd = { .events = POLLIN };

	config.pids[0] = getppid(); /* which does nothing */
	config.sample_period_ns = 0;
	client_begin(&client, &config);
	poll_fd.fd = client.fd;
	there(fd);
	for (;;)
		poll(&poll_fd, 1, -1);
}

static void use_reading(int fd)
{
	struct client client;

	client_begin(&client, &config);
	there(fd);
	for (;;) {
		client_drain(&client, on_record, NULL);
		syscall(SYS_getppid);
	}
}

static void use_stopped(int fd)
{
	struct client client;

	client_begin(&client, &config);
	CHECK(!client_command(&client, SCOPE_CMD_STOP));
	stay(fd);
}

/* Nothing but the descriptor, inherited: the one that configured and started it is gone. */
static void use_inherited(int fd)
{
	struct client client;
	pid_t pid;

	client_open(&client);
	pid = fork();
	if (!pid) {
		CHECK(!client_configure(&client, &config));
		client_map(&client);
		CHECK(!client_command(&client, SCOPE_CMD_START));
		_exit(0);
	}
	CHECK(waitpid(pid, NULL, 0) == pid);
	stay(fd);
}

static void try_unload(const char *who, void (*use)(int fd))
{
	int there_fd[2];
	char byte;
	pid_t pid;

	CHECK(!pipe(there_fd));
	pid = fork();
	if (!pid) {
		config.pids[0] = getpid();
		use(there_fd[1]);
	}
	close(there_fd[1]);
	CHECK(read(there_fd[0], &byte, 1) == 1, "%s", who);
	close(there_fd[0]);
	usleep(20000); /* let it get to where it stays */
	CHECK(syscall(SYS_delete_module, "scope", O_NONBLOCK) && errno == EWOULDBLOCK, "%s: %s", who, strerror(errno));
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, NULL, 0) == pid);
	client_wait_unused();
}

void test_unload_in_use(void)
{
	static const struct {
		const char *who;
		void (*use)(int fd);
	} rows[] = {
		{ "open", use_open },	    { "configured", use_configured }, { "mapping", use_mapping_alone },
		{ "running", use_running }, { "polling", use_poll },	      { "reading", use_reading },
		{ "stopped", use_stopped }, { "inherited", use_inherited },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		try_unload(rows[i].who, rows[i].use);
}
