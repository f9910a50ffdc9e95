/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that takes its name when it is whole: the one rule for every name that a command writes to.
 *
 * PATH is nothing, a regular file or a link: the bytes go to PATH.part, which finish renames to PATH. What
 * was PATH before is kept as PATH.old, or PATH.old.2 and so on where that is taken too. Who has PATH.part
 * open holds a lock on it (flock), so a second program that writes to the same name is refused (-EBUSY). A
 * PATH.part that a killed program left is kept in the same way, as PATH.part.old.
 *
 * PATH is a FIFO, a character device or a descriptor's name (/dev/stdout, /proc/self/fd/1): it is opened and
 * written to, never renamed, replaced or removed. A directory, a block device and a socket are refused.
 *
 * A recorder runs as root, often in /tmp: no link of another user is followed, no file of another user is
 * written to, in a directory that anybody may write to (sticky).
 */
#ifndef SCOPE_BASE_NEWFILE_H
#define SCOPE_BASE_NEWFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

struct scope_newfile;

/* path NULL: standard output. mode: of the new file, less the umask. 0, or -errno with error filled. */
int scope_newfile_create(const char *path, mode_t mode, struct scope_error *error, struct scope_newfile **ret_file);

/* Open for reading, too, where it is PATH.part. The file's own, until it is finished. */
int scope_newfile_fd(const struct scope_newfile *file);

/* The same for stdio, made at the first call; NULL: no memory. Do not close it. */
FILE *scope_newfile_stream(struct scope_newfile *file);

/* Where the bytes are until then: PATH.part, or PATH where it is no file of our own. */
const char *scope_newfile_path(const struct scope_newfile *file);

/* Written to as it is: a device, a FIFO, standard output. */
bool scope_newfile_is_special(const struct scope_newfile *file);

/* Flushes, closes and gives the name. 0, or -errno with error filled; destroy it in any case. */
int scope_newfile_finish(struct scope_newfile *file, struct scope_error *error);

/* What was kept under which name, as a sentence for the user; "" where nothing was in the way. */
const char *scope_newfile_note(const struct scope_newfile *file);

/* Removes PATH.part where it did not get its name. NULL is fine. */
void scope_newfile_destroy(struct scope_newfile *file);

#endif
