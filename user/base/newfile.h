/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that gets its name when it is complete: the one rule for every name that a command writes
 * to.
 *
 * If PATH does not exist, or is a regular file or a link, the bytes go to PATH.part, which finish
 * renames to PATH. An earlier PATH is kept as PATH.old, or PATH.old.2 and so on where that name is
 * taken too. A program that has PATH.part open holds a lock on it (flock), and a second program
 * that writes to the same name is refused (-EBUSY). A PATH.part that a killed program left is kept
 * in the same way, as PATH.part.old.
 *
 * If PATH is a FIFO, a character device or a descriptor's name (/dev/stdout, /proc/self/fd/1), it
 * is opened and written to, never renamed, replaced or removed. A directory, a block device and a
 * socket are refused. "-" is standard output; ./- is a file of that name.
 *
 * A recorder runs as root, often in /tmp. In a directory that everybody may write to (sticky), it
 * follows no link of another user and writes to no file of another user.
 */
#ifndef SCOPE_BASE_NEWFILE_H
#define SCOPE_BASE_NEWFILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"

struct scope_newfile;

/* path NULL or "-": standard output. mode: permissions of the new file, before the umask. 0, or -errno with error filled. */
int scope_newfile_create(const char *path, mode_t mode, struct scope_error *error, struct scope_newfile **ret_file);

/*
 * The descriptor; PATH.part is open for reading, too. It belongs to the file and is valid until the file is finished.
 */
int scope_newfile_fd(const struct scope_newfile *file);

/* A stdio stream for it, created at the first call; NULL: no memory. Do not close it. */
FILE *scope_newfile_stream(struct scope_newfile *file);

/* The name of the file until it is finished: PATH.part, or PATH itself if it is special. */
const char *scope_newfile_path(const struct scope_newfile *file);

/* True if PATH itself is written to: a device, a FIFO, standard output. */
bool scope_newfile_is_special(const struct scope_newfile *file);

/* Flushes, closes and renames to PATH. 0, or -errno with error filled; destroy it in any case. */
int scope_newfile_finish(struct scope_newfile *file, struct scope_error *error);

/* A sentence for the user that says which file was kept under which name; "" if none was. */
const char *scope_newfile_note(const struct scope_newfile *file);

/* Removes PATH.part if it was not finished. NULL is fine. */
void scope_newfile_destroy(struct scope_newfile *file);

#endif
