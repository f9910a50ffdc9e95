/* SPDX-License-Identifier: GPL-2.0-only */
/* Which clients wait, looked at once a second: to be accepted, or for what they sent to be read. */
#ifndef SCOPE_PROC_BACKLOG_H
#define SCOPE_PROC_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

struct scope_proc_backlog;
struct scope_writer;

/*
 * Of the listening sockets and their connections, by TCP and of the unix domain, and of the sockets of datagrams that are not connected
 * and have a port that the kernel does not give by itself, in the network namespace of process tgid. The result is NULL if the kernel
 * cannot be asked: nothing is written then. 0 or -ENOMEM; the caller destroys.
 */
int scope_proc_backlog_create(uint32_t tgid, struct scope_proc_backlog **ret_backlog);
void scope_proc_backlog_destroy(struct scope_proc_backlog *backlog); /* NULL is fine */

/*
 * Looks at them if a second has passed since the last time, or if `now`, and writes a row (trace/backlog_row.h) for each one for which
 * connections wait, or in which bytes do. If a look at all connections takes long, it is done only if `now`. now_ns: of CLOCK_MONOTONIC. NULL is fine. 0, or -errno of the writer.
 */
int scope_proc_backlog_tick(struct scope_proc_backlog *backlog, uint64_t now_ns, bool now, struct scope_writer *writer);

#endif
