/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of tracepoints a session attaches to.
 *
 * A probe has its session as first argument, those of calls the session's struct scope_cpu. Newer kernels
 * call some with preemption on; each makes sure for itself that it stays on its CPU while it uses struct
 * scope_cpu, and that interrupts are off while it writes.
 */
#ifndef SCOPE_KMOD_PROBE_H
#define SCOPE_KMOD_PROBE_H

#include "session.h"

int scope_probe_init(void);
struct tracepoint *scope_probe_tracepoint(const char *name);
u32 scope_probe_events(void);
int scope_probe_attach(struct scope_session *session);
bool scope_probe_selects(u8 selects);
void scope_probe_detach(struct scope_session *session);

/* probe_syscall.c */
extern void *const scope_syscall_enter_probe, *const scope_syscall_exit_probe;
void scope_syscall_put_pending(struct scope_session *session, struct scope_cpu *cpu, u64 now);

/* probe_sched.c */
extern void *const scope_sched_switch_probe, *const scope_sched_waking_probe;
extern void *const scope_sched_fork_probe, *const scope_sched_exec_probe;
extern void *const scope_sched_exit_probe, *const scope_sched_rename_probe;
void scope_sched_refresh(struct scope_session *session, struct scope_cpu *cpu);
u8 scope_sched_state(unsigned int task_state, unsigned int exit_state);

/* probe_block.c; NULL where the kernel's block tracepoints are not known */
extern void *const scope_block_insert_probe, *const scope_block_issue_probe;
extern void *const scope_block_done_probe;
extern const size_t scope_block_bytes; /* of session->block, zeroed */

/* probe_cgroup.c */
extern void *const scope_cgroup_move_probe;

/* probe_sample.c */
int scope_sample_init(void);
void scope_sample_exit(void);
void scope_sample_prepare(struct scope_session *session);
int scope_sample_start(struct scope_session *session);
void scope_sample_stop(struct scope_session *session);

#endif
