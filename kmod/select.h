/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which threads are traced: makes entries of a session's filter from the user's selection.
 *
 * A thread is traced while its process or the thread itself has an entry. Processes get one if they are selected, or
 * as descendants of those if the session follows. Threads get one if they are selected by number, by command name, or
 * by control group. Probes update the entries when tasks are created, end, execute, or change their name or group.
 */
#ifndef SCOPE_KMOD_SELECT_H
#define SCOPE_KMOD_SELECT_H

#include "session.h"

/* Under session->lock. */
void scope_select_scan(struct scope_session *session);
void scope_select_sweep(struct scope_session *session);
int scope_select_settle(struct scope_session *session);

/* From probes. */
bool scope_select_fork(struct scope_session *session, const struct task_struct *parent, struct task_struct *child);
void scope_select_exec(struct scope_session *session, struct task_struct *task, u32 old_tid);
bool scope_select_exit(struct scope_session *session, const struct task_struct *task, bool last);
void scope_select_renamed(struct scope_session *session, struct task_struct *task, const char *comm);
void scope_select_settle_soon(struct scope_session *session);

void scope_select_prepare(struct scope_session *session);
void scope_select_cancel(struct scope_session *session);

#endif
