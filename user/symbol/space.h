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
	bool go;    /* a program of Go's with its names: goname.h says which of them are the language's */
	bool tried; /* to open it */
	enum scope_file_outcome outcome;     /* once it was tried */
	int error;			     /* SCOPE_FILE_UNREADABLE: errno, 0: no ELF file */
	char *found;			     /* SCOPE_FILE_OTHER: the build-id that is there */
	const struct scope_trace_file *told; /* what the trace says of it, NULL: nothing */
	bool said;			     /* its problem */
	struct scope_addresses codes;	     /* told: struct scope_trace_code by offset */
	struct scope_addresses hits;	     /* names.c: offsets that were noted */
	bool numbered;			     /* names.c: it was given, by this number */
	uint32_t number;
	struct scope_image *image;	  /* NULL: not opened, or not to be had */
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

/* An address that is to be named in a trace. */
struct scope_hit {
	size_t mapping;
	uint64_t offset; /* in its file */
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
	struct scope_hit *hit;
	size_t hits, hit_capacity, hits_given; /* given: by names.c, in their order */
	size_t files_given;
	uint32_t numbers; /* of files */
	const char **problem;
	size_t problems, problem_capacity;
};

/* Where an address lies. */
struct scope_place {
	struct scope_file *file;
	uint64_t link; /* link address; offset in the file where there is no image */
	bool linked;   /* the file's tables serve for it */
	uint64_t mapping_start;
};

/* 0, -ENOMEM; free in any case. Rows are borrowed. */
int scope_symbol_spaces_init(struct scope_spaces *spaces, const struct scope_trace_map *maps, size_t count,
			     const struct scope_symbol_options *options);
/* More of them. What was known of the same addresses is from then on of the new ones. 0, -ENOMEM. */
int scope_symbol_spaces_add(struct scope_spaces *spaces, const struct scope_trace_map *maps, size_t count);
void scope_symbol_spaces_free(struct scope_spaces *spaces);

/* The space of a process, made where it is new; NULL: no memory. */
struct scope_space *scope_symbol_spaces_get(struct scope_spaces *spaces, uint32_t tgid);

/* 0; -ENOENT: no code is mapped there; -ENOMEM. Opens the file when it is the first time. */
int scope_symbol_spaces_place(struct scope_spaces *spaces, const struct scope_space *space, uint64_t address,
			      struct scope_place *ret_place);

#define SCOPE_SPACE_GATE "[vdso32]" /* how the kernel's page of a 32-bit program is called here */

/* Adds what a trace says of files and their addresses; borrowed. 0 or -ENOMEM. */
int scope_symbol_spaces_add_recorded(struct scope_spaces *spaces, const struct scope_trace_file *files, size_t count,
				     const struct scope_trace_code *codes, size_t code_count);

/* What a trace says of an address: of a file that it names, and of that place; code NULL: nothing more is to be had. */
struct scope_recorded_file {
	struct scope_file *file; /* NULL: it says nothing */
	const struct scope_trace_code *code;
	uint64_t offset; /* in the file */
};
struct scope_recorded_file scope_symbol_spaces_recorded(const struct scope_spaces *spaces,
							const struct scope_space *space, uint64_t address);

/* Was it found, with names or without? */
static inline bool scope_symbol_file_has_names(const struct scope_trace_file *file)
{
	return file->outcome == SCOPE_FILE_READ || file->outcome == SCOPE_FILE_DEBUG;
}

/* Is it known how many functions it has? */
static inline bool scope_symbol_file_is_counted(const struct scope_trace_file *file)
{
	return !scope_symbol_file_has_names(file) || file->functions != UINT32_MAX;
}

/* Are names to be looked for that are better than those a trace has? */
static inline bool scope_symbol_spaces_want_better(const struct scope_spaces *spaces)
{
	return spaces->options.debug_dir || spaces->options.debuginfod;
}

/* Is it a 32-bit program on x86-64? Opens its files until one tells. 0, -ENOMEM. */
int scope_symbol_spaces_is_i386(struct scope_spaces *spaces, const struct scope_space *space, bool *ret_is);

/* Whether code is mapped there, without opening a file. */
static inline bool scope_symbol_space_executable(const struct scope_space *space, uint64_t address)
{
	return scope_symbol_ranges_find(&space->ranges, address);
}

/* Is it code of a mapped file, which has its names from there? */
bool scope_symbol_spaces_in_file(const struct scope_spaces *spaces, const struct scope_space *space, uint64_t address);

/* Opens the file of a mapping unless that was tried. 0, -ENOMEM. */
int scope_symbol_spaces_open(struct scope_spaces *spaces, struct scope_mapping *mapping);

/* Adds a sentence to the problems. */
__attribute__((format(printf, 2, 3))) int scope_symbol_spaces_problem(struct scope_spaces *spaces, const char *format,
								      ...);

#endif
