/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces: which file lies where in which process. */
#ifndef SCOPE_SYMBOL_SPACE_H
#define SCOPE_SYMBOL_SPACE_H

#include "symbol/addresses.h"
#include "symbol/image.h"
#include "symbol/options.h"
#include "symbol/range.h"
#include "trace/trace.h"

/* A file that processes map: one object for each path and build-id. */
struct scope_file {
	char *path;	    /* plain, without " (deleted)"; "[anonymous]" for code without a file */
	char *real_path;    /* the same as its bytes are: to open */
	const char *module; /* base name, in path */
	const char *build_id;
	bool deleted, library;
	bool tried; /* to open it */
	struct scope_image *image; /* NULL: not opened, or not to be had */
	struct scope_addresses functions; /* symbol.c: struct scope_function by start */
};

/* An executable mapping. */
struct scope_mapping {
	const struct scope_trace_map *row;
	struct scope_file *file;
	bool tried, linked; /* linked: bias holds */
	uint64_t bias;	    /* link address - address */
};

struct scope_space {
	uint32_t tgid;
	struct scope_ranges ranges;	/* values index the mappings */
	size_t sorted;			/* so many of them */
	struct scope_ranges symbols;	/* symbol.c: rows of the trace */
	struct scope_addresses lookups; /* symbol.c: borrowed functions by address */
};

struct scope_spaces {
	struct scope_symbol_options options; /* what it points to is borrowed */
	struct scope_mapping *mapping;
	size_t mappings, mapping_capacity;
	struct scope_file **file;
	size_t files, file_capacity;
	struct scope_space **space;
	size_t spaces, space_capacity;
	struct scope_addresses by_tgid;
	const char **problem;
	size_t problems, problem_capacity;
};

/* Where an address lies. */
struct scope_place {
	struct scope_file *file;
	uint64_t link;	     /* link address; offset in the file where there is no image */
	bool linked;	     /* the file's tables serve for it */
	uint64_t mapping_start;
};

/* 0, -ENOMEM; free in any case. Rows are borrowed. */
int scope_spaces_init(struct scope_spaces *spaces, const struct scope_trace_map *maps, size_t count,
		      const struct scope_symbol_options *options);
/* More of them. What was known of the same addresses is from then on of the new ones. 0, -ENOMEM. */
int scope_spaces_add(struct scope_spaces *spaces, const struct scope_trace_map *maps, size_t count);
void scope_spaces_free(struct scope_spaces *spaces);

/* The space of a process, made where it is new; NULL: no memory. */
struct scope_space *scope_spaces_get(struct scope_spaces *spaces, uint32_t tgid);

/* 0; -ENOENT: no code is mapped there; -ENOMEM. Opens the file when it is the first time. */
int scope_spaces_place(struct scope_spaces *spaces, const struct scope_space *space,
		       uint64_t address, struct scope_place *ret_place);

#define SCOPE_SPACE_GATE "[vdso32]" /* how the kernel's page of a 32-bit program is called here */

/* Is it a 32-bit program on x86-64? Opens its files until one tells. 0, -ENOMEM. */
int scope_spaces_is_i386(struct scope_spaces *spaces, const struct scope_space *space, bool *ret_is);

/* Whether code is mapped there, without opening a file. */
static inline bool scope_space_executable(const struct scope_space *space, uint64_t address)
{
	return scope_ranges_find(&space->ranges, address);
}

/* Is it code of a mapped file, which has its names from there? */
bool scope_spaces_in_file(const struct scope_spaces *spaces, const struct scope_space *space,
			  uint64_t address);

/* Opens the file of a mapping unless that was tried. 0, -ENOMEM. */
int scope_spaces_open(struct scope_spaces *spaces, struct scope_mapping *mapping);

/* Adds a sentence to the problems. */
__attribute__((format(printf, 2, 3))) int scope_spaces_problem(struct scope_spaces *spaces,
							      const char *format, ...);

#endif
