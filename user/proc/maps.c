// SPDX-License-Identifier: GPL-2.0-only
/* Reads /proc/PID/maps, with the build-id of each file. */
#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "proc/maps_text.h"
#include "proc/open.h"
#include "proc/proc.h"
#include "proc/proc_internal.h"
#include "proc/reader.h"

#define DELETED " (deleted)"

static struct scope_proc_file *find_file(struct scope_proc *proc, const struct scope_proc_line *line)
{
	size_t i;

	for (i = 0; i < proc->file_count; i++) {
		struct scope_proc_file *file = &proc->file[i];

		if (file->inode == line->inode && file->major == line->major && file->minor == line->minor &&
		    !strcmp(file->path, line->map.path))
			return file;
	}
	return NULL;
}

static int add_file(struct scope_proc *proc, uint32_t tgid, const struct scope_proc_line *line)
{
	struct scope_proc_file file = { .major = line->major, .minor = line->minor };
	struct scope_proc_look look;

	if (scope_grow(&proc->file, &proc->file_room, proc->file_count + 1, sizeof(*proc->file)))
		return -ENOMEM;
	file.inode = line->inode;
	file.path = strdup(line->map.path);
	if (!file.path)
		return -ENOMEM;
	if (!scope_proc_reader_look_mapped(proc->reader, tgid, line->map.start, line->map.end, line->map.path, &look)) {
		memcpy(file.build_id, look.build_id, sizeof(file.build_id));
		memcpy(file.mark, look.mark, sizeof(file.mark));
		file.elf = scope_proc_is_memory(file.path) && !*look.build_id && !memcmp(look.ident, ELFMAG, SELFMAG);
	}
	proc->file[proc->file_count++] = file;
	return 0;
}

static bool is_file(const struct scope_proc_line *line)
{
	return line->inode && line->map.path[0] == '/';
}

static int by_inode(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/*
 * Keeps executable lines, and the other lines of the same files. Others are not needed: a database may map a hundred
 * thousand pieces of data files.
 */
static int select_lines(struct scope_proc_line *line, size_t count, size_t *ret_count)
{
	uint64_t *inode = malloc((count + 1) * sizeof(*inode));
	size_t i, inodes = 0, kept = 0;

	if (!inode)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		if (line[i].map.executable && is_file(&line[i]))
			inode[inodes++] = line[i].inode;
	qsort(inode, inodes, sizeof(*inode), by_inode);
	for (i = 0; i < count; i++)
		if (line[i].map.executable ||
		    (is_file(&line[i]) && bsearch(&line[i].inode, inode, inodes, sizeof(*inode), by_inode)))
			line[kept++] = line[i];
	free(inode);
	*ret_count = kept;
	return 0;
}

/* Removes " (deleted)": the build-id identifies the file. */
static void cut_deleted(const struct scope_trace_map *map)
{
	size_t length = strlen(map->path), tail = sizeof(DELETED) - 1;

	if (map->path[0] == '/' && length > tail && !strcmp(map->path + length - tail, DELETED))
		((char *)map->path)[length - tail] = '\0';
}

static int add_files(struct scope_proc *proc, uint32_t tgid, const struct scope_proc_line *line, size_t count)
{
	size_t i;
	int err;

	for (i = 0; i < count; i++) {
		if (!is_file(&line[i]) || find_file(proc, &line[i]))
			continue;
		err = add_file(proc, tgid, &line[i]);
		if (err)
			return err;
	}
	return 0;
}

/* The libraries of the program of a process; "": not known. */
static const char *libraries_of(struct scope_proc *proc, uint32_t tgid, const struct scope_proc_file *file)
{
	struct scope_proc_program *program = proc->program;
	size_t bytes;

	for (; program < proc->program + proc->programs; program++)
		if (program->inode == file->inode && program->major == file->major && program->minor == file->minor)
			return program->libraries ? program->libraries : "";
	if (proc->programs == SCOPE_PROC_PROGRAMS_MAX)
		return "";
	*program = (struct scope_proc_program){ .major = file->major, .minor = file->minor, .inode = file->inode };
	if (scope_proc_reader_text(proc->reader, SCOPE_PROC_PACKAGE, tgid, tgid, &program->libraries, &bytes))
		program->libraries = NULL;
	proc->programs++;
	return program->libraries ? program->libraries : "";
}

/* True if a file was built from the same source package as the program, whose mapping comes first. */
static bool is_of_package(struct scope_proc *proc, uint32_t tgid, const struct scope_proc_file *program,
			  const struct scope_proc_file *file)
{
	if (program == file)
		return true;
	if (program->mark[0] && file->mark[0])
		return !strcmp(program->mark, file->mark);
	return scope_proc_package_has(libraries_of(proc, tgid, program), file->path);
}

int scope_proc_maps_read(struct scope_proc *proc, uint32_t tgid, struct scope_proc_maps *ret_maps)
{
	struct scope_proc_maps maps = { 0 };
	const struct scope_proc_file *program = NULL;
	struct scope_proc_line *line = NULL;
	size_t count, bytes, i;
	int err;

	err = scope_proc_reader_text(proc->reader, SCOPE_PROC_MAPS, tgid, tgid, &maps.text, &bytes);
	if (err)
		return err;
	err = scope_proc_maps_parse(maps.text, &line, &count);
	if (!err)
		err = select_lines(line, count, &count);
	if (!err)
		err = add_files(proc, tgid, line, count);
	if (err)
		goto free_text;
	maps.map = malloc((count + 1) * sizeof(*maps.map));
	if (!maps.map) {
		err = -ENOMEM;
		goto free_text;
	}
	for (i = 0; i < count; i++) {
		struct scope_proc_file *file = find_file(proc, &line[i]);

		maps.map[i] = line[i].map;
		maps.map[i].tgid = tgid;
		if (file) {
			program = program ? program : file;
			maps.map[i].build_id = file->build_id;
			maps.map[i].elf = file->elf;
			maps.map[i].of_package = line[i].map.executable && is_of_package(proc, tgid, program, file);
		}
		cut_deleted(&maps.map[i]);
	}
	maps.count = count;
	free(line);
	*ret_maps = maps;
	return 0;
free_text:
	free(line);
	free(maps.text);
	return err;
}

void scope_proc_maps_destroy(struct scope_proc_maps *maps)
{
	if (!maps)
		return;
	free(maps->map);
	free(maps->text);
	*maps = (struct scope_proc_maps){ 0 };
}
