// SPDX-License-Identifier: GPL-2.0-only
/* The addresses of a function in the processes that run it. */
#include "causal/extent.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "proc/proc.h"
#include "proc/reader.h"
#include "proc/target.h"
#include "symbol/image.h"

/* A file that was read; processes of one program map the same files. */
struct file {
	char *path;
	struct scope_image *image; /* NULL: it cannot be read */
};

struct search {
	struct scope_proc_reader *reader;
	char file_name[256]; /* "": any */
	const char *function;
	struct file *file;
	size_t files, file_room;
	struct scope_delay_range *range;
	size_t ranges, range_room;
};

static void search_free(struct search *search)
{
	scope_proc_reader_destroy(search->reader);
	for (size_t i = 0; i < search->files; i++) {
		scope_symbol_image_destroy(search->file[i].image);
		free(search->file[i].path);
	}
	free(search->file);
	free(search->range);
}

/* *ret_image is NULL if there is none. 0 or -ENOMEM. */
static int open_image(struct search *search, uint32_t tgid, const char *path, struct scope_image **ret_image)
{
	struct file *file;
	char root[32];
	int fd;

	for (size_t i = 0; i < search->files; i++) {
		if (strcmp(search->file[i].path, path))
			continue;
		*ret_image = search->file[i].image;
		return 0;
	}
	if (scope_grow(&search->file, &search->file_room, search->files + 1, sizeof(*search->file)))
		return -ENOMEM;
	file = &search->file[search->files];
	*file = (struct file){ .path = strdup(path) };
	if (!file->path)
		return -ENOMEM;
	search->files++;
	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	fd = scope_proc_reader_open_below(search->reader, root, path, true);
	if (fd >= 0 && scope_symbol_image_create(fd, NULL, path, &file->image))
		file->image = NULL;
	*ret_image = file->image;
	return 0;
}

/* True for the function itself, and for a part of it: "f", "f.cold", "f.part.0". */
static bool is_named(const struct scope_file_function *function, const char *name)
{
	const size_t length = strlen(name);

	return function->name && function->name_bytes >= length && !memcmp(function->name, name, length) &&
	       (function->name_bytes == length || function->name[length] == '.');
}

static int add_ranges(struct search *search, uint32_t tgid, const struct scope_trace_map *map,
		      struct scope_image *image)
{
	const struct scope_file_functions *functions;
	uint64_t bias;
	int err = scope_symbol_image_functions(image, &functions);

	if (err || !scope_symbol_image_bias(image, map->start, map->offset, map->end - map->start, &bias))
		return err;
	for (size_t i = 0; i < functions->count; i++) {
		const struct scope_file_function *function = &functions->function[i];
		const uint64_t begin = function->start - bias;

		/* Parts in another mapping of the file are added with that mapping. */
		if (!function->size || !is_named(function, search->function) || begin < map->start || begin >= map->end)
			continue;
		if (search->ranges == SCOPE_DELAY_RANGES_MAX)
			return -E2BIG;
		if (scope_grow(&search->range, &search->range_room, search->ranges + 1, sizeof(*search->range)))
			return -ENOMEM;
		search->range[search->ranges++] = (struct scope_delay_range){
			.begin = begin,
			.end = begin + function->size,
			.tgid = tgid,
		};
	}
	return 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Searches one process: finds the first file that has the function, and adds all its mappings. */
static int search_process(struct search *search, struct scope_proc *proc, uint32_t tgid)
{
	struct scope_proc_maps maps = { 0 };
	const char *found = NULL;
	/* A process that has ended has no mappings. */
	int err = scope_proc_maps_read(proc, tgid, &maps) == -ENOMEM ? -ENOMEM : 0;

	for (size_t i = 0; i < maps.count && !err; i++) {
		const struct scope_trace_map *map = &maps.map[i];
		const size_t before = search->ranges;
		struct scope_image *image;

		if (!map->executable || map->path[0] != '/' || (found && strcmp(found, map->path)) ||
		    (search->file_name[0] && strcmp(search->file_name, last_part(map->path)) &&
		     strcmp(search->file_name, map->path)))
			continue;
		err = open_image(search, tgid, map->path, &image);
		if (!err && image)
			err = add_ranges(search, tgid, map, image);
		if (search->ranges > before)
			found = map->path;
	}
	scope_proc_maps_destroy(&maps);
	return err;
}

static int search_tree(struct search *search, uint32_t tgid)
{
	struct scope_proc *proc;
	uint32_t *tgids;
	size_t count;
	int err = scope_proc_target_tree(tgid, &tgids, &count);

	if (err)
		return err;
	/* The reader is created after the tree was read, because it is a child of this process. */
	err = scope_proc_reader_create(NULL, NULL, &search->reader);
	if (!err)
		err = scope_proc_create(search->reader, &proc);
	if (!err) {
		for (size_t i = 0; i < count && !err; i++)
			err = search_process(search, proc, tgids[i]);
		scope_proc_destroy(proc);
	}
	free(tgids);
	return err;
}

int scope_causal_extents_find(uint32_t tgid, const char *text, struct scope_error *error,
			      struct scope_delay_range **ret_range, uint32_t *ret_count)
{
	struct search search = { 0 };
	const char *colon = strrchr(text, ':');
	int err;

	search.function = colon ? colon + 1 : text;
	if (colon)
		snprintf(search.file_name, sizeof(search.file_name), "%.*s", (int)(colon - text), text);
	err = search_tree(&search, tgid);
	if (!err && !search.ranges)
		err = scope_error_set(error, -ENOENT,
				      "no program file that process %u has mapped has a "
				      "function %.100s of known size: install debug symbols",
				      tgid, search.function);
	else if (err == -E2BIG)
		scope_error_set(error, err,
				"%.100s lies at more than %d places in these processes: name "
				"one of them with -p, and --no-follow",
				search.function, SCOPE_DELAY_RANGES_MAX);
	else if (err)
		scope_error_set(error, err, "cannot look for %.100s in process %u: %s", search.function, tgid,
				strerror(-err));
	if (!err) {
		*ret_range = search.range;
		*ret_count = (uint32_t)search.ranges;
		search.range = NULL;
	}
	search_free(&search);
	return err;
}
