// SPDX-License-Identifier: GPL-2.0-only
/* Separates a forked process from the one that holds the session. */
#include "proc/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
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
