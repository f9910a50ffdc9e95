// SPDX-License-Identifier: GPL-2.0-only
/* The keeper: begins readers and ends them, for a process whose descriptors they must not have. */
#include <errno.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc/child.h"
#include "proc/file.h"
#include "proc/reader_internal.h"

#define READER_MEMORY_BYTES (1ull << 30) /* beyond what it has of its caller */
#define READER_FILES 512
#define COLLECT_MS 1000 /* from one look for readers that have ended to the next */

#if defined(__SANITIZE_ADDRESS__)
#define MEMORY_LIMITED 0 /* its own maps are larger */
#else
#define MEMORY_LIMITED 1
#endif

/* Of what a reader may need: the memory of others, their files, what /proc shows to root alone. */
static const int wanted_capabilities[] = { CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_DAC_READ_SEARCH };

/*
 * All others go, unless CAP_SYS_PTRACE is none of them: then the kernel lets this process read of its own user's
 * processes those alone that have no capability which it has not.
 */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	uint64_t keep = 0;

	if (syscall(SYS_capget, &header, data) || !(data[0].effective & 1u << CAP_SYS_PTRACE))
		return;
	for (size_t i = 0; i < sizeof(wanted_capabilities) / sizeof(wanted_capabilities[0]); i++)
		keep |= 1ull << wanted_capabilities[i];
	for (int i = 0; i < 2; i++) {
		const uint32_t part = (uint32_t)(keep >> 32 * i);

		data[i].effective &= part;
		data[i].permitted &= part;
		data[i].inheritable = 0;
	}
	syscall(SYS_capset, &header, data);
}

static void limit(int what, rlim_t most)
{
	struct rlimit limits;

	if (getrlimit(what, &limits) || limits.rlim_cur <= most)
		return;
	limits.rlim_cur = most;
	setrlimit(what, &limits);
}

/* Address space of this process: a caller that follows a trace as it grows has reserved much of it. */
static uint64_t own_bytes(void)
{
	unsigned long long pages = 0;
	char *text;

	if (scope_proc_file_read(&text, "/proc/self/statm"))
		return 0;
	pages = strtoull(text, NULL, 10);
	free(text);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static pid_t begin_reader(int fd, int own)
{
	const pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	scope_proc_child_detach(parent);
	close(own);
	drop_capabilities();
	limit(RLIMIT_NOFILE, READER_FILES);
	if (MEMORY_LIMITED)
		limit(RLIMIT_AS, own_bytes() + READER_MEMORY_BYTES);
	limit(RLIMIT_CORE, 0);
	scope_proc_reader_serve(fd);
	_exit(0);
}

/* One packet: the descriptor that came with it, -1: none did, -EPIPE: the caller is gone. */
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

/* One that hangs is dead as soon as what it waits for lets it; nobody waits for that. */
static void keep(int fd)
{
	struct pollfd set = { .fd = fd, .events = POLLIN };
	pid_t reader = -1, ended;
	int passed;

	for (;;) {
		/* A number that was collected may be another process's by now. */
		while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
			if (ended == reader)
				reader = -1;
		if (poll(&set, 1, COLLECT_MS) <= 0)
			continue;
		passed = receive(fd);
		if (reader > 0)
			kill(reader, SIGKILL);
		reader = -1;
		if (passed == -EPIPE)
			return;
		if (passed >= 0) {
			reader = begin_reader(passed, fd);
			close(passed);
		}
	}
}

int scope_proc_reader_keep(int *ret_fd, pid_t *ret_pid)
{
	const pid_t parent = getpid();
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	if (pid < 0) {
		const int err = -errno;

		close(ends[0]);
		close(ends[1]);
		return err;
	}
	if (!pid) {
		scope_proc_child_detach(parent);
		scope_proc_child_close(ends[1]);
		keep(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	*ret_fd = ends[0];
	*ret_pid = pid;
	return 0;
}
