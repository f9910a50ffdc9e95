/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host keeps from a process: limits of its control groups, interrupts, a hypervisor, pressure. */
#ifndef SCOPE_PROC_HOST_H
#define SCOPE_PROC_HOST_H

#include <stdint.h>

struct scope_proc_host;
struct scope_writer;

/*
 * Reads the counters as they are now. root: the directory that has proc/ and the mount points of
 * control groups, "" on a host. Counters that cannot be read are left out. 0 or -ENOMEM; the caller
 * destroys the result.
 */
int scope_proc_host_create(const char *root, uint32_t tgid, struct scope_proc_host **ret_host);
void scope_proc_host_destroy(struct scope_proc_host *host); /* NULL is fine */

/*
 * Reads them again, and writes them as a row (trace/host_row.h), if a second has passed since the last one. Counters that
 * cannot be read any more, because the process has ended and its control group is gone, keep their values.
 * 0, or -errno of the writer.
 */
int scope_proc_host_tick(struct scope_proc_host *host, uint64_t now_ns, struct scope_writer *writer);

/*
 * Writes a row, and by how much they grew: SCOPE_META_CPU_LIMIT, of the group whose
 * limit throttled the process for longest, if any has a limit, and SCOPE_META_HOST_CPU. Times of
 * CLOCK_MONOTONIC in ns. 0, or -errno of the writer.
 */
int scope_proc_host_write(struct scope_proc_host *host, uint64_t end_ns, struct scope_writer *writer);

#endif
