/* SPDX-License-Identifier: GPL-2.0-only */
/* What /proc says about a process: its maps with build-ids, and its open descriptors. */
#ifndef SCOPE_PROC_PROC_H
#define SCOPE_PROC_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "proc/socket.h"
#include "trace/trace.h"

struct scope_writer;
struct scope_proc;
struct scope_proc_reader;

/* Rows with the text they point to; empty ({0}) is a valid one. */
struct scope_proc_maps {
	struct scope_trace_map *map;
	size_t count;
	char *text;
};

struct scope_proc_fds {
	struct scope_trace_fd *fd;
	size_t count;
	char **name; /* count of them, owned */
};

/*
 * A snapshot remembers the build-ids it read and the maps it wrote, so that a later one of the same
 * processes costs little and adds only what is new. What the target controls is read by reader, which
 * must outlive it; NULL: by this process itself.
 */
int scope_proc_create(struct scope_proc_reader *reader, struct scope_proc **ret_proc);
void scope_proc_destroy(struct scope_proc *proc); /* NULL is fine */

/* What to do now and then in the calls below, which may take long; what it returns but 0 ends them. */
void scope_proc_set_idle(struct scope_proc *proc, int (*meanwhile)(void *context), void *context);

/*
 * Executable mappings of the process, and the other mappings of the same files. 0, -errno; -ESRCH
 * or -ENOENT where the process is gone. A build-id that cannot be read is "". Build-ids are borrowed
 * from proc until its next call.
 */
int scope_proc_maps_read(struct scope_proc *proc, uint32_t tgid, struct scope_proc_maps *ret_maps);
void scope_proc_maps_destroy(struct scope_proc_maps *maps); /* NULL is fine */

/* Open descriptors of the process. sockets: of its network namespace. */
int scope_proc_fds_read(uint32_t tgid, const struct scope_socket_table *sockets, struct scope_proc_fds *ret_fds);
void scope_proc_fds_destroy(struct scope_proc_fds *fds); /* NULL is fine */

/*
 * Writes what is new in the maps of these processes since the snapshot before. A process that is
 * gone counts as empty. 0, -ENOMEM, or what the writer returned.
 */
int scope_proc_write_maps(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer);

/* Writes the names of their threads, where new or changed; the same rules. */
int scope_proc_write_threads(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer);

/* Of what names code made at run time, for one process in all that are read with this proc. */
#define SCOPE_PROC_JIT_ROWS_MAX 500000u
#define SCOPE_PROC_JIT_BYTES_MAX (64u << 20) /* of files, the code in jitdumps not counted */
#define SCOPE_PROC_JIT_LINE_MAX 4096u	     /* a longer line is skipped */

/*
 * Writes what their perf maps (/tmp/perf-PID.map, as they see /tmp and call themselves) and the
 * jitdump files among their mappings name beyond what was written before. Only files of the process's
 * own user, or root's. The same rules, but a process that is gone counts as far as an earlier call
 * saw it: its files are held open. Not rows for code that lies in a mapped file: a process may write
 * there what it likes.
 */
int scope_proc_write_jit(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer);

/* The number that a process has for itself, which may be one of a container: its perf map is called by that. */
uint32_t scope_proc_own_number(uint32_t tgid);

/* What of it was left out so far, as sentences; "" where nothing was. */
void scope_proc_jit_problem(const struct scope_proc *proc, char *text, size_t size);

/* Writes the open descriptors of these processes; the same rules. */
int scope_proc_write_fds(const uint32_t *tgids, size_t count, struct scope_writer *writer);

#endif
