// SPDX-License-Identifier: GPL-2.0-only
/* Finds a function of a running program: its file and the offset in it. */
#include "causal/locate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/proc.h"
#include "proc/reader.h"
#include "symbol/image.h"

/* The requested function. */
struct wanted {
	struct scope_proc_reader *reader;
	uint32_t tgid;
	char file[SCOPE_PROBE_NAME_BYTES]; /* "": any */
	const char *function;
};

/* Owns fd from here on. 0, or -errno: the file could not be opened, is not an ELF file, or has no such function. */
static int find_in(int fd, const char *path, const char *function, uint64_t *ret_offset)
{
	struct scope_image *image;
	int err;

	if (fd < 0)
		return fd;
	err = scope_symbol_image_create(fd, NULL, path, &image);
	if (err)
		return err;
	err = scope_symbol_image_offset(image, function, ret_offset);
	scope_symbol_image_destroy(image);
	return err;
}

static bool is_offset(const char *text, uint64_t *ret_offset)
{
	char *end;

	if (strncmp(text, "0x", 2))
		return false;
	errno = 0;
	*ret_offset = strtoull(text, &end, 16);
	return !errno && end != text + 2 && !*end;
}

/* Finds the offset in a file whose path is known. Owns fd, a descriptor of it, or -errno. */
static int at_path(const char *path, int fd, const char *function, struct scope_place *ret_place)
{
	struct scope_place place = { 0 };
	int err = 0;

	if (!is_offset(function, &place.offset))
		err = find_in(fd, path, function, &place.offset);
	else if (fd >= 0)
		close(fd);
	if (err)
		return err;
	if ((size_t)snprintf(place.path, sizeof(place.path), "%s", path) >= sizeof(place.path))
		return -ENAMETOOLONG;
	*ret_place = place;
	return 0;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Searches each mapped file once, at its path in the process. */
static int search_maps(const struct wanted *wanted, const struct scope_proc_maps *maps, struct scope_place *ret_place)
{
	char root[32], path[SCOPE_PROBE_NAME_BYTES + sizeof(root)];
	const char *before = "";
	bool seen = false;

	snprintf(root, sizeof(root), "/proc/%u/root", wanted->tgid);
	for (size_t i = 0; i < maps->count; i++) {
		const struct scope_trace_map *map = &maps->map[i];

		if (map->path[0] != '/' || !strcmp(map->path, before))
			continue;
		before = map->path;
		if (wanted->file[0] && strcmp(last_part(map->path), wanted->file))
			continue;
		seen = true;
		snprintf(path, sizeof(path), "%s%s", root, map->path);
		if (!at_path(path, scope_proc_reader_open_below(wanted->reader, root, map->path, true),
			     wanted->function, ret_place))
			return 0;
	}
	return seen ? -ENOENT : -ENXIO;
}

static int search_process(const struct wanted *wanted, struct scope_place *ret_place)
{
	struct scope_proc_maps maps = { 0 };
	struct scope_proc *proc;
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%u/exe", wanted->tgid);
	if (!wanted->file[0] &&
	    !at_path(path, scope_proc_reader_open_program(wanted->reader, wanted->tgid), wanted->function, ret_place))
		return 0;
	err = scope_proc_create(wanted->reader, &proc);
	if (err)
		return err;
	err = scope_proc_maps_read(proc, wanted->tgid, &maps);
	if (!err)
		err = search_maps(wanted, &maps, ret_place);
	else if (err == -ENOENT)
		err = -ESRCH;
	scope_proc_maps_destroy(&maps);
	scope_proc_destroy(proc);
	return err;
}

/* Opens a path of this host, which may lead through /proc/PID. A descriptor or -errno. */
static int open_named(struct scope_proc_reader *reader, const char *path)
{
	unsigned int pid;
	char root[32];
	int end = 0;

	if (sscanf(path, "/proc/%u/root%n", &pid, &end) == 1 && end && path[end] == '/') {
		snprintf(root, sizeof(root), "/proc/%u/root", pid);
		return scope_proc_reader_open_below(reader, root, path + end, true);
	}
	end = 0;
	if (sscanf(path, "/proc/%u/exe%n", &pid, &end) == 1 && end && !path[end])
		return scope_proc_reader_open_program(reader, pid);
	return scope_proc_reader_open_below(reader, "", path, true);
}

static int not_found(int err, const struct wanted *wanted, struct scope_error *error)
{
	switch (err) {
	case -ENOMEM:
		return scope_error_set(error, err, "no memory to look for %.100s", wanted->function);
	case -ESRCH:
		return scope_error_set(error, err, "process %u has ended", wanted->tgid);
	case -ENAMETOOLONG:
		return scope_error_set(error, err,
				       "the path of the file with %.100s is too long: at most "
				       "%d bytes",
				       wanted->function, SCOPE_PROBE_NAME_BYTES - 1);
	case -ENXIO:
		return scope_error_set(error, -ENOENT,
				       "process %u has no file %.200s mapped: see "
				       "/proc/%u/maps, or give a whole path",
				       wanted->tgid, wanted->file, wanted->tgid);
	}
	if (wanted->file[0])
		return scope_error_set(error, err,
				       "%.200s has no function %.100s: install its debug "
				       "symbols, or give FILE:0xOFFSET",
				       wanted->file, wanted->function);
	return scope_error_set(error, err,
			       "no file that process %u has mapped has a function %.100s: "
			       "install debug symbols, or give FILE:0xOFFSET",
			       wanted->tgid, wanted->function);
}

int scope_causal_locate_function(uint32_t tgid, const char *text, struct scope_error *error,
				 struct scope_place *ret_place)
{
	struct wanted wanted = { .tgid = tgid };
	const char *colon = strrchr(text, ':');
	uint64_t offset;
	int err;

	wanted.function = colon ? colon + 1 : text;
	if (!*wanted.function || colon == text || (!colon && is_offset(text, &offset)))
		return scope_error_set(error, -EINVAL,
				       "a function is named as NAME, FILE:NAME or "
				       "FILE:0xOFFSET, not '%.200s'",
				       text);
	if (colon && (size_t)(colon - text) >= sizeof(wanted.file))
		return not_found(-ENAMETOOLONG, &wanted, error);
	if (colon)
		memcpy(wanted.file, text, (size_t)(colon - text));
	err = scope_proc_reader_create(NULL, error, &wanted.reader);
	if (err)
		return err;
	if (wanted.file[0] == '/')
		err = at_path(wanted.file, open_named(wanted.reader, wanted.file), wanted.function, ret_place);
	else
		err = search_process(&wanted, ret_place);
	scope_proc_reader_destroy(wanted.reader);
	return err ? not_found(err, &wanted, error) : 0;
}
