/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a series of snapshots, shared by the files of proc. */
#ifndef SCOPE_SOURCE_PROC_INTERNAL_H
#define SCOPE_SOURCE_PROC_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

#include "source/buildid.h"

/* A file seen in the maps of some process. Containers may hold two of one name: hence the numbers. */
struct scope_proc_file {
	uint32_t major, minor;
	uint64_t inode;
	char *path;
	char build_id[SCOPE_BUILD_ID_TEXT];
};

/* Open addressing; 0 is an empty slot. size is 0 or a power of two. */
struct scope_proc_set {
	uint64_t *slot;
	size_t size, count;
};

struct scope_proc {
	struct scope_proc_file *file;
	size_t file_count, file_room;
	struct scope_proc_set written; /* hashes of map rows */
};

#endif
