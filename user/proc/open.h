/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Opens the files of a target: the one place that does.
 *
 * The target chooses their names, and what stands there as they are opened. So no name leads out of the
 * target's root directory, nor through a link that the kernel makes up (/proc/PID/fd/…, where a name
 * stands for any object). What is found is held first without being opened, must be a regular file, and
 * only then is that very object opened for reading: no FIFO gets a reader, no device is touched.
 */
#ifndef SCOPE_PROC_OPEN_H
#define SCOPE_PROC_OPEN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * All return a descriptor, or -errno; -ENOEXEC: what is there is no regular file. They may wait for the
 * file system that the file is on.
 *
 * Below: path as a process sees it whose root directory is root ("/proc/PID/root"; "" for this process's
 * own). At: the same, below a descriptor; itself: the last part of the path is not followed where it is a link.
 * Mapped: what is mapped there, replaced or deleted as it may be. Program: what the process runs.
 */
int scope_proc_open_below(const char *root, const char *path);
int scope_proc_open_at(int root, const char *path, bool itself); /* root: a descriptor */
int scope_proc_open_mapped(uint32_t tgid, uint64_t start, uint64_t end);
int scope_proc_open_program(uint32_t tgid);

/* Does the path of a mapping mean memory, with no file to read? Such is code made at run time. */
bool scope_proc_is_memory(const char *path);

#endif
