/* SPDX-License-Identifier: GPL-2.0-only */
/* The build-id of an ELF file, by which its symbols are found whatever its name is. */
#ifndef SCOPE_PROC_BUILDID_H
#define SCOPE_PROC_BUILDID_H

#include <stddef.h>

#define SCOPE_BUILD_ID_TEXT 129 /* 64 bytes in hex, and the end */

/*
 * Reads NT_GNU_BUILD_ID from the PT_NOTE segments of the file open at fd, as lower-case hex. 0;
 * -ENOENT: not an ELF file, or it has no build-id; -errno.
 */
int scope_proc_build_id_read(int fd, char ret_text[SCOPE_BUILD_ID_TEXT]);

#endif
