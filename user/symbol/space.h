/* SPDX-License-Identifier: GPL-2.0-only */
/* Address spaces: which file is mapped where in which process. */
#ifndef SCOPE_SYMBOL_SPACE_H
#define SCOPE_SYMBOL_SPACE_H

#include "symbol/addresses.h"
#include "symbol/image.h"
#include "symbol/made_code.h"
#include "symbol/options.h"
#include "symbol/range.h"
#include "trace/trace.h"

/* A file that processes map: one object for each path and build-id. */
struct scope_file {
	char *path;	    /* plain, without " (deleted)"; "[anonymous]" for code without a file */
	char *real_path;    /* the path as it is, not in plain form, for opening the file */
	const char *module; /* base name, in path */
	const char *build_id;
	bool deleted, library;
	bool elf;    /* in memory, without a build-id */
	bool folder; /* with `library`: only because of its folder */
	bool go;     /* a Go program with its names: goname.h says which of them belong to the language */
	bool tried;  /* opening it was tried */
	enum scope_file_outcome outcome;	 /* the result of opening it */
	int error;				 /* SCOPE_FILE_UNREADABLE: errno, 0: no ELF file */
	char *found;				 /* SCOPE_FILE_OTHER: the build-id of the file that is there now */
	const struct scope_trace_file *recorded; /* the trace's row for it, NULL: none */
	bool said;				 /* the sentence about its problem was added */
	struct scope_addresses codes;		 /* from the trace: struct scope_trace_code by offset */
	struct scope_addresses hits;		 /* names.c: offsets that were noted */
	struct scope_addresses looped; /* loop_rows.c: by start of a function: the number of hits when its row was made */
	bool numbered;		       /* names.c: its number once it was written */
	uint32_t number;
	bool table_tried;		  /* kernel_tables.c: compiling its unwind table was tried */
	uint32_t table_key;		  /* 0: it has none */
	struct scope_image *image;	  /* NULL: not opened, or not available */
	struct scope_addresses functions; /* symbol.c: struct scope_function by start */
};

/* An executable mapping. */
struct scope_mapping {
	const struct scope_trace_map *row;
	struct scope_file *file;
	bool tried, linked; /* linked: bias is valid */
	uint64_t bias;	    /* link address - address */
};

struct scope_space {
	uint32_t tgid;
	const char *program;		 /* path of its first mapping, which is that of the executable; borrowed */
	struct scope_ranges ranges;	 /* values index the mappings */
	size_t sorted;			 /* number of mappings */
	struct scope_ranges symbols;	 /* symbol.c: rows of the trace */
	struct scope_addresses lookups;	 /* symbol.c: borrowed functions by address */
	size_t maps_given, tables_given; /* kernel_tables.c: as of sorted and opened */
	struct scope_made_code *made;	 /* its runtime, while it is captured; NULL: none */
};

/* An address whose name is to be written to a trace. */
struct scope_hit {
	size_t mapping;
	uint64_t offset; /* in its file */
};

/* An address of a stack at which no mapping is known yet. */
struct scope_unmapped {
	uint32_t tgid;
	uint64_t address;
};

struct scope_spaces {
	struct scope_symbol_options options; /* what it points to is borrowed */
	struct scope_mapping *mapping;
	size_t mappings, mapping_capacity;
	struct scope_file **file;
	size_t files, file_capacity;
	struct scope_space **space;
	size_t spaces, space_capacity;
	struct scope_addresses by_tgid, inherited; /* struct scope_space; inherited: that of an ancestor */
	struct scope_hit *hit;
	size_t hits, hit_capacity, hits_given; /* given: number written by names.c, in this order */
	struct scope_unmapped *unmapped;       /* names.c */
	size_t unmapped_count, unmapped_capacity;
	size_t unmapped_mappings; /* number of mappings when these addresses were last looked up */
	size_t files_given;
	size_t loops_given;		    /* loop_rows.c: hits whose functions have a row */
	size_t loop_lookups;		    /* loop_rows.c: places whose lines it looked up */
	bool loops_said;		    /* loop_rows.c: the row "loops" was written */
	uint32_t numbers;		    /* of files */
	uint32_t tables;		    /* kernel_tables.c: keys given so far */
	size_t opened;			    /* files that were tried */
	size_t looked;			    /* kernel_tables.c: mappings before it need not be opened */
	uint32_t ahead;			    /* kernel_tables.c: files opened before a stack led to them */
	struct scope_name_table made_names; /* made_code.c */
	size_t made_names_given;	    /* names.c: how many of them were written */
	const char **problem;
	size_t problems, problem_capacity;
};

