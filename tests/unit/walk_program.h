/* SPDX-License-Identifier: GPL-2.0-only */
/* Programs of many kinds, stopped repeatedly: at each instruction for some time, then anywhere. */
#ifndef SCOPE_TEST_WALK_PROGRAM_H
#define SCOPE_TEST_WALK_PROGRAM_H

#include <dirent.h>

#include "unwind_process.h"

#define MAPS_TEXT (1u << 20)

struct walk_program {
	const char *name;
	const char *compiler; /* NULL: the usual one; left out where it is missing */
	const char *flags;    /* for it; NULL: a program of the system */
	const char *mode;     /* of unwind_target.c, or the command */
	unsigned int bursts;  /* each of `steps` instructions */
	unsigned int steps;
	unsigned int
		copied; /* the most of 100 stacks that may end in code without a table, such as code that binds symbols at the first call */
	const char *prepare; /* a command that must succeed before; it may write to $WALK_DIRECTORY */
};

/* A started one. */
struct walk_run {
	struct process process; /* pid: of the thread that is looked at */
	pid_t leader;
	int signal; /* that is still to be given to it */
	char *maps; /* as they were read last */
};

static inline bool walk_build(const struct walk_program *program, char *ret_path, size_t bytes)
{
	const char *before = getenv("CC");
	char kept[256] = "";
	bool built;

	if (before)
		snprintf(kept, sizeof(kept), "%s", before);
	if (program->compiler)
		setenv("CC", program->compiler, 1);
	built = process_build("walked", program->flags, ret_path, bytes);
	if (before)
		setenv("CC", kept, 1);
	else
		unsetenv("CC");
	return built;
}

/* Its thread that used most time of processors. */
static inline pid_t walk_busiest(pid_t leader)
{
	char path[64], line[512];
	unsigned long most = 0;
	pid_t busiest = leader;
	struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/task", leader);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		unsigned long user = 0;
		const char *end;
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%d/task/%.16s/stat", leader, entry->d_name);
		file = entry->d_name[0] == '.' ? NULL : fopen(path, "r");
		if (!file)
			continue;
		end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
		if (end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", &user) == 1 &&
		    user > most) {
			most = user;
			busiest = atoi(entry->d_name);
		}
		fclose(file);
	}
	if (folder)
		closedir(folder);
	return busiest;
}

/* A program of the system, which a shell executes: it gets two seconds to become busy. False: it ended. */
static inline bool walk_start_command(const char *prepare, const char *command, pid_t *ret_leader)
{
	char line[1024];
	int status;

	if (prepare && system(prepare))
		return false;
	snprintf(line, sizeof(line), "exec %s >/dev/null 2>&1 </dev/null", command);
	*ret_leader = fork();
	if (!*ret_leader) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl("/bin/sh", "sh", "-c", line, NULL);
		_exit(127);
	}
	sleep(2);
	return !waitpid(*ret_leader, &status, WNOHANG);
}

/* Starts it and stops it. False: it is not here, or does not start. */
static inline bool walk_start(const struct walk_program *program, struct walk_run *run)
{
	char path[128];

	*run = (struct walk_run){ 0 };
	if (program->flags) {
		if (!walk_build(program, path, sizeof(path)) || !process_start(&run->process, path, program->mode, 1))
			return false;
		run->leader = run->process.pid;
	} else {
		if (!walk_start_command(program->prepare, program->mode, &run->leader))
			return false;
		run->process.pid = walk_busiest(run->leader);
	}
	if (ptrace(PTRACE_SEIZE, run->process.pid, NULL, NULL) || !thread_halt(run->process.pid))
		return false;
	process_maps(&run->process);
	run->maps = calloc(1, MAPS_TEXT);
	return true;
}

static inline void walk_stop(struct walk_run *run)
{
	free(run->maps);
	run->process.pid = run->leader;
	process_stop(&run->process);
}

/* True if its mappings are not those of the last call. */
static inline bool walk_maps_changed(struct walk_run *run)
{
	char path[64], *text = calloc(1, MAPS_TEXT);
	bool changed;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", run->leader);
	file = fopen(path, "r");
	if (!text || !file || !fread(text, 1, MAPS_TEXT - 1, file))
		abort();
	fclose(file);
	changed = strcmp(text, run->maps);
	free(run->maps);
	run->maps = text;
	return changed;
}

/* Executes one more instruction. Signals are passed to it. False: it is gone. */
static inline bool walk_step(struct walk_run *run)
{
	int status;

	if (ptrace(PTRACE_SINGLESTEP, run->process.pid, NULL, (void *)(long)run->signal) ||
	    waitpid(run->process.pid, &status, __WALL) != run->process.pid || !WIFSTOPPED(status))
		return false;
	run->signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
	return true;
}

/* Some time on. */
static inline bool walk_on(struct walk_run *run, unsigned int most_us)
{
	const pid_t pid = run->process.pid;

	if (ptrace(PTRACE_CONT, pid, NULL, (void *)(long)run->signal))
		return false;
	run->signal = 0;
	usleep((useconds_t)((unsigned int)rand() % most_us));
	return thread_halt(pid);
}

#endif
