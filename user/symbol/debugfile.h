/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds files by build-id: a stripped file's symbols, and programs that are gone from their place. */
#ifndef SCOPE_SYMBOL_DEBUGFILE_H
#define SCOPE_SYMBOL_DEBUGFILE_H

#include <elfutils/libdwfl.h>

#include "symbol/options.h"

/* Where to look; what the module's user data points to. */
struct scope_debugfile {
	struct scope_symbol_options options; /* the host's own folders come after those of its root */
	const char *path;		     /* of the stripped file, below root */
};

/*
 * A find_debuginfo callback for libdwfl: the folders that the user named, then build-id folders,
 * then the debug link beside the file, in its .debug folder and below /usr/lib/debug. A file counts
 * only with the right build-id, or with the link's checksum where there is no build-id. Servers are
 * asked last, and only where options have one.
 */
int scope_symbol_debugfile_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
				const char *link, GElf_Word crc, char **ret_path);

#define SCOPE_DEBUGFILE_ID_MAX 64 /* bytes of a build-id */

/*
 * Stands in for a program of that build-id (hexadecimal) which its own path does not have: the same
 * program in a folder of the user's or from a server, else its debug file, which has names without
 * unwind tables. file: its path, below the root of options. A descriptor, or -1.
 */
int scope_symbol_debugfile_program(const struct scope_symbol_options *options, const char *file, const char *build_id);

#endif
