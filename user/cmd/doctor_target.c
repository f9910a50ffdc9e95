// SPDX-License-Identifier: GPL-2.0-only
/* scope doctor -p PID: finds out if functions of that process will have names. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "proc/proc.h"
#include "proc/reader.h"
#include "symbol/image.h"
#include "symbol/library.h"
#include "symbol/runtime.h"

#define SHOWN 3	     /* stripped files that are named */
#define MAPS_TRIES 3 /* no rule: attempts, a second each */

/* Opens the file at its path in the process, or the mapped file if it was replaced. */
static int open_mapped(struct scope_proc_reader *reader, const struct scope_trace_map *map)
{
	char root[32];
	int fd;

	snprintf(root, sizeof(root), "/proc/%u/root", map->tgid);
	fd = scope_proc_reader_open_below(reader, root, map->path, true);
	return fd >= 0 ? fd : scope_proc_reader_open_mapped(reader, map->tgid, map->start, map->end, true, NULL);
}

/*
 * True if most functions have names, in the file or in a debug file of this host or of the process's root. *ret_go: it
 * is a Go program.
 */
static bool has_names(struct scope_proc_reader *reader, const struct scope_trace_map *map, bool *ret_go)
{
	const struct scope_file_functions *functions;
	struct scope_image *image;
	struct scope_symbol_options options = { 0 };
	char root[32];
	int fd = open_mapped(reader, map);
	bool named = false;

	if (fd < 0)
		return false;
	snprintf(root, sizeof(root), "/proc/%u/root", map->tgid);
	options.root = root;
	options.reader = reader;
	if (scope_symbol_image_create(fd, &options, map->path, &image))
		return false;
	*ret_go = scope_symbol_image_is_go(image);
	if (!scope_symbol_image_functions(image, &functions))
		named = 2 * functions->named >= functions->count;
	scope_symbol_image_destroy(image);
	return named;
}

static bool is_program_code(const struct scope_proc_maps *maps, size_t index)
{
	const struct scope_trace_map *map = &maps->map[index];
	size_t i;

	if (!map->executable || map->path[0] != '/' || scope_symbol_library_match(NULL, map->path))
		return false;
	for (i = 0; i < index; i++)
		if (maps->map[i].executable && !strcmp(maps->map[i].path, map->path))
			return false;
	return true;
}

static void look_at_maps(const struct scope_machine *machine, struct scope_proc_reader *reader,
			 const struct scope_proc_maps *maps, struct scope_advice *advice)
{
	size_t i, files = 0, stripped = 0, used = 0;
	bool go = false;
	char list[700] = "";

	for (i = 0; i < maps->count; i++) {
		if (!is_program_code(maps, i))
			continue;
		files++;
		go = false;
		if (has_names(reader, &maps->map[i], &go))
			continue;
		if (go) {
			scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT,
					     "process %u: functions of %s will have no names: %s", machine->pid,
					     maps->map[i].path, SCOPE_RUNTIME_GO_NEEDS);
			return;
		}
		if (stripped++ < SHOWN && used < sizeof(list))
			used += snprintf(list + used, sizeof(list) - used, "%s%.120s (build-id %.64s)",
					 used ? ", " : "", maps->map[i].path,
					 maps->map[i].build_id[0] ? maps->map[i].build_id : "none");
	}
	if (stripped)
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT,
				     "process %u: functions of %zu of its %zu files will have no names: "
				     "install the -dbgsym or -debuginfo package of %s%s",
				     machine->pid, stripped, files, list, stripped > SHOWN ? ", …" : "");
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK,
				     "process %u: the functions of its program and libraries have names (%zu "
				     "files besides the system's)",
				     machine->pid, files);
}

void scope_cmd_doctor_target(struct scope_machine *machine, struct scope_advice *advice)
{
	struct scope_proc_maps maps = { 0 };
	struct scope_proc_reader *reader = NULL;
	struct scope_proc *proc = NULL;
	int err = -ETIMEDOUT;

	if (!machine->pid)
		return;
	/* On a very busy host a file may take more than a second, after which a reader gives up. */
	for (int tries = 0; tries < MAPS_TRIES; tries++) {
		scope_proc_destroy(proc);
		scope_proc_reader_destroy(reader);
		proc = NULL;
		reader = NULL;
		err = scope_proc_reader_create(NULL, NULL, &reader);
		if (!err)
			err = scope_proc_create(reader, &proc);
		if (!err)
			err = scope_proc_maps_read(proc, machine->pid, &maps);
		if (err != -ETIMEDOUT)
			break;
	}
	if (err)
		scope_cmd_doctor_say(
			advice, SCOPE_DOCTOR_MISSING, "process %u cannot be looked at: %s", machine->pid,
			err == -ESRCH || err == -ENOENT ? "there is no such process"
			: err == -ETIMEDOUT
				? "its maps could not be read within a second, three times: a server that does not answer "
				  "holds a part of its memory (userfaultfd, FUSE, a network file system), or this host is "
				  "very busy"
				: strerror(-err));
	else
		look_at_maps(machine, reader, &maps, advice);
	scope_proc_maps_destroy(&maps);
	scope_proc_destroy(proc);
	scope_proc_reader_destroy(reader);
}
