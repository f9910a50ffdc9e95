/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads tracefs, mounted or not. */
#ifndef SCOPE_PERF_TRACEFS_H
#define SCOPE_PERF_TRACEFS_H

#include <stdint.h>

#include "base/error.h"

/*
 * Opens the root directory of tracefs: the mounted one, or from Linux 5.2 on a private instance that ends with the
 * descriptor. 0, or -errno with the remedy.
 */
int scope_perf_tracefs_open(struct scope_error *error, int *ret_fd);

/* Number and format file of a tracepoint, as "sched/sched_switch"; the caller frees the format. */
int scope_perf_tracepoint_read(int tracefs, const char *name, struct scope_error *error, uint32_t *ret_number,
			       char **ret_format);

#endif
