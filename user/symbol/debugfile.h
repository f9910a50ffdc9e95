/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds files by build-id: debug files with a stripped file's symbols, and programs that are not at their path any
 * more.
 */
#ifndef SCOPE_SYMBOL_DEBUGFILE_H
#define SCOPE_SYMBOL_DEBUGFILE_H

#include <elfutils/libdwfl.h>

#include "symbol/options.h"

/* Where to search; the module's user data points to it. */
struct scope_debugfile {
	struct scope_symbol_options options; /* the host's folders are searched after those of its root */
	const char *path;		     /* path of the stripped file, below root */
};

/*
 * A find_debuginfo callback for libdwfl: the folders that the user named, then build-id folders, then the debug link in
 * the file's folder, in its .debug folder and below /usr/lib/debug. A file is accepted only with the right build-id, or
 * with the link's checksum if there is no build-id. Servers are asked last, and only if options have a server.
 */
int scope_symbol_debugfile_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
				const char *link, GElf_Word crc, char **ret_path);

#define SCOPE_DEBUGFILE_ID_MAX 64 /* bytes of a build-id */

/*
 * Finds a replacement for a program with that build-id (hexadecimal) which is not at its path. This is the same program
 * in a folder that the user named or from a server, else its debug file, which has names but no unwind tables. file:
 * its path, below the root of options. A descriptor, or -1.
 */
int scope_symbol_debugfile_program(const struct scope_symbol_options *options, const char *file, const char *build_id);

#endif
