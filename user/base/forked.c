// SPDX-License-Identifier: GPL-2.0-only
/* A child process that works on a copy of this one's memory, beside it and after its own work. */
#include "base/forked.h"

#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define CHILD_NICE 10
#define NS_PER_S 1000000000ull

/* After how long in all which priority follows. */
static const struct {
	uint64_t after_ns;
	int nice;
} hurry[] = { { NS_PER_S, 0 }, { 3 * NS_PER_S, -10 } };

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
	int nice = CHILD_NICE;

	for (size_t i = 0; i < sizeof(hurry) / sizeof(hurry[0]); i++)
		if (waited_ns >= hurry[i].after_ns)
			nice = hurry[i].nice;
	if (nice != CHILD_NICE && getpriority(PRIO_PROCESS, (id_t)child) > nice)
		setpriority(PRIO_PROCESS, (id_t)child, nice);
}
