/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the separate file that holds a stripped file's symbols. */
#ifndef SCOPE_SYMBOL_DEBUGFILE_H
#define SCOPE_SYMBOL_DEBUGFILE_H

#include <elfutils/libdwfl.h>

/* Where to look; what the module's user data points to. */
struct scope_debugfile {
	const char *root; /* put before every path; the host's own folders come after it */
	const char *path; /* of the stripped file, below root */
};

/*
 * A find_debuginfo callback for libdwfl: build-id folders, then the debug link beside the file, in
 * its .debug folder and below /usr/lib/debug. A file counts only with the right build-id, or with
 * the link's checksum where there is no build-id. Local files only: libdwfl's own callback would
 * ask debuginfod servers.
 */
int scope_debugfile_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret_path);

#endif
