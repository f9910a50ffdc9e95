// SPDX-License-Identifier: GPL-2.0-only
/* Data of /proc about descriptors of this test's processes: kinds, and the peers of sockets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "close_all.h"
#include "proc/proc.h"
#include "trace/peer.h"

static enum scope_fd_kind kind_of(const struct scope_proc_fds *fds, int fd)
{
	size_t i;

	for (i = 0; i < fds->count; i++)
		if (fds->fd[i].fd == fd)
			return fds->fd[i].kind;
	return SCOPE_FD_KINDS;
}

static void read_own_fds(struct scope_proc_fds *fds)
{
	struct scope_socket_table *sockets;
	struct scope_peers peers = { 0 };

	assert_int_equal(scope_proc_socket_table_create((uint32_t)getpid(), &sockets), 0);
	assert_int_equal(scope_proc_fds_read((uint32_t)getpid(), sockets, &peers, fds), 0);
	scope_proc_socket_table_destroy(sockets);
	scope_proc_peers_free(&peers);
}

static void connect_pair(int family, const struct sockaddr *address, socklen_t length, int *listener, int *client,
			 int *server)
{
	struct sockaddr_storage bound;
	socklen_t bound_length = sizeof(bound);

	*listener = socket(family, SOCK_STREAM, 0);
	assert_int_equal(bind(*listener, address, length), 0);
	assert_int_equal(listen(*listener, 4), 0);
	assert_int_equal(getsockname(*listener, (struct sockaddr *)&bound, &bound_length), 0);
	*client = socket(family, SOCK_STREAM, 0);
	assert_int_equal(connect(*client, (struct sockaddr *)&bound, bound_length), 0);
	*server = accept(*listener, NULL, NULL);
	assert_true(*server >= 0);
}

static uint16_t port_of(int fd)
{
	struct sockaddr_storage bound;
	socklen_t bytes = sizeof(bound);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&bound, &bytes), 0);
	return ntohs(bound.ss_family == AF_INET ? ((struct sockaddr_in *)&bound)->sin_port
						: ((struct sockaddr_in6 *)&bound)->sin6_port);
}

/*
 * Both ends of a connection are named by the same two addresses, and the one that opened it by the process at the other end, which
 * is this one; a listener by none.
 */
static void expect_ends(const struct scope_proc_fds *fds, const int *fd, const char *address)
{
	const uint16_t listens = port_of(fd[0]), connects = port_of(fd[1]);
	char client[192], server[128];
	unsigned found = 0;

	snprintf(client, sizeof(client), " from %s:%u to %s:%u (pid %d %s)", address, connects, address, listens,
		 getpid(), program_invocation_short_name);
	snprintf(server, sizeof(server), " from %s:%u to %s:%u", address, listens, address, connects);
	for (size_t i = 0; i < fds->count; i++) {
		const char *ends = strchr(fds->fd[i].name, ' ');

		if (fds->fd[i].fd == fd[0])
			assert_null(ends);
		if (fds->fd[i].fd != fd[1] && fds->fd[i].fd != fd[2])
			continue;
		assert_non_null(ends);
		assert_string_equal(ends, fds->fd[i].fd == fd[1] ? client : server);
		found++;
	}
	assert_int_equal(found, 2);
}

static void test_tcp(void **state)
{
	const struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_ANY_INIT };
	struct scope_proc_fds fds;
	int fd[3];

	(void)state;
	connect_pair(AF_INET, (const struct sockaddr *)&v4, sizeof(v4), &fd[0], &fd[1], &fd[2]);
	read_own_fds(&fds);
	assert_int_equal(kind_of(&fds, fd[0]), SCOPE_FD_LISTEN);
	assert_int_equal(kind_of(&fds, fd[1]), SCOPE_FD_CONNECTED);
	assert_int_equal(kind_of(&fds, fd[2]), SCOPE_FD_ACCEPTED);
	expect_ends(&fds, fd, "127.0.0.1");
	scope_proc_fds_destroy(&fds);
	close_all(fd, 3);
	fd[0] = socket(AF_INET6, SOCK_STREAM, 0);
	if (fd[0] < 0)
		return; /* a machine without IPv6 */
	close(fd[0]);
	connect_pair(AF_INET6, (const struct sockaddr *)&v6, sizeof(v6), &fd[0], &fd[1], &fd[2]);
	read_own_fds(&fds);
	assert_int_equal(kind_of(&fds, fd[0]), SCOPE_FD_LISTEN);
	assert_int_equal(kind_of(&fds, fd[1]), SCOPE_FD_CONNECTED);
	assert_int_equal(kind_of(&fds, fd[2]), SCOPE_FD_ACCEPTED);
	expect_ends(&fds, fd, "[::1]");
	scope_proc_fds_destroy(&fds);
	close_all(fd, 3);
}

