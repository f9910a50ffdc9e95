// SPDX-License-Identifier: GPL-2.0-only
/* What /proc has about own child processes: pids, maps, descriptors. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
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

#include "capture/defaults.h"
#include "proc/proc.h"
#include "proc/target.h"
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

static void close_all(const int *fd, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		close(fd[i]);
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

static void test_maps(void **state)
{
	struct scope_proc_maps maps;
	struct scope_proc *proc;
	int own = 0, vdso = 0;
	char exe[256];
	ssize_t length;
	size_t i;

	(void)state;
	length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	assert_true(length > 0);
	exe[length] = '\0';
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	assert_int_equal(scope_proc_maps_read(proc, (uint32_t)getpid(), &maps), 0);
	for (i = 0; i < maps.count; i++) {
		const struct scope_trace_map *map = &maps.map[i];

		assert_true(map->start < map->end);
		if (!strcmp(map->path, "[vdso]"))
			vdso += map->executable;
		if (strcmp(map->path, exe))
			continue;
		if (map->executable && map->start <= (uintptr_t)test_maps && (uintptr_t)test_maps < map->end)
			own++;
		/* gcc of Debian asks the linker for a build-id of 20 bytes. */
		assert_int_equal(strlen(map->build_id), 40);
		assert_int_equal(strspn(map->build_id, "0123456789abcdef"), 40);
	}
	assert_int_equal(own, 1);
	assert_int_equal(vdso, 1);
	scope_proc_maps_destroy(&maps);
	assert_int_not_equal(scope_proc_maps_read(proc, 4194303, &maps), 0);
	scope_proc_destroy(proc);
}

static void assert_refused(uint32_t pid, int code, const char *part)
{
	struct scope_error error = { 0 };
	struct scope_target target;

	assert_int_equal(scope_proc_target_find(pid, &error, &target), code);
	if (!strstr(error.text, part))
		fail_msg("'%s' does not say '%s'", error.text, part);
}

static void test_no_process(void **state)
{
	(void)state;
	assert_refused(0, -EINVAL, "no process number");
	assert_refused(4194304, -EINVAL, "no process number");
	assert_refused(4194303, -ESRCH, "no process 4194303");
}

static void test_kernel_thread(void **state)
{
	FILE *file = fopen("/proc/2/comm", "r");
	char name[32] = "";

	(void)state;
	if (file) {
		if (!fgets(name, sizeof(name), file))
			name[0] = '\0';
		fclose(file);
	}
	if (strcmp(name, "kthreadd\n"))
		skip(); /* in a container */
	assert_refused(2, -EINVAL, "kernel thread kthreadd");
}

static void test_zombie(void **state)
{
	siginfo_t info;
	const pid_t child = fork();

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_refused((uint32_t)child, -ESRCH, "zombie");
	waitpid(child, NULL, 0);
	assert_refused((uint32_t)child, -ESRCH, "no process");
}

static void *write_tid(void *argument)
{
	int *fd = argument, tid = (int)syscall(SYS_gettid);
	char byte;

	if (write(fd[1], &tid, sizeof(tid)) != sizeof(tid) || read(fd[2], &byte, 1) < 0)
		return NULL;
	return NULL;
}

static void test_thread(void **state)
{
	struct scope_target target;
	struct scope_error error;
	pthread_t thread;
	int fd[4], tid;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(pipe(fd + 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, write_tid, fd), 0);
	assert_int_equal(read(fd[0], &tid, sizeof(tid)), sizeof(tid));
	assert_int_equal(scope_proc_target_find((uint32_t)tid, &error, &target), 0);
	assert_int_equal(target.tgid, getpid());
	assert_non_null(strstr(target.note, "is a thread of process"));
	assert_int_equal(scope_proc_target_find((uint32_t)getpid(), &error, &target), 0);
	assert_string_equal(target.note, "");
	close(fd[3]);
	pthread_join(thread, NULL);
	close_all(fd, 3);
}

