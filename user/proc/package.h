/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which shared libraries were built from the same source package as the program that maps them. They are that program's own
 * code, though they are in a folder of the system (libdns.so in named, libsvn_repos.so in svnserve).
 */
#ifndef SCOPE_PROC_PACKAGE_H
#define SCOPE_PROC_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>

#define SCOPE_PACKAGE_MARK 128

/*
 * What the ELF file open at fd says of its source package; "" if nothing. Two files with the same mark are of one. It is the
 * note of the UAPI group's "Package Metadata for Executable Files" (type and name), which Fedora from 36 and Ubuntu from 24.04
 * write; or else the end of the name of its debug file, if that is the file's own name, version, release and architecture, as
 * rpm writes it (path gives the file's name).
 */
void scope_proc_package_mark(int fd, const char *path, char ret_mark[SCOPE_PACKAGE_MARK]);

/*
 * The shared libraries that dpkg installed from the same source package as the program of process tgid, below that process's
 * root: *ret_text has a path a line, "" if there are none or dpkg does not know the program; the caller frees it. It ends
 * after 400 ms with what is known then. 0, -ENOENT: there is no database; -errno.
 */
int scope_proc_package_libraries(uint32_t tgid, char **ret_text);

/* True if they have that path. /lib and /usr/lib are one folder. */
bool scope_proc_package_has(const char *libraries, const char *path);

#endif
