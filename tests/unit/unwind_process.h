/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds, starts, stops and examines the program of unwind_target.c, for tests. */
#ifndef SCOPE_TEST_UNWIND_PROCESS_H
#define SCOPE_TEST_UNWIND_PROCESS_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbol/symbol.h"

#define MAPS_MAX 2048
#define THREADS_MAX 8
#define SLICE_BYTES 16384

struct process {
	pid_t pid;
	uint64_t shadow; /* address of the second stack */
	struct {
		char name[16];
		pid_t tid;
	} thread[THREADS_MAX];
	unsigned int threads;
	struct scope_trace_map map[MAPS_MAX];
	size_t maps;
};

/* What a trace holds of one thread. */
struct snapshot {
	uint64_t reg[SCOPE_REG_COUNT_X86_64];
	uint8_t data[SLICE_BYTES];
	size_t bytes;
};

static char directory[64]; /* of the programs built */

static inline const char *source_folder(void)
{
	static char folder[256];
	const char *slash = strrchr(__FILE__, '/');

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - __FILE__) : 1, slash ? __FILE__ : ".");
	return folder;
}

/* False: it cannot be made. */
static inline bool process_directory(void)
{
	if (*directory)
		return true;
	strcpy(directory, "/tmp/scope-unwind.XXXXXX");
	return mkdtemp(directory);
}

/* The path of the built program, false if there is no compiler for it. */
static inline bool process_build(const char *name, const char *flags, char *ret_path, size_t bytes)
{
	const char *compiler = getenv("CC") ? getenv("CC") : "cc";
	char command[1024];

	if (!process_directory())
		return false;
	snprintf(ret_path, bytes, "%s/%s", directory, name);
	snprintf(command, sizeof(command), "%s %s -o %s %s/unwind_target.c -lpthread 2>%s/errors", compiler, flags,
		 ret_path, source_folder(), directory);
	return system(command) == 0;
}

static inline void processes_remove(void)
{
	char command[128];

	if (!*directory)
		return;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	if (system(command))
		fprintf(stderr, "%s could not be removed\n", directory);
}

static inline void process_maps(struct process *process)
{
	char path[64], line[4352];
	FILE *file;

	for (size_t i = 0; i < process->maps; i++)
		free((char *)process->map[i].path);
	process->maps = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", process->pid);
	file = fopen(path, "r");
	while (file && process->maps < MAPS_MAX && fgets(line, sizeof(line), file)) {
		struct scope_trace_map *map = &process->map[process->maps];
		unsigned long start, end, offset;
		char flags[8];
		int at = 0;

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &end, flags, &offset, &at) < 4)
			continue;
		line[strcspn(line, "\n")] = '\0';
		*map = (struct scope_trace_map){ process->pid,	    start, end, offset, flags[2] == 'x', false, false,
						 strdup(line + at), "" };
		process->maps++;
	}
	if (file)
		fclose(file);
}

/* Starts it and reads what it says of itself, until `threads` of its threads have reported. */
static inline bool process_start(struct process *process, const char *path, const char *mode, unsigned int threads)
{
	int pipes[2];
	char line[64];
	FILE *file;

	*process = (struct process){ 0 };
	if (pipe(pipes))
		return false;
	process->pid = fork();
	if (!process->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(pipes[1], 1);
		close(pipes[0]);
		execl(path, path, mode, NULL);
		_exit(127);
	}
	close(pipes[1]);
	file = fdopen(pipes[0], "r");
	while (process->threads < threads && fgets(line, sizeof(line), file)) {
		unsigned int i = process->threads;

		if (!strncmp(line, "shadow ", 7))
			process->shadow = strtoull(line + 7, NULL, 16);
		else if (sscanf(line, "%15s %d", process->thread[i].name, &process->thread[i].tid) == 2)
			process->threads++;
	}
	fclose(file);
	process_maps(process);
	return process->threads == threads && process->maps;
}

/* Waits until the threads that reported are asleep, for a minute at most. */
static inline bool process_await_sleep(const struct process *process)
{
	char path[64], line[256];
	unsigned int i = 0;

	for (unsigned int turns = 0; i < process->threads && turns < 60000; turns++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", process->pid, process->thread[i].tid);
		file = fopen(path, "r");
		if (!file)
			return false;
		if (fgets(line, sizeof(line), file) && strstr(line, ") S "))
			i++;
		else
			usleep(1000);
		fclose(file);
	}
	return i == process->threads;
}

static inline void process_stop(struct process *process)
{
	pid_t gone;

	kill(process->pid, SIGKILL);
	do { /* each of its traced threads must be waited for first */
		gone = waitpid(-1, NULL, __WALL);
	} while (gone > 0 && gone != process->pid);
	for (size_t i = 0; i < process->maps; i++)
		free((char *)process->map[i].path);
	process->maps = 0;
}

/* Stops a seized thread; signals that are pending for it are delivered. */
static inline bool thread_halt(pid_t tid)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		return false;
	while (waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status)) {
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		if (ptrace(PTRACE_CONT, tid, NULL, (void *)(long)WSTOPSIG(status)))
			return false;
	}
	return false;
}

static inline size_t process_read(pid_t pid, uint64_t address, void *data, size_t bytes)
{
	struct iovec local = { data, bytes }, remote = { (void *)address, bytes };
	ssize_t got;

	/* The stack may end inside: then less. */
	while ((got = process_vm_readv(pid, &local, 1, &remote, 1, 0)) < 0 && bytes > 256)
		local.iov_len = remote.iov_len = bytes -= 256;
	return got < 0 ? 0 : got;
}

/* Registers in DWARF order and the stack of a halted thread. */
static inline bool thread_snapshot(pid_t tid, size_t bytes, struct snapshot *ret)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, NULL, &r))
		return false;
	memcpy(ret->reg,
	       (uint64_t[]){ r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12,
			     r.r13, r.r14, r.r15, r.rip },
	       sizeof(ret->reg));
	ret->bytes = process_read(tid, r.rsp, ret->data, bytes);
	return ret->bytes > 0;
}

/* Frames can only be checked if a process may examine another one. */
static inline bool tracing_permitted(void)
{
	pid_t pid = fork();
	bool permitted;

	if (!pid) {
		pause();
		_exit(0);
	}
	permitted = !ptrace(PTRACE_SEIZE, pid, NULL, NULL);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	return permitted;
}

#endif