/* What is known about an address. */
struct scope_place {
	struct scope_file *file;
	uint64_t link; /* link address; without an image the offset in the file */
	bool linked;   /* the file's unwind tables apply to it */
	uint64_t mapping_start;
};

/* 0, -ENOMEM; free it in any case. Rows are borrowed. */
int scope_symbol_spaces_init(struct scope_spaces *spaces, const struct scope_trace_map *maps, size_t count,
			     const struct scope_symbol_options *options);
/* Adds mappings. At addresses that they cover they replace the earlier ones. 0, -ENOMEM. */
int scope_symbol_spaces_add(struct scope_spaces *spaces, const struct scope_trace_map *maps, size_t count);
void scope_symbol_spaces_free(struct scope_spaces *spaces);

/* The mappings of a process, or of the one that it was forked from; NULL: none are known. */
struct scope_space *scope_symbol_spaces_find(const struct scope_spaces *spaces, uint32_t tgid);
/* Lets process tgid have the mappings of its ancestor as long as none of its own are known. 0 or -ENOMEM. */
int scope_symbol_spaces_inherit(struct scope_spaces *spaces, uint32_t tgid, uint32_t ancestor);

/* The space of a process, created at its first use; NULL: no memory. */
struct scope_space *scope_symbol_spaces_get(struct scope_spaces *spaces, uint32_t tgid);

/* 0; -ENOENT: no code is mapped there; -ENOMEM. Opens the file at its first use. */
int scope_symbol_spaces_place(struct scope_spaces *spaces, const struct scope_space *space, uint64_t address,
			      struct scope_place *ret_place);

#define SCOPE_SPACE_GATE "[vdso32]" /* name for the kernel's page of a 32-bit program */

/* Adds a trace's rows about files and their addresses; borrowed. 0 or -ENOMEM. */
int scope_symbol_spaces_add_recorded(struct scope_spaces *spaces, const struct scope_trace_file *files, size_t count,
				     const struct scope_trace_code *codes, size_t code_count);

/*
 * What a trace has about an address: the row of its file, and that of the address. code NULL: the trace has nothing
 * about the address.
 */
struct scope_recorded_file {
	struct scope_file *file; /* NULL: the trace has no row */
	const struct scope_trace_code *code;
	uint64_t offset; /* in the file */
};
struct scope_recorded_file scope_symbol_spaces_recorded(const struct scope_spaces *spaces,
							const struct scope_space *space, uint64_t address);

/* True if the file was found, with names or without. */
static inline bool scope_symbol_file_has_names(const struct scope_trace_file *file)
{
	return file->outcome == SCOPE_FILE_READ || file->outcome == SCOPE_FILE_DEBUG;
}

/*
 * True for code made at run time, which is neither in a file nor in the kernel's page. A file in memory (memfd,
 * /dev/shm) with a build-id, or which the capture found to be an ELF file, counts as a file: it is read through the
 * mapping.
 */
bool scope_symbol_file_is_made(const struct scope_file *file);

/* True if its number of functions is known. */
static inline bool scope_symbol_file_is_counted(const struct scope_trace_file *file)
{
	return !scope_symbol_file_has_names(file) || file->functions != UINT32_MAX;
}

/* True if better names than those of the trace are to be searched. */
static inline bool scope_symbol_spaces_want_better(const struct scope_spaces *spaces)
{
	return spaces->options.debug_dir || spaces->options.debuginfod;
}

/* Finds out if the process is a 32-bit program on x86-64; opens its files until one shows it. 0, -ENOMEM. */
int scope_symbol_spaces_is_i386(struct scope_spaces *spaces, const struct scope_space *space, bool *ret_is);

/* True if code is mapped at the address. Opens no file. */
static inline bool scope_symbol_space_executable(const struct scope_space *space, uint64_t address)
{
	return scope_symbol_ranges_find(&space->ranges, address);
}

/* True if the address is code of a mapped file and has its name from that file. */
bool scope_symbol_spaces_in_file(const struct scope_spaces *spaces, const struct scope_space *space, uint64_t address);

/* Opens the file of a mapping unless that was tried. 0, -ENOMEM. */
int scope_symbol_spaces_open(struct scope_spaces *spaces, struct scope_mapping *mapping);

/* Adds a sentence to the problems. */
__attribute__((format(printf, 2, 3))) int scope_symbol_spaces_problem(struct scope_spaces *spaces, const char *format,
								      ...);

#endif
