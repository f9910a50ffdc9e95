// SPDX-License-Identifier: GPL-2.0-only
/* A child process that works on a copy of this process's memory, at the same time and at a lower priority. */
#include "base/forked.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define CHILD_NICE 10
#define HURRY_NS 1000000000ull /* a child that has run for longer is late: the host has no CPU to spare */

pid_t scope_forked(void)
{
	const pid_t parent = getpid(), child = fork();

	if (child)
		return child;
	/* It must not outlive the capture, nor take the target's CPU. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	setpriority(PRIO_PROCESS, 0, CHILD_NICE);
	return 0;
}

void scope_forked_hurry(pid_t child, uint64_t waited_ns)
{
	if (waited_ns >= HURRY_NS && getpriority(PRIO_PROCESS, (id_t)child) > 0)
		setpriority(PRIO_PROCESS, (id_t)child, 0);
}
