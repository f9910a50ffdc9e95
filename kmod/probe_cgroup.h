/* SPDX-License-Identifier: GPL-2.0-only */
/* The probe of moves between control groups; NULL if the kernel has no tracepoint. */
#ifndef SCOPE_KMOD_PROBE_CGROUP_H
#define SCOPE_KMOD_PROBE_CGROUP_H

extern void *const scope_cgroup_move_probe;

#endif
