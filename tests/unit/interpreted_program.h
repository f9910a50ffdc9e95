/* SPDX-License-Identifier: GPL-2.0-only */
/* A program that a test starts by an interpreter, and whose functions it reads from outside. */
#ifndef SCOPE_TESTS_INTERPRETED_PROGRAM_H
#define SCOPE_TESTS_INTERPRETED_PROGRAM_H

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "interpreter/interpreter.h"
#include "proc/file.h"

struct program {
	pid_t pid;
	char folder[64]; /* its own: an interpreter takes modules from where the program is */
	char path[96];
};

/* Runs the text by that interpreter, until it is ready. false: it cannot be run. */
static inline bool begin(struct program *program, const char *interpreter, const char *text, unsigned depth)
{
	char said[8] = "";
	int ends[2], fd;
	const char *mark = strstr(text, "DEPTH");

	snprintf(program->folder, sizeof(program->folder), "/tmp/scope_test_interpreter.XXXXXX");
	assert_non_null(mkdtemp(program->folder));
	/* Java asks for this end of the name. */
	snprintf(program->path, sizeof(program->path), "%s/program.java", program->folder);
	fd = open(program->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	if (mark)
		dprintf(fd, "%.*s%u%s", (int)(mark - text), text, depth, mark + strlen("DEPTH"));
	else
		dprintf(fd, "%s", text);
	close(fd);
	assert_int_equal(pipe(ends), 0);
	program->pid = fork();
	if (!program->pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execlp(interpreter, interpreter, program->path, NULL);
		_exit(127);
	}
	close(ends[1]);
	for (size_t used = 0; used < 6;) {
		const ssize_t got = read(ends[0], said + used, 6 - used);

		if (got <= 0)
			break;
		used += (size_t)got;
	}
	close(ends[0]);
	return !strcmp(said, "ready\n");
}

static inline void end(struct program *program)
{
	kill(program->pid, SIGKILL);
	waitpid(program->pid, NULL, 0);
	unlink(program->path);
	rmdir(program->folder);
}

static inline bool is_task(void *context, uint32_t tid)
{
	const struct program *program = context;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%u", program->pid, tid);
	return !access(path, F_OK);
}

static struct scope_memory memory;
static uint32_t memory_pid;

static inline void attach(const struct program *program)
{
	memory_pid = (uint32_t)program->pid;
	memory = (struct scope_memory){ .read = scope_interpreter_memory_of_process, .context = &memory_pid };
	scope_interpreter_memory_begin(&memory, 10000);
}

static inline enum scope_interpreter_found find(const struct program *program, struct scope_interpreter *interpreter)
{
	enum scope_interpreter_language language;
	uint64_t start = 0;
	uint32_t version = 0;
	char *maps;

	assert_int_equal(scope_proc_file_read(&maps, "/proc/%d/maps", program->pid), 0);
	language = scope_interpreter_of_maps(maps, &start, &version);
	free(maps);
	assert_int_not_equal(language, SCOPE_INTERPRETER_NONE);
	return scope_interpreter_find(&memory, language, start, version, interpreter);
}

/* The names of the frames of a thread, innermost first, a line each; the file is cut off. */
static inline void list(const struct scope_interpreter *interpreter, uint64_t state, char *text, size_t size)
{
	struct scope_interpreted_frames frames;
	size_t used = 0;

	scope_interpreter_memory_begin(&memory, 10000);
	assert_int_equal(scope_interpreter_frames(&memory, interpreter, state, &frames), SCOPE_INTERPRETER_READ);
	for (uint32_t i = 0; i < frames.count && used < size; i++) {
		char name[SCOPE_INTERPRETED_NAME];
		const char *file;

		assert_true(scope_interpreter_name(&memory, interpreter, frames.function[i], name));
		file = strrchr(name, ':');
		used += (size_t)snprintf(text + used, size - used, "%.*s\n",
					 (int)(file ? (size_t)(file - name) : strlen(name)), name);
	}
}

#endif
