// SPDX-License-Identifier: GPL-2.0-only
/* Runs a reader of a foreign format in a process that can be given up. */
#include "import/told.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_MAX_BYTES (2ull << 30)
#define CPU_MAX_S 3600
#define AGAIN 4096 /* messages from one setting of the limit to the next */

struct scope_teller {
	FILE *to;
	uint64_t told;
};

/* Of the time on a CPU from now on: with it SIGXCPU comes. */
static void allow_cpu(void)
{
	struct rlimit limits = { .rlim_max = CPU_MAX_S };
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used))
		return;
	limits.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + SCOPE_TOLD_CPU_S;
	if (limits.rlim_cur > limits.rlim_max)
		limits.rlim_cur = limits.rlim_max;
	setrlimit(RLIMIT_CPU, &limits);
}

int scope_import_tell(struct scope_teller *teller, const struct scope_told *told)
{
	if (++teller->told % AGAIN == 0)
		allow_cpu();
	return fwrite(told, sizeof(*told), 1, teller->to) == 1 ? 0 : -EPIPE;
}

void scope_import_told_name(struct scope_told *told, const char *text)
{
	told->named = text != NULL;
	if (text)
		memcpy(told->comm, text, strnlen(text, sizeof(told->comm) - 1));
}

static void limit(int resource, rlim_t most)
{
	const struct rlimit limits = { most, most };

	setrlimit(resource, &limits);
}

/* The child's whole life. */
static _Noreturn void live(int (*read)(void *user, struct scope_teller *teller), void *user, int to, pid_t parent)
{
	struct scope_teller teller = { .to = fdopen(to, "w") };
	struct scope_told end = { .kind = SCOPE_TOLD_END };
	int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!teller.to || quiet < 0 || dup2(quiet, STDIN_FILENO) < 0 || dup2(quiet, STDOUT_FILENO) < 0 ||
	    dup2(quiet, STDERR_FILENO) < 0 || getppid() != parent)
		_exit(1);
	limit(RLIMIT_CORE, 0);
	signal(SIGXCPU, SIG_DFL);
	allow_cpu();
	limit(RLIMIT_FSIZE, 0); /* pipes are no files */
#ifndef __SANITIZE_ADDRESS__	/* which asks for more address space than there is memory */
	limit(RLIMIT_AS, MEMORY_MAX_BYTES);
#endif
	end.ret = read(user, &teller);
	if (scope_import_tell(&teller, &end) || fflush(teller.to))
		_exit(1);
	_exit(0);
}

static int give(const struct scope_told *told, struct scope_import *import, uint64_t *other)
{
	switch (told->kind) {
	case SCOPE_TOLD_THREAD:
		return scope_import_thread(import, told->tid, told->tgid, told->named ? told->comm : NULL);
	case SCOPE_TOLD_ENTER:
		return scope_import_enter(import, told->time_ns, told->cpu, told->tid, told->nr, told->arg, told->args);
	case SCOPE_TOLD_EXIT:
		return scope_import_exit(import, told->time_ns, told->cpu, told->tid, told->nr, told->ret);
	case SCOPE_TOLD_SWITCH:
		return scope_import_switch(import, told->time_ns, told->cpu, told->tid, told->other, told->state,
					   told->preempted);
	case SCOPE_TOLD_WAKING:
		return scope_import_waking(import, told->time_ns, told->cpu, told->tid, told->other);
	case SCOPE_TOLD_FORK:
		return scope_import_fork(import, told->time_ns, told->cpu, told->tid, told->other, told->tgid,
					 told->named ? told->comm : NULL);
	case SCOPE_TOLD_THREAD_EXIT:
		return scope_import_thread_exit(import, told->time_ns, told->cpu, told->tid);
	case SCOPE_TOLD_LOST:
		return scope_import_lost(import, told->time_ns, told->cpu, told->count);
	case SCOPE_TOLD_OTHER:
		++*other;
		return 0;
	}
	return -EBADMSG;
}

/* One whole message. 1; 0 at the end; -ETIME, -errno. */
static int receive(int from, unsigned silence_ms, struct scope_told *ret_told)
{
	struct pollfd wait = { .fd = from, .events = POLLIN };
	size_t have = 0;

	while (have < sizeof(*ret_told)) {
		int ready = poll(&wait, 1, (int)silence_ms);
		ssize_t bytes;

		if (!ready)
			return -ETIME;
		if (ready < 0 && errno != EINTR)
			return -errno;
		bytes = ready < 0 ? -1 : read(from, (char *)ret_told + have, sizeof(*ret_told) - have);
		if (!bytes)
			return 0;
		if (bytes < 0 && errno != EINTR)
			return -errno;
		have += bytes > 0 ? (size_t)bytes : 0;
	}
	ret_told->comm[sizeof(ret_told->comm) - 1] = '\0';
	return 1;
}

static int take_all(int from, unsigned silence_ms, struct scope_import *import, uint64_t *other)
{
	struct scope_told told;
	int more;

	while ((more = receive(from, silence_ms, &told)) > 0) {
		int err = told.kind == SCOPE_TOLD_END ? 0 : give(&told, import, other);

		if (err || told.kind == SCOPE_TOLD_END)
			return err ? err : (int)told.ret;
	}
	return more ? more : -ECHILD;
}

int scope_import_told_run(int (*read)(void *user, struct scope_teller *teller), void *user, unsigned silence_ms,
			  struct scope_import *import, uint64_t *ret_other)
{
	const pid_t parent = getpid();
	uint64_t other = 0;
	int way[2], status = 0, err;
	pid_t child;

	if (pipe2(way, O_CLOEXEC))
		return -errno;
	fflush(NULL);
	child = fork();
	if (child < 0) {
		err = -errno;
		close(way[0]);
		close(way[1]);
		return err;
	}
	if (!child) {
		close(way[0]);
		live(read, user, way[1], parent);
	}
	close(way[1]);
	err = take_all(way[0], silence_ms, import, &other);
	close(way[0]);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	if (err == -ECHILD && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		err = -ETIME;
	if (!err)
		*ret_other = other;
	return err;
}
