/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds once a second which clients wait to be accepted, or until the server reads what they sent. */
#ifndef SCOPE_PROC_BACKLOG_H
#define SCOPE_PROC_BACKLOG_H

#include <stdbool.h>
#include <stdint.h>

struct scope_proc_backlog;
struct scope_writer;

/*
 * For the network namespace of process tgid. It looks at listening sockets and their connections, of TCP and the unix
 * domain, and at datagram sockets that are not connected and have a port outside of the kernel's range for clients. The
 * result is NULL if the kernel cannot be asked: then nothing is written. 0 or -ENOMEM; the caller destroys.
 */
int scope_proc_backlog_create(uint32_t tgid, struct scope_proc_backlog **ret_backlog);
void scope_proc_backlog_destroy(struct scope_proc_backlog *backlog); /* NULL is fine */

/*
 * Looks at the sockets if a second has passed since the last look, or if `now` is set, and writes a row
 * (trace/backlog_row.h) for each socket with waiting connections or bytes. If a look at all connections takes long, it
 * is done only if `now` is set. now_ns: CLOCK_MONOTONIC. NULL is fine. 0, or -errno of the writer.
 */
int scope_proc_backlog_tick(struct scope_proc_backlog *backlog, uint64_t now_ns, bool now, struct scope_writer *writer);

#endif
