// SPDX-License-Identifier: GPL-2.0-only
/* Runs a reader of a foreign format in a process that can be given up. */
#include "import/messages.h"

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
#define AGAIN 4096 /* messages after which the limit is set again */

struct scope_import_sender {
	FILE *to;
	uint64_t message;
};

/* Limits the time on a CPU from now on; SIGXCPU comes when it is used up. */
static void allow_cpu(void)
{
	struct rlimit limits = { .rlim_max = CPU_MAX_S };
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used))
		return;
	limits.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + SCOPE_IMPORT_MESSAGE_CPU_S;
	if (limits.rlim_cur > limits.rlim_max)
		limits.rlim_cur = limits.rlim_max;
	setrlimit(RLIMIT_CPU, &limits);
}

int scope_import_send(struct scope_import_sender *sender, const struct scope_import_message *message)
{
	if (++sender->message % AGAIN == 0)
		allow_cpu();
	return fwrite(message, sizeof(*message), 1, sender->to) == 1 ? 0 : -EPIPE;
}

void scope_import_message_name(struct scope_import_message *message, const char *text)
{
	message->named = text != NULL;
	if (text)
		memcpy(message->comm, text, strnlen(text, sizeof(message->comm) - 1));
}

static void limit(int resource, rlim_t most)
{
	const struct rlimit limits = { most, most };

	setrlimit(resource, &limits);
}

/* The work of the child. */
static _Noreturn void live(int (*read)(void *user, struct scope_import_sender *sender), void *user, int to,
			   pid_t parent)
{
	struct scope_import_sender sender = { .to = fdopen(to, "w") };
	struct scope_import_message end = { .kind = SCOPE_IMPORT_MESSAGE_END };
	int quiet = open("/dev/null", O_RDWR | O_CLOEXEC);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!sender.to || quiet < 0 || dup2(quiet, STDIN_FILENO) < 0 || dup2(quiet, STDOUT_FILENO) < 0 ||
	    dup2(quiet, STDERR_FILENO) < 0 || getppid() != parent)
		_exit(1);
	limit(RLIMIT_CORE, 0);
	signal(SIGXCPU, SIG_DFL);
	allow_cpu();
	limit(RLIMIT_FSIZE, 0); /* pipes are no files */
#ifndef __SANITIZE_ADDRESS__	/* it needs more address space than there is memory */
	limit(RLIMIT_AS, MEMORY_MAX_BYTES);
#endif
	end.ret = read(user, &sender);
	if (scope_import_send(&sender, &end) || fflush(sender.to))
		_exit(1);
	_exit(0);
}

static int give(const struct scope_import_message *message, struct scope_import *import, uint64_t *other)
{
	switch (message->kind) {
	case SCOPE_IMPORT_MESSAGE_THREAD:
		return scope_import_thread(import, message->tid, message->tgid, message->named ? message->comm : NULL);
	case SCOPE_IMPORT_MESSAGE_ENTER:
		return scope_import_enter(import, message->time_ns, message->cpu, message->tid, message->nr,
					  message->arg, message->args);
	case SCOPE_IMPORT_MESSAGE_EXIT:
		return scope_import_exit(import, message->time_ns, message->cpu, message->tid, message->nr,
					 message->ret);
	case SCOPE_IMPORT_MESSAGE_SWITCH:
		return scope_import_switch(import, message->time_ns, message->cpu, message->tid, message->other,
					   message->state, message->preempted);
	case SCOPE_IMPORT_MESSAGE_WAKING:
		return scope_import_waking(import, message->time_ns, message->cpu, message->tid, message->other);
	case SCOPE_IMPORT_MESSAGE_FORK:
		return scope_import_fork(import, message->time_ns, message->cpu, message->tid, message->other,
					 message->tgid, message->named ? message->comm : NULL);
	case SCOPE_IMPORT_MESSAGE_THREAD_EXIT:
		return scope_import_thread_exit(import, message->time_ns, message->cpu, message->tid);
	case SCOPE_IMPORT_MESSAGE_LOST:
		return scope_import_lost(import, message->time_ns, message->cpu, message->count);
	case SCOPE_IMPORT_MESSAGE_OTHER:
		++*other;
		return 0;
	}
	return -EBADMSG;
}

/* Receives one whole message. 1; 0 at the end; -ETIME, -errno. */
static int receive(int from, unsigned silence_ms, struct scope_import_message *ret_message)
{
	struct pollfd wait = { .fd = from, .events = POLLIN };
	size_t have = 0;

	while (have < sizeof(*ret_message)) {
		int ready = poll(&wait, 1, (int)silence_ms);
		ssize_t bytes;

		if (!ready)
			return -ETIME;
		if (ready < 0 && errno != EINTR)
			return -errno;
		bytes = ready < 0 ? -1 : read(from, (char *)ret_message + have, sizeof(*ret_message) - have);
		if (!bytes)
			return 0;
		if (bytes < 0 && errno != EINTR)
			return -errno;
		have += bytes > 0 ? (size_t)bytes : 0;
	}
	ret_message->comm[sizeof(ret_message->comm) - 1] = '\0';
	return 1;
}

static int take_all(int from, unsigned silence_ms, struct scope_import *import, uint64_t *other)
{
	struct scope_import_message message;
	int more;

	while ((more = receive(from, silence_ms, &message)) > 0) {
		int err = message.kind == SCOPE_IMPORT_MESSAGE_END ? 0 : give(&message, import, other);

		if (err || message.kind == SCOPE_IMPORT_MESSAGE_END)
			return err ? err : (int)message.ret;
	}
	return more ? more : -ECHILD;
}

int scope_import_run_reader(int (*read)(void *user, struct scope_import_sender *sender), void *user,
			    unsigned silence_ms, struct scope_import *import, uint64_t *ret_other)
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
