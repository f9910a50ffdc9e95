// SPDX-License-Identifier: GPL-2.0-only
/* Separates a forked process from the one that holds the session. */
#include "proc/child.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc/file.h"

static int close_other(uint32_t fd, void *context)
{
	const int *kept = context;

	if (fd > 2 && (int)fd != *kept)
		close((int)fd);
	return 0;
}

void scope_proc_child_close(int fd)
{
	const int null = open("/dev/null", O_RDWR);

	for (int i = 0; i <= 2 && null >= 0; i++)
		dup2(null, i);
	scope_proc_file_numbers("/proc/self/fd", close_other, &fd);
}

void scope_proc_child_detach(pid_t parent)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGUSR1, SIGUSR2 };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/*
 * The capabilities a reader may need: for the memory of other processes, their files, and what /proc shows only to
 * root.
 */
static const int wanted_capabilities[] = { CAP_SYS_PTRACE, CAP_SYS_ADMIN, CAP_DAC_READ_SEARCH };

void scope_proc_child_drop_capabilities(void)
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
