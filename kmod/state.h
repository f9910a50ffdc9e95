/* SPDX-License-Identifier: GPL-2.0-only */
/* What every traced thread is doing when tracing starts or stops. */
#ifndef SCOPE_KMOD_STATE_H
#define SCOPE_KMOD_STATE_H

#include "session.h"

/* Numbers of threads, collected in one pass, to be examined one by one. */
struct scope_thread_table {
	u32 *tid; /* kvfree() */
	u32 count, size;
};

typedef bool scope_state_choose(struct scope_session *session, struct task_struct *thread);

struct task_struct *scope_state_find(u32 tid);
void scope_state_put(struct scope_session *session, struct task_struct *task);
int scope_thread_table_fill(struct scope_session *session, scope_state_choose *choose,
			    struct scope_thread_table *ret_table);
int scope_state_write_all(struct scope_session *session, u8 flags);

#endif
