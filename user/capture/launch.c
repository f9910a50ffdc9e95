// SPDX-License-Identifier: GPL-2.0-only
/* A command that is held just before its exec. */
#include "capture/launch.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/invoker.h"

struct scope_launch {
	char *const *argv;
	pid_t pid;
	/*
	 * A byte starts the child, end of file ends it. The child answers with the errno of its exec; a successful exec
	 * closes its end.
	 */
	int gate;
	bool held;
	int status; /* as returned by waitpid(); -1: not ended yet */
	bool gone;
};

static void run_child(char *const argv[], int gate)
{
	struct scope_invoker invoker;
	int err = 0;
	char byte;

	if (read(gate, &byte, 1) != 1)
		_exit(127);
	signal(SIGXFSZ, SIG_DFL);
	/* With Yama only ancestors may read this process, but the reader is another child of its parent. */
	prctl(PR_SET_PTRACER, getppid());
	if (scope_invoker_find(&invoker))
		err = scope_invoker_become(&invoker);
	if (!err) {
		execvp(argv[0], argv);
		err = -errno;
	}
	if (send(gate, &err, sizeof(err), MSG_NOSIGNAL) < 0)
		_exit(126);
	_exit(127);
}

static int fail_to_run(const char *name, int err, struct scope_error *error)
{
	return scope_error_set(error, err,
			       "%s cannot be run: %s; name a program that is there, with "
			       "its path if it is not in PATH",
			       name, strerror(-err));
}

/* Returns false if there is certainly no such program. Root cannot read every directory of the user who called sudo. */
static bool may_be_there(const char *name)
{
	const char *at = strchr(name, '/') ? "" : getenv("PATH");
	char path[PATH_MAX];

	for (at = at ? at : "/bin:/usr/bin";; at++) {
		const size_t length = strcspn(at, ":");

		snprintf(path, sizeof(path), "%.*s%s%s", (int)length, at, length ? "/" : "", name);
		if (!access(path, F_OK) || (errno != ENOENT && errno != ENOTDIR))
			return true;
		at += length;
		if (!*at)
			return false;
	}
}

int scope_capture_launch_hold(char *const argv[], struct scope_error *error, struct scope_launch **ret_launch)
{
	/* This is checked before the trace gets its name, because an earlier trace would be renamed. */
	const bool there = may_be_there(argv[0]);
	struct scope_launch *launch = there ? calloc(1, sizeof(*launch)) : NULL;
	int gate[2] = { -1, -1 };

	if (!there)
		return fail_to_run(argv[0], -ENOENT, error);
	if (!launch)
		return scope_error_set(error, -ENOMEM, "no memory left to start %s", argv[0]);
	launch->argv = argv;
	launch->status = -1;
	launch->pid = -1;
	launch->held = true;
	if (!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate))
		launch->pid = fork();
	if (!launch->pid) {
		close(gate[1]);
		run_child(argv, gate[0]);
	}
	launch->gate = gate[1];
	if (launch->pid < 0) {
		int err = -errno;

		launch->held = false;
		close(gate[0]);
		scope_capture_launch_destroy(launch);
		return scope_error_set(error, err, "%s cannot be started: %s", argv[0], strerror(-err));
	}
	close(gate[0]);
	*ret_launch = launch;
	return 0;
}

uint32_t scope_capture_launch_pid(const struct scope_launch *launch)
{
	return (uint32_t)launch->pid;
}

int scope_capture_launch_go(struct scope_launch *launch, struct scope_error *error)
{
	int err = 0;
	ssize_t got;

	launch->held = false;
	if (send(launch->gate, "", 1, MSG_NOSIGNAL) != 1)
		return scope_error_set(error, -ESRCH, "%s was ended before it could start", launch->argv[0]);
	do
		got = read(launch->gate, &err, sizeof(err));
	while (got < 0 && errno == EINTR);
	if (got != sizeof(err))
		return 0;
	return fail_to_run(launch->argv[0], err, error);
}

int scope_capture_launch_status(struct scope_launch *launch)
{
	int status;

	if (!launch->gone && waitpid(launch->pid, &status, WNOHANG) == launch->pid) {
		launch->gone = true;
		launch->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	}
	return launch->status;
}

void scope_capture_launch_destroy(struct scope_launch *launch)
{
	if (!launch)
		return;
	if (launch->gate >= 0)
		close(launch->gate);
	if (launch->held)
		waitpid(launch->pid, NULL, 0);
	free(launch);
}
