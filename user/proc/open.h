/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens the files of a target. No other code opens them.
 *
 * The target controls their names, and which objects have these names when they are opened. So no name leads out of the
 * target's root directory, nor through a magic link (/proc/PID/fd/…, which can lead to any object). The object found is
 * first held with O_PATH and must be a regular file; only then this same object is opened for reading. So no FIFO gets
 * a reader, and no device is touched.
 */
#ifndef SCOPE_PROC_OPEN_H
#define SCOPE_PROC_OPEN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * All return a descriptor, or -errno; -ENOEXEC: not a regular file. They may wait for the file system of the file.
 *
 * below: path as seen by a process whose root directory is root ("/proc/PID/root"; "" for this process's root). at: the
 * same, below a descriptor; itself: if the last part of the path is a link, it is not followed. mapped: the file that
 * is mapped at these addresses, even if it was replaced or deleted. program: the file that the process runs.
 */
int scope_proc_open_below(const char *root, const char *path);
int scope_proc_open_at(int root, const char *path, bool itself); /* root: a descriptor */
int scope_proc_open_mapped(uint32_t tgid, uint64_t start, uint64_t end);
int scope_proc_open_program(uint32_t tgid);

/* True if the path of a mapping means memory without a file that can be read, such as code made at run time. */
bool scope_proc_is_memory(const char *path);

#endif
