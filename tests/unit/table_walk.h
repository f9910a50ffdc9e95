/* SPDX-License-Identifier: GPL-2.0-only */
/* Unwind tables of the files that a process maps, and walks by these tables over a copied stack, as in the module. */
#ifndef SCOPE_TEST_TABLE_WALK_H
#define SCOPE_TEST_TABLE_WALK_H

#include <fcntl.h>

#include "symbol/image.h"
#include "unwind_process.h"
#include "../../kmod/unwind.h"

#define WALK_FILES_MAX 256

struct walk_file {
	char *path;
	struct scope_image *image;
	void *data;
	size_t bytes;
	struct scope_unwind_table table;
	bool has_table;
};

struct walk_space {
	struct walk_file file[WALK_FILES_MAX];
	unsigned int files;
	struct scope_unwind_maps *maps;
};

static inline void walk_file_open(struct walk_file *file, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);

	*file = (struct walk_file){ .path = strdup(path) };
	if (fd < 0 || scope_symbol_image_create(fd, NULL, path, &file->image)) {
		file->image = NULL;
		return;
	}
	file->has_table = !scope_symbol_image_table(file->image, &file->data, &file->bytes);
	/* What the compiler makes the module must take. */
	if (file->has_table && scope_unwind_table_open(file->data, file->bytes, NULL, &file->table)) {
		fprintf(stderr, "the table of %s is not good\n", path);
		abort();
	}
}

static inline void walk_file_close(struct walk_file *file)
{
	scope_symbol_image_destroy(file->image);
	free(file->data);
	free(file->path);
}

/* The kernel's page, which is no file. */
static inline void walk_vdso_open(const struct process *process, const struct scope_trace_map *map,
				  struct walk_file *file)
{
	char path[] = "/tmp/scope-vdso.XXXXXX";
	const int fd = mkstemp(path);
	uint8_t *page = malloc(map->end - map->start);

	if (fd < 0 || process_read(process->pid, map->start, page, map->end - map->start) != map->end - map->start ||
	    write(fd, page, map->end - map->start) < 0)
		abort();
	free(page);
	close(fd);
	walk_file_open(file, path);
	free(file->path);
	file->path = strdup(map->path);
	unlink(path);
}

/* NULL: the mapping is of no file. */
static inline struct walk_file *walk_file_of(struct walk_space *space, const struct process *process,
					     const struct scope_trace_map *map)
{
	if (map->path[0] != '/' && strcmp(map->path, "[vdso]"))
		return NULL;
	for (unsigned int i = 0; i < space->files; i++)
		if (!strcmp(space->file[i].path, map->path))
			return &space->file[i];
	if (space->files == WALK_FILES_MAX)
		abort();
	if (map->path[0] == '/')
		walk_file_open(&space->file[space->files], map->path);
	else
		walk_vdso_open(process, map, &space->file[space->files]);
	return &space->file[space->files++];
}

/* The mappings that the process has now. */
static inline void walk_space_map(struct walk_space *space, const struct process *process)
{
	free(space->maps);
	space->maps = calloc(1, sizeof(*space->maps) + process->maps * sizeof(struct scope_unwind_map));
	for (size_t i = 0; i < process->maps; i++) {
		const struct scope_trace_map *map = &process->map[i];
		struct scope_unwind_map *to = &space->maps->map[space->maps->count];
		struct walk_file *file;
		uint64_t bias = 0;

		if (!map->executable)
			continue;
		*to = (struct scope_unwind_map){ .start = map->start, .end = map->end };
		file = walk_file_of(space, process, map);
		if (file && file->has_table &&
		    scope_symbol_image_bias(file->image, map->start, map->offset, map->end - map->start, &bias)) {
			to->table = &file->table;
			to->link = map->start + bias;
		} else {
			to->frame_pointers = !file;
		}
		space->maps->count++;
	}
}

static inline void walk_space_open(struct walk_space *space, const struct process *process)
{
	*space = (struct walk_space){ 0 };
	walk_space_map(space, process);
}

static inline void walk_space_close(struct walk_space *space)
{
	for (unsigned int i = 0; i < space->files; i++)
		walk_file_close(&space->file[i]);
	free(space->maps);
}

static const struct snapshot *walk_snapshot;

static bool walk_read(u64 *to, u64 from)
{
	const u64 at = from - walk_snapshot->reg[SCOPE_REG_SP_X86_64];

	if (at > walk_snapshot->bytes || walk_snapshot->bytes - at < sizeof(*to))
		return false;
	memcpy(to, walk_snapshot->data + at, sizeof(*to));
	return true;
}

static u64 walk_address(u64 word)
{
	return word;
}

static const struct scope_unwind_machine walk_machine = { walk_read, walk_address, true };

/* 0, or an enum scope_copy_reason. */
static inline int walk_stack(const struct walk_space *space, const struct snapshot *snapshot, uint64_t *ret_ip,
			     unsigned int max, unsigned int *ret_count, uint8_t *ret_ended)
{
	struct scope_unwind_frame frame = {
		.pc = snapshot->reg[16],
		.sp = snapshot->reg[SCOPE_REG_SP_X86_64],
		.fp = snapshot->reg[6],
		.exact = true,
		.has_fp = true,
	};

	walk_snapshot = snapshot;
	return scope_unwind_walk(&walk_machine, space->maps, &frame, (u64 *)ret_ip, max, ret_count, ret_ended);
}

#endif
