// SPDX-License-Identifier: GPL-2.0-only
/* The keeper: starts and ends readers, for a process whose descriptors the readers must not have. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/child.h"
#include "proc/file.h"
#include "proc/reader_internal.h"

#define READER_MEMORY_BYTES (1ull << 30) /* in addition to the address space inherited from its caller */
#define READER_FILES 512
#define COLLECT_MS 1000 /* interval of checks for readers that have ended */

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_LIMITED 0 /* the maps of a sanitizer are larger */
#else
#define MEMORY_LIMITED 1
#endif

static void limit(int what, rlim_t most)
{
	struct rlimit limits;

	if (getrlimit(what, &limits) || limits.rlim_cur <= most)
		return;
	limits.rlim_cur = most;
	setrlimit(what, &limits);
}

/*
 * Size of this process's address space. It may be large, because a caller that follows a growing trace has reserved
 * much.
 */
static uint64_t own_bytes(void)
{
	return (uint64_t)scope_proc_file_number("/proc/self/statm", 0) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static pid_t begin_reader(int fd, int own)
{
	const pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	scope_proc_child_detach(parent);
	close(own);
	scope_proc_child_drop_capabilities();
	limit(RLIMIT_NOFILE, READER_FILES);
	if (MEMORY_LIMITED)
		limit(RLIMIT_AS, own_bytes() + READER_MEMORY_BYTES);
	limit(RLIMIT_CORE, 0);
	scope_proc_reader_serve(fd);
	_exit(0);
}

/*
 * Receives one packet. Returns the descriptor that came with it, -1 if there is none, or -EPIPE if the caller has
 * ended.
 */
static int receive(int fd)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec piece = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &piece, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)
	};

	if (recvmsg(fd, &message, MSG_CMSG_CLOEXEC) != 1)
		return -EPIPE;
	return scope_proc_reader_passed(&message);
}

/*
 * The main loop. A killed reader that hangs ends as soon as its wait in the kernel ends; the keeper does not wait for
 * that.
 */
static void keep(int fd, volatile pid_t *reader)
{
	struct pollfd set = { .fd = fd, .events = POLLIN };
	pid_t ended;
	int passed;

	for (;;) {
		/* After waitpid() the pid may belong to another process. */
		while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
			if (ended == *reader)
				*reader = 0;
		if (poll(&set, 1, COLLECT_MS) <= 0)
			continue;
		passed = receive(fd);
		if (*reader > 0)
			kill(*reader, SIGKILL);
		*reader = 0;
		if (passed == -EPIPE)
			return;
		if (passed >= 0) {
			*reader = begin_reader(passed, fd);
			close(passed);
		}
	}
}

int scope_proc_reader_keep(int *ret_fd, pid_t *ret_pid, pid_t **ret_reader_pid)
{
	const pid_t parent = getpid();
	pid_t pid, *reader_pid;
	int ends[2];

	reader_pid = mmap(NULL, sizeof(*reader_pid), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (reader_pid == MAP_FAILED)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		const int err = -errno;

		munmap(reader_pid, sizeof(*reader_pid));
		return err;
	}
	pid = fork();
	if (pid < 0) {
		const int err = -errno;

		munmap(reader_pid, sizeof(*reader_pid));
		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (!pid) {
		scope_proc_child_detach(parent);
		scope_proc_child_close(ends[1]);
		keep(ends[1], reader_pid);
		_exit(0);
	}
	close(ends[1]);
	*ret_fd = ends[0];
	*ret_pid = pid;
	*ret_reader_pid = reader_pid;
	return 0;
}
