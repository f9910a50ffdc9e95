// SPDX-License-Identifier: GPL-2.0-only
/* scope doctor -p PID: what the process's language runtime needs so that functions compiled at run time have names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "interpreter/interpreter.h"
#include "proc/proc.h"
#include "proc/reader.h"
#include "symbol/runtime.h"

/* True if the runtime wrote the file that names its code. */
static bool has_map(struct scope_proc_reader *reader, uint32_t pid)
{
	char root[32], path[64];
	int fd;

	snprintf(root, sizeof(root), "/proc/%u/root", pid);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", scope_proc_own_number(pid));
	fd = scope_proc_reader_open_below(reader, root, path, true);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

#define FIND_READS 8192 /* no rule: the same limit as in a capture */

/* The memory of a process, through the reader, so that a process that blocks reads does not block this one. */
struct remote {
	struct scope_proc_reader *reader;
	uint32_t pid;
};

static bool read_memory(void *context, uint64_t address, void *data, size_t bytes)
{
	const struct remote *remote = context;

	return scope_proc_reader_supplied(remote->reader, remote->pid, address, data, bytes) == (ssize_t)bytes;
}

/* Finds out if a capture can read the functions that the interpreter runs, and prints it. */
static enum scope_interpreter_found check_interpreter(struct scope_proc_reader *reader, uint32_t pid,
						      const struct scope_runtime *runtime, struct scope_advice *advice)
{
	struct remote remote = { reader, pid };
	struct scope_memory *memory = calloc(1, sizeof(*memory));
	enum scope_interpreter_found found = SCOPE_INTERPRETER_ABSENT;
	enum scope_interpreter_language language;
	struct scope_interpreter interpreter;
	uint64_t start = 0;
	uint32_t version = 0;
	char own[24] = "";
	size_t bytes;
	char *maps;

	if (memory && !scope_proc_reader_text(reader, SCOPE_PROC_MAPS, pid, pid, &maps, &bytes)) {
		*memory = (struct scope_memory){ .read = read_memory, .context = &remote };
		scope_interpreter_memory_begin(memory, FIND_READS);
		language = scope_interpreter_of_maps(maps, &start, &version);
		if (language)
			found = scope_interpreter_find(memory, language, start, version, &interpreter);
		free(maps);
	}
	free(memory);
	if (found != SCOPE_INTERPRETER_FOUND)
		return found;
	/* The JVM and V8 describe themselves, so the version need not be known. */
	if (interpreter.version)
		snprintf(own, sizeof(own), " %u.%u", interpreter.version >> 8, interpreter.version & UINT8_MAX);
	scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK,
			     "process %u runs %s%s: a capture reads the names of its functions from its memory", pid,
			     runtime->name, own);
	return found;
}

/*
 * True if the program is not the interpreter itself, but has it as a library, which it may never use (such as
 * Net-SNMP's agent with Perl).
 */
static bool is_only_library(const struct scope_proc_maps *maps, const struct scope_runtime *runtime)
{
	bool program = false;

	for (size_t i = 0; i < maps->count; i++) {
		const char *slash = strrchr(maps->map[i].path, '/');

		program |= slash && strncmp(slash + 1, "lib", 3) && scope_symbol_runtime_of_path(slash) == runtime;
	}
	return runtime->named && !program;
}

static void check_map(struct scope_proc_reader *reader, uint32_t pid, const struct scope_runtime *runtime,
		      struct scope_advice *advice)
{
	char needs[256];

	if (runtime->map && has_map(reader, pid)) {
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK,
				     "process %u runs %s, and names what it compiles in /tmp/perf-%u.map", pid,
				     runtime->name, scope_proc_own_number(pid));
		return;
	}
	snprintf(needs, sizeof(needs), runtime->needs, pid);
	scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT, "process %u runs %s, whose functions have no names%s: %s", pid,
			     runtime->name, runtime->map ? " yet" : "", needs);
}

void scope_cmd_doctor_runtime(struct scope_machine *machine, struct scope_advice *advice)
{
	const struct scope_runtime *runtime;
	struct scope_proc_maps maps = { 0 };
	struct scope_proc_reader *reader = NULL;
	enum scope_interpreter_found found;
	struct scope_proc *proc = NULL;
	int err;

	if (!machine->pid)
		return;
	err = scope_proc_reader_create(NULL, NULL, &reader);
	if (!err)
		err = scope_proc_create(reader, &proc);
	if (!err)
		err = scope_proc_maps_read(proc, machine->pid, &maps);
	/* If the maps cannot be read, an earlier check has printed the reason. */
	runtime = err ? NULL : scope_symbol_runtime_of_maps(maps.map, maps.count, machine->pid);
	if (runtime) {
		found = check_interpreter(reader, machine->pid, runtime, advice);
		if (found == SCOPE_INTERPRETER_UNKNOWN ||
		    (found == SCOPE_INTERPRETER_ABSENT && !is_only_library(&maps, runtime)))
			check_map(reader, machine->pid, runtime, advice);
	}
	scope_proc_maps_destroy(&maps);
	scope_proc_destroy(proc);
	scope_proc_reader_destroy(reader);
}
