/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the shared libraries that were built from the same source package as the program that maps them. They are that
 * program's own code although they are in a folder of the system (libdns.so of named, libsvn_repos.so of svnserve).
 */
#ifndef SCOPE_PROC_PACKAGE_H
#define SCOPE_PROC_PACKAGE_H

#include <stdbool.h>
#include <stdint.h>

#define SCOPE_PACKAGE_MARK 128

/*
 * Gets a mark of the source package in the ELF file open at fd; "" if it has none. Two files with the same mark have
 * the same source package. The mark is the note of the UAPI group's "Package Metadata for Executable Files" (type and
 * name), which Fedora from 36 and Ubuntu from 24.04 write. Else it is the end of the name of the debug file, if that
 * name is the file's own name (from path), version, release and architecture, as rpm writes it.
 */
void scope_proc_package_mark(int fd, const char *path, char ret_mark[SCOPE_PACKAGE_MARK]);

/*
 * The shared libraries that dpkg installed from the same source package as the program of process tgid, below that
 * process's root. *ret_text has one path a line, "" if there are none or dpkg does not know the program; the caller
 * frees it. After 400 ms it returns what it has found by then. 0, -ENOENT: there is no database; -errno.
 */
int scope_proc_package_libraries(uint32_t tgid, char **ret_text);

/* True if that path is among the libraries. /lib and /usr/lib count as one folder. */
bool scope_proc_package_has(const char *libraries, const char *path);

#endif
