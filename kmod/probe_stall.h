/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of threads that reclaim memory; NULL if the kernel's tracepoints are not known. */
#ifndef SCOPE_KMOD_PROBE_STALL_H
#define SCOPE_KMOD_PROBE_STALL_H

extern void *const scope_reclaim_begin_probe, *const scope_reclaim_end_probe;
extern void *const scope_group_begin_probe, *const scope_group_end_probe;
extern void *const scope_compact_begin_probe, *const scope_compact_end_probe;

#endif
