// SPDX-License-Identifier: GPL-2.0-only
/* Finds the places at which calls of a function begin and end. */
#include "explore/probe_place.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "proc/proc.h"
#include "proc/reader.h"
#include "symbol/image.h"

/* A process, and the file at one of its addresses. */
struct place {
	struct scope_proc_reader *reader;
	uint32_t tgid;
	struct scope_proc *proc; /* owns the build-ids of maps */
	struct scope_proc_maps maps;
	const struct scope_trace_map *map;
	struct scope_image *image;
	uint64_t bias; /* link address - address */
};

static void close_place(struct place *place)
{
	scope_symbol_image_destroy(place->image);
	scope_proc_maps_destroy(&place->maps);
	scope_proc_destroy(place->proc);
}

static const struct scope_trace_map *map_at(const struct scope_proc_maps *maps, uint64_t address)
{
	for (size_t i = 0; i < maps->count; i++)
		if (maps->map[i].executable && address >= maps->map[i].start && address < maps->map[i].end)
			return &maps->map[i];
	return NULL;
}

static int read_maps(struct place *place, struct scope_error *why)
{
	int err = scope_proc_create(place->reader, &place->proc);

	if (err)
		return scope_error_set(why, err, "no memory for the mappings of process %u", place->tgid);
	err = scope_proc_maps_read(place->proc, place->tgid, &place->maps);
	return err ? scope_error_set(why, err, "process %u has ended, or its mappings cannot be read", place->tgid) : 0;
}

/* Opens the file that is mapped at the address. */
static int open_place(struct place *place, uint64_t address, struct scope_error *why)
{
	char root[32];
	int fd, err = read_maps(place, why);

	if (err)
		return err;
	place->map = map_at(&place->maps, address);
	if (!place->map || place->map->path[0] != '/')
		return scope_error_set(why, -ENOENT, "its code is in no file: it was made at run time");
	snprintf(root, sizeof(root), "/proc/%u/root", place->tgid);
	fd = scope_proc_reader_open_below(place->reader, root, place->map->path, true);
	if (fd < 0)
		return scope_error_set(why, fd, "%.200s cannot be read: %s", place->map->path, strerror(-fd));
	err = scope_symbol_image_create(fd, NULL, place->map->path, &place->image);
	if (err)
		return scope_error_set(why, err, "%.200s is no program or library", place->map->path);
	if (strcmp(scope_symbol_image_build_id(place->image), place->map->build_id) != 0)
		return scope_error_set(why, -ESTALE, "%.200s was replaced since process %u began to run it",
				       place->map->path, place->tgid);
	if (!scope_symbol_image_bias(place->image, place->map->start, place->map->offset,
				     place->map->end - place->map->start, &place->bias))
		return scope_error_set(why, -ENOEXEC, "%.200s has no code there", place->map->path);
	return 0;
}

/* A probe on an address of the process, which is in place->map. */
static int set_probe(const struct place *place, uint64_t address, struct scope_probe *probe, struct scope_error *why)
{
	if (address < place->map->start || address >= place->map->end)
		return scope_error_set(why, -ENOENT, "it has no place in its file");
	*probe = (struct scope_probe){
		.kind = SCOPE_PROBE_UPROBE,
		.offset = address - place->map->start + place->map->offset,
	};
	if ((size_t)snprintf(probe->name, sizeof(probe->name), "/proc/%u/root%s", place->tgid, place->map->path) >=
	    sizeof(probe->name))
		return scope_error_set(why, -ENAMETOOLONG, "the path of its file is too long");
	return 0;
}

static int find_begin(const struct scope_call_function *function, struct scope_proc_reader *reader,
		      struct scope_error *why, struct scope_probe *ret_probe)
{
	struct place place = { .reader = reader, .tgid = function->inside.tgid };
	const struct scope_file_functions *functions;
	const struct scope_file_function *found = NULL;
	int err = open_place(&place, function->inside.address, why);

	if (!err && scope_symbol_image_functions(place.image, &functions))
		err = scope_error_set(why, -ENOMEM, "no memory for its symbols");
	if (!err) {
		const uint64_t link = function->inside.address + place.bias - function->after_call;

		found = scope_symbol_file_functions_find(functions, link);
		if (!found)
			err = scope_error_set(why, -ENOENT, "where it begins is not known");
	}
	if (!err)
		err = set_probe(&place, found->start - place.bias, ret_probe, why);
	close_place(&place);
	return err;
}

/* True if a call instruction ends at the link address. */
static bool is_after_call(const struct scope_image *image, uint64_t link)
{
	unsigned machine;
	const uint8_t *code = scope_symbol_image_code(image, link - 4, 4, &machine);
	uint32_t word;

	if (!code || machine != EM_AARCH64)
		return scope_symbol_image_after_call(image, link);
	memcpy(&word, code, sizeof(word));
	/* bl, blr, and blraa and similar ones, which check the address first. */
	return (word & 0xfc000000u) == 0x94000000u || (word & 0xfffffc1fu) == 0xd63f0000u ||
	       (word & 0xfefff800u) == 0xd63f0800u;
}

static int find_end(const struct scope_call_site *site, struct scope_proc_reader *reader, struct scope_error *why,
		    struct scope_probe *ret_probe)
{
	struct place place = { .reader = reader, .tgid = site->tgid };
	int err = open_place(&place, site->address, why);

	if (!err && !is_after_call(place.image, site->address + place.bias))
		err = scope_error_set(why, -EILSEQ, "no call ends where it seems to return to");
	if (!err)
		err = set_probe(&place, site->address, ret_probe, why);
	close_place(&place);
	return err;
}

static int find_kernel(const struct scope_call_function *function, struct scope_error *why,
		       struct scope_probe ret_probe[SCOPE_PLACES_MAX], unsigned *ret_count)
{
	if (strlen(function->name) >= SCOPE_PROBE_SYMBOL_BYTES)
		return scope_error_set(why, -ENAMETOOLONG, "its name is too long");
	for (unsigned i = 0; i < 2; i++) {
		ret_probe[i] = (struct scope_probe){ .kind = i ? SCOPE_PROBE_KRETPROBE : SCOPE_PROBE_KPROBE };
		memcpy(ret_probe[i].name, function->name, strlen(function->name) + 1);
	}
	*ret_count = 2;
	return 0;
}

int scope_explore_places(const struct scope_call_function *function, struct scope_proc_reader *reader,
			 struct scope_error *why, struct scope_probe ret_probe[SCOPE_PLACES_MAX], unsigned *ret_count)
{
	unsigned count = 1;
	int err;

	if (function->kernel)
		return find_kernel(function, why, ret_probe, ret_count);
	if (!function->sites)
		return scope_error_set(why, -ENOENT, "where it returns to is not on any stack");
	err = find_begin(function, reader, why, &ret_probe[0]);
	for (unsigned i = 0; i < function->sites && !err; i++)
		if (!find_end(&function->site[i], reader, why, &ret_probe[count]))
			count++;
	if (err)
		return err;
	if (count == 1)
		return why->text[0] ? -EILSEQ : scope_error_set(why, -ENOENT, "where it returns to is not known");
	*ret_count = count;
	return 0;
}
