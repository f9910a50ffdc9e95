/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts the resources that a process does not get from its host: limits of control groups, interrupts, hypervisor,
 * pressure.
 */
#ifndef SCOPE_PROC_HOST_H
#define SCOPE_PROC_HOST_H

#include <stdint.h>

struct scope_proc_host;
struct scope_writer;

/*
 * Reads the present values of the counters. root: the directory that has proc/ and the mount points of control groups,
 * "" on a host. Counters that cannot be read are left out. 0 or -ENOMEM; the caller destroys the result.
 */
int scope_proc_host_create(const char *root, uint32_t tgid, struct scope_proc_host **ret_host);
void scope_proc_host_destroy(struct scope_proc_host *host); /* NULL is fine */

/*
 * If a second has passed since the last row, reads the counters again and writes a row (trace/host_row.h). Counters
 * that cannot be read any more, because the process has ended and its control group was removed, keep their values. 0,
 * or -errno of the writer.
 */
int scope_proc_host_tick(struct scope_proc_host *host, uint64_t now_ns, struct scope_writer *writer);

/*
 * Writes a row, and the growth of the counters: SCOPE_META_HOST_CPU, and, if a group has a limit, SCOPE_META_CPU_LIMIT
 * for the group whose limit throttled the process for longest. Times are ns of CLOCK_MONOTONIC. 0, or -errno of the
 * writer.
 */
int scope_proc_host_write(struct scope_proc_host *host, uint64_t end_ns, struct scope_writer *writer);

#endif
