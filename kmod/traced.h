/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads a session traces, by its filter. */
#ifndef SCOPE_KMOD_TRACED_H
#define SCOPE_KMOD_TRACED_H

#include "session.h"

static __always_inline bool scope_traced_has(const struct scope_session *session, const struct task_struct *task)
{
	if (scope_filter_has(&session->filter, task->tgid))
		return true;
	return unlikely(session->selects) && scope_filter_has(&session->filter, task->pid | SCOPE_FILTER_THREAD);
}

/* Usually false if scope_traced_has() is false, and reads one cache line. Always true if scope_traced_has() is true. */
static __always_inline bool scope_traced_may_have(const struct scope_session *session, const struct task_struct *task)
{
	return scope_filter_may_have(scope_filter_line_of(&session->filter, task->tgid)) || unlikely(session->selects);
}

void scope_traced_refresh(struct scope_session *session, struct scope_cpu *cpu);
void scope_traced_refresh_all(struct scope_session *session);

#endif