/* A client of IPv4 at a listener of IPv6, which has not accepted it yet; and datagrams to a socket with no peer. */
static void test_other_ends(void **state)
{
	static const struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
	struct sockaddr_in6 bound;
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t bytes = sizeof(bound);
	struct scope_proc_fds fds;
	char want[160];

	(void)state;
	for (int type = SOCK_STREAM; type; type = type == SOCK_STREAM ? SOCK_DGRAM : 0) {
		const int fd[2] = { socket(AF_INET6, type, 0), socket(AF_INET, type, 0) };
		bool found = false;

		if (fd[0] < 0) /* a machine without IPv6 */
			break;
		assert_int_equal(bind(fd[0], (const struct sockaddr *)&any, sizeof(any)), 0);
		assert_true(type != SOCK_STREAM || !listen(fd[0], 1));
		assert_int_equal(getsockname(fd[0], (struct sockaddr *)&bound, &bytes), 0);
		to.sin_port = bound.sin6_port;
		assert_int_equal(connect(fd[1], (const struct sockaddr *)&to, sizeof(to)), 0);
		read_own_fds(&fds);
		snprintf(want, sizeof(want), " to 127.0.0.1:%u (pid %d %s)", ntohs(to.sin_port), getpid(),
			 program_invocation_short_name);
		for (size_t i = 0; i < fds.count; i++)
			found |= fds.fd[i].fd == fd[1] && strstr(fds.fd[i].name, want);
		assert_true(found);
		scope_proc_fds_destroy(&fds);
		close_all(fd, 2);
	}
}

static void test_datagram(void **state)
{
	const struct sockaddr_in any = { .sin_family = AF_INET };
	struct scope_proc_fds fds;
	int fd[2];

	(void)state;
	fd[0] = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(bind(fd[0], (const struct sockaddr *)&any, sizeof(any)), 0);
	fd[1] = socket(AF_UNIX, SOCK_DGRAM, 0);
	read_own_fds(&fds);
	assert_int_equal(kind_of(&fds, fd[0]), SCOPE_FD_DATAGRAM);
	assert_int_equal(kind_of(&fds, fd[1]), SCOPE_FD_DATAGRAM);
	scope_proc_fds_destroy(&fds);
	close_all(fd, 2);
}

static void test_unix_sockets(void **state)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct scope_proc_fds fds;
	int fd[3];

	(void)state;
	snprintf(address.sun_path, sizeof(address.sun_path), "/tmp/scope test %d.sock", getpid());
	unlink(address.sun_path);
	connect_pair(AF_UNIX, (struct sockaddr *)&address, sizeof(address), &fd[0], &fd[1], &fd[2]);
	read_own_fds(&fds);
	unlink(address.sun_path);
	assert_int_equal(kind_of(&fds, fd[0]), SCOPE_FD_LISTEN);
	assert_int_equal(kind_of(&fds, fd[1]), SCOPE_FD_CONNECTED);
	assert_int_equal(kind_of(&fds, fd[2]), SCOPE_FD_ACCEPTED);
	scope_proc_fds_destroy(&fds);
	close_all(fd, 3);
}

