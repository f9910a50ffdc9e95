/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of scheduling and the lives of tasks; probe.h says what holds for all probes. */
#ifndef SCOPE_KMOD_PROBE_SCHED_H
#define SCOPE_KMOD_PROBE_SCHED_H

extern void *const scope_sched_switch_probe, *const scope_sched_waking_probe;
extern void *const scope_sched_fork_probe, *const scope_sched_exec_probe;
extern void *const scope_sched_exit_probe, *const scope_sched_rename_probe;

#endif