/* The first thread of a process ends, another lives on: it can be traced, and has maps. */
static void *outlive(void *argument)
{
	char byte;

	if (read(*(int *)argument, &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

static void run_headless(int fd)
{
	static int kept;
	pthread_t thread;

	kept = fd;
	if (pthread_create(&thread, NULL, outlive, &kept))
		_exit(1);
	pthread_exit(NULL);
}

static void wait_for_zombie_leader(pid_t child)
{
	char path[64], line[256], state = '?';
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	while (state != 'Z') {
		file = fopen(path, "r");
		assert_non_null(file);
		if (fgets(line, sizeof(line), file) && strrchr(line, ')'))
			state = strrchr(line, ')')[2];
		fclose(file);
		usleep(1000);
	}
}

static void test_headless_process(void **state)
{
	struct scope_proc_maps maps;
	struct scope_target target;
	struct scope_error error;
	struct scope_proc *proc;
	pid_t child;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (!child) {
		close(fd[1]);
		run_headless(fd[0]);
	}
	wait_for_zombie_leader(child);
	assert_int_equal(scope_proc_target_find((uint32_t)child, &error, &target), 0);
	assert_int_equal(scope_proc_create(NULL, &proc), 0);
	assert_int_equal(scope_proc_maps_read(proc, (uint32_t)child, &maps), 0);
	assert_true(maps.count > 3);
	scope_proc_maps_destroy(&maps);
	scope_proc_destroy(proc);
	close_all(fd, 2);
	waitpid(child, NULL, 0);
}

/* A PID namespace of its own serves as a container; the child is number 1 in it. */
static void test_inner_pid(void **state)
{
	pid_t child;
	int fd[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = (pid_t)syscall(SYS_clone, SIGCHLD | CLONE_NEWPID, NULL, NULL, NULL, 0);
	if (child < 0) {
		close_all(fd, 2);
		skip(); /* needs root */
	}
	if (!child) {
		/* Number 2 is a kernel thread outside; here it is a process. */
		if (!fork() && write(fd[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fd[0], &byte, 1), 1);
	assert_refused(2, -EINVAL, "inside the container of ");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close_all(fd, 2);
}

static void test_tree(void **state)
{
	uint32_t *tgids, grandchild = 0;
	size_t count, i;
	pid_t child, inner;
	bool seen = false;
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (!child) {
		inner = fork();
		if (inner && write(fd[1], &inner, sizeof(inner)) != sizeof(inner))
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(fd[0], &grandchild, sizeof(grandchild)), sizeof(grandchild));
	assert_int_equal(scope_proc_target_tree((uint32_t)child, &tgids, &count), 0);
	assert_int_equal(count, 2);
	assert_int_equal(tgids[0], child);
	assert_int_equal(tgids[1], grandchild);
	free(tgids);
	assert_int_equal(scope_proc_target_tree((uint32_t)getpid(), &tgids, &count), 0);
	for (i = 0; i < count; i++)
		seen |= tgids[i] == grandchild;
	assert_true(seen);
	free(tgids);
	kill((pid_t)grandchild, SIGKILL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close_all(fd, 2);
}

static void test_defaults(void **state)
{
	uint8_t counts[SCOPE_SYSCALL_MAX];

	(void)state;
	scope_capture_default_arg_counts(counts);
	assert_int_equal(counts[SYS_read], 1);
	assert_int_equal(counts[SYS_futex], 3);
	assert_int_equal(counts[SYS_getpid], 0);
	assert_int_equal(scope_capture_default_sample_period_ns(1), 2003000);
	assert_int_equal(scope_capture_default_sample_period_ns(4), 2003000);
	/* 64 CPUs, one sample each in this time: at most 2000 a second. */
	assert_true(scope_capture_default_sample_period_ns(64) >= 32000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tcp),
		cmocka_unit_test(test_datagram),
		cmocka_unit_test(test_other_ends),
		cmocka_unit_test(test_unix_sockets),
		cmocka_unit_test(test_unix_pair),
		cmocka_unit_test(test_two_namespaces),
		cmocka_unit_test(test_other_descriptors),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_no_process),
		cmocka_unit_test(test_kernel_thread),
		cmocka_unit_test(test_zombie),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_headless_process),
		cmocka_unit_test(test_inner_pid),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_defaults),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