/* A pair that a process shares with its child: each end names the other one's process. */
static void test_unix_pair(void **state)
{
	struct scope_trace_peer peer;
	struct scope_proc_fds fds;
	struct stat other;
	char expected[64];
	int fd[2];
	pid_t child;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	assert_int_equal(fstat(fd[1], &other), 0);
	child = fork();
	if (!child) {
		close(fd[0]);
		pause();
		_exit(0);
	}
	close(fd[1]);
	read_own_fds(&fds);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(fd[0]);
	for (size_t i = 0; i < fds.count; i++) {
		if (fds.fd[i].fd != fd[0])
			continue;
		assert_int_equal(fds.fd[i].kind, SCOPE_FD_CONNECTED);
		assert_true(scope_trace_peer_of(&fds.fd[i], &peer));
		snprintf(expected, sizeof(expected), "socket:[%lu]", (unsigned long)other.st_ino);
		assert_string_equal(peer.address, expected);
		assert_int_equal(peer.pid, child);
		scope_proc_fds_destroy(&fds);
		return;
	}
	fail_msg("the descriptor is not there");
}

/* A child in a network namespace of its own keeps the connection that its parent accepted. */
static void test_two_namespaces(void **state)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct scope_socket_table *sockets;
	struct scope_peers peers = { 0 };
	struct scope_proc_fds fds;
	int fd[3], ready[2];
	pid_t child;
	char byte;

	(void)state;
	connect_pair(AF_INET, (struct sockaddr *)&address, sizeof(address), &fd[0], &fd[1], &fd[2]);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		byte = unshare(CLONE_NEWNET) ? 'n' : 'y';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	for (int both = 0; byte == 'y' && both < 2; both++) {
		assert_int_equal(scope_proc_socket_table_create((uint32_t)child, &sockets), 0);
		if (both)
			assert_int_equal(scope_proc_socket_table_add(sockets, (uint32_t)getpid()), 0);
		assert_int_equal(scope_proc_fds_read((uint32_t)child, sockets, &peers, &fds), 0);
		assert_int_equal(kind_of(&fds, fd[2]), both ? SCOPE_FD_ACCEPTED : SCOPE_FD_UNKNOWN);
		assert_int_equal(kind_of(&fds, fd[1]), both ? SCOPE_FD_CONNECTED : SCOPE_FD_UNKNOWN);
		scope_proc_fds_destroy(&fds);
		scope_proc_socket_table_destroy(sockets);
	}
	scope_proc_peers_free(&peers);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close_all(fd, 3);
	close_all(ready, 2);
	if (byte != 'y')
		skip();
}

static void test_other_descriptors(void **state)
{
	char fifo[64];
	struct scope_proc_fds fds;
	FILE *file = tmpfile();
	int fd[6];

	(void)state;
	snprintf(fifo, sizeof(fifo), "/tmp/scope-test-%d.fifo", getpid());
	assert_int_equal(mkfifo(fifo, 0600), 0);
	assert_int_equal(pipe(fd), 0);
	fd[2] = epoll_create1(0);
	fd[3] = eventfd(0, 0);
	fd[4] = timerfd_create(CLOCK_MONOTONIC, 0);
	fd[5] = open(fifo, O_RDWR);
	read_own_fds(&fds);
	unlink(fifo);
	assert_int_equal(kind_of(&fds, fd[0]), SCOPE_FD_PIPE);
	assert_int_equal(kind_of(&fds, fd[1]), SCOPE_FD_PIPE);
	assert_int_equal(kind_of(&fds, fd[2]), SCOPE_FD_EPOLL);
	assert_int_equal(kind_of(&fds, fd[3]), SCOPE_FD_EVENT);
	assert_int_equal(kind_of(&fds, fd[4]), SCOPE_FD_EVENT);
	assert_int_equal(kind_of(&fds, fd[5]), SCOPE_FD_PIPE);
	assert_int_equal(kind_of(&fds, fileno(file)), SCOPE_FD_FILE);
	scope_proc_fds_destroy(&fds);
	close_all(fd, 6);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_other_ends),
		cmocka_unit_test(test_datagram),
		cmocka_unit_test(test_unix_sockets),
		cmocka_unit_test(test_unix_pair),
		cmocka_unit_test(test_two_namespaces),
		cmocka_unit_test(test_other_descriptors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
