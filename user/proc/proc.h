/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads from /proc a process's maps with build-ids, and its open descriptors. */
#ifndef SCOPE_PROC_PROC_H
#define SCOPE_PROC_PROC_H

#include <stddef.h>
#include <stdint.h>

#include "proc/socket_owner.h"
#include "proc/socket.h"
#include "trace/trace.h"

struct scope_writer;
struct scope_proc;
struct scope_proc_reader;

/* Rows with the text they point to; {0} is a valid empty list. */
struct scope_proc_maps {
	struct scope_trace_map *map;
	size_t count;
	char *text;
};

struct scope_proc_fds {
	struct scope_trace_fd *fd;
	size_t count;
	char **name; /* `count` names, owned */
};

/*
 * A snapshot remembers the build-ids that it read and the maps that it wrote, so that a later snapshot of the same
 * processes costs little and adds only what is new. reader reads everything that the target controls, and must outlive
 * the snapshot; NULL: this process reads it.
 */
int scope_proc_create(struct scope_proc_reader *reader, struct scope_proc **ret_proc);
void scope_proc_destroy(struct scope_proc *proc); /* NULL is fine */

/*
 * Sets a function that the calls below call repeatedly, because they may take long. If it returns another value than 0,
 * they end.
 */
void scope_proc_set_idle(struct scope_proc *proc, int (*while_waiting)(void *context), void *context);

/*
 * Executable mappings of the process, and the other mappings of the same files. 0, -errno; -ESRCH or -ENOENT if the
 * process has ended. A build-id that cannot be read is "". Build-ids are borrowed from proc until its next call.
 */
int scope_proc_maps_read(struct scope_proc *proc, uint32_t tgid, struct scope_proc_maps *ret_maps);
void scope_proc_maps_destroy(struct scope_proc_maps *maps); /* NULL is fine */

/*
 * Open descriptors of the process. sockets: of its network namespace. peers: finds the processes at the other ends;
 * NULL: these are not searched.
 */
int scope_proc_fds_read(uint32_t tgid, const struct scope_socket_table *sockets, struct scope_peers *peers,
			struct scope_proc_fds *ret_fds);
void scope_proc_fds_destroy(struct scope_proc_fds *fds); /* NULL is fine */

/*
 * Writes the mappings of these processes that are new since the snapshot before. A process that has ended counts as
 * empty. 0, -ENOMEM, or what the writer returned.
 */
int scope_proc_write_maps(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer);

/* Writes the names of their threads that are new or changed; the same rules. */
int scope_proc_write_threads(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer);

/* Limits on names of code made at run time, for one process, over all reads with this proc. */
#define SCOPE_PROC_JIT_ROWS_MAX 500000u
#define SCOPE_PROC_JIT_BYTES_MAX (64u << 20) /* bytes of files, without the code in jitdumps */
#define SCOPE_PROC_JIT_LINE_MAX 4096u	     /* a longer line is skipped */

/*
 * Writes new names from perf maps (/tmp/perf-PID.map, with /tmp and PID as the process sees them) and from the jitdump
 * files among the mappings. Only files of the process's own user, or root's, are used. The same rules apply, but files
 * of a process that has ended are still read if an earlier call opened them. Rows for code in a mapped file are left
 * out, because a process can write any name there.
 */
int scope_proc_write_jit(struct scope_proc *proc, const uint32_t *tgids, size_t count, struct scope_writer *writer);

/*
 * The number of a process, or of a thread, in its own pid namespace, which may be a container's. The name of a perf map
 * has this number. Returns tid itself if it cannot be read.
 */
uint32_t scope_proc_own_number(uint32_t tid);

/* Sentences that say which names were left out so far; "" if none were. */
void scope_proc_jit_problem(const struct scope_proc *proc, char *text, size_t size);

/*
 * Descriptors of a target; the processes after this limit are not read. A process that forks 1,500 workers without
 * closing what they inherit has millions.
 */
#define SCOPE_PROC_FDS_MAX 200000 /* no rule: a second to read, and 20 MB of the file */

/* Writes the open descriptors of these processes; the same rules. *ret_left_out: processes beyond SCOPE_PROC_FDS_MAX. */
int scope_proc_write_fds(const uint32_t *tgids, size_t count, struct scope_writer *writer, size_t *ret_left_out);

#endif
