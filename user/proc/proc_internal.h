/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a series of snapshots, shared by the files of proc/. */
#ifndef SCOPE_PROC_PROC_INTERNAL_H
#define SCOPE_PROC_PROC_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proc/buildid.h"
#include "proc/package.h"
#include "trace/trace.h"

/*
 * A file seen in the maps of some process. Device and inode identify it, because two containers may have files of the
 * same name.
 */
struct scope_proc_file {
	uint32_t major, minor;
	uint64_t inode;
	char *path;
	char build_id[SCOPE_BUILD_ID_TEXT];
	char mark[SCOPE_PACKAGE_MARK]; /* mark of its package */
	bool elf;		       /* an ELF file in memory, without a build-id */
};

/* A program, and the libraries of its package according to dpkg. */
struct scope_proc_program {
	uint32_t major, minor;
	uint64_t inode;
	char *libraries; /* NULL: unknown */
};

#define SCOPE_PROC_PROGRAMS_MAX 32 /* programs whose packages are searched, because each takes 5 ms or more */

/* Open addressing; 0 is an empty slot. size is 0 or a power of two. */
struct scope_proc_set {
	uint64_t *slot;
	size_t size, count;
};

/* A piece of code in a jitdump, kept by its number there, because a later record may move it. */
struct scope_proc_code {
	uint64_t index, bytes;
	char *name;
};

/* A file that names code made at run time. It is held open, because it may be deleted when the process ends. */
struct scope_proc_jit {
	uint32_t tgid;
	int fd;
	bool dump; /* a jitdump, else a perf map */
	dev_t device;
	ino_t inode;
	uint64_t offset; /* offset up to which it was read */
	uint64_t file_bytes;
	bool skipping; /* within a line that is too long */
	struct scope_proc_code *code;
	size_t code_count, code_room;
};

#define SCOPE_PROC_JIT_MAX 256 /* files */

struct scope_proc_mapped {
	uint64_t start, end;
};

/* A process that has such files. Its limits hold for the whole series of snapshots. */
struct scope_proc_jit_process {
	uint32_t tgid;
	bool full; /* a limit was reached */
	uint32_t rows;
	uint64_t bytes, long_lines;
	uint64_t in_files;		  /* number of rows that were left out */
	struct scope_proc_mapped *mapped; /* files that it executes, at the last look */
	size_t mapped_count, mapped_room;
};

struct scope_proc {
	struct scope_proc_reader *reader;
	struct scope_proc_file *file;
	size_t file_count, file_room;
	struct scope_proc_program program[SCOPE_PROC_PROGRAMS_MAX];
	size_t programs;
	struct scope_proc_set written; /* hashes of map and thread rows */
	struct scope_proc_jit *jit;
	size_t jit_count, jit_room;
	struct scope_proc_jit_process *jit_process;
	size_t jit_processes, jit_process_room;
	int (*while_waiting)(void *context); /* NULL: nothing to call */
	void *context;
};

void scope_proc_forget_jit(struct scope_proc *proc);

#endif
