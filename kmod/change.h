/* SPDX-License-Identifier: GPL-2.0-only */
/* Changes of a session that users request. */
#ifndef SCOPE_KMOD_CHANGE_H
#define SCOPE_KMOD_CHANGE_H

#include "session.h"
#include "target.h"

/* A change that is made as a whole, or up to the first part that fails. */
struct scope_change {
	const struct scope_target *add, *remove;
	u32 adds, removes;
	const u8 *syscalls; /* SCOPE_SYSCALL_MAX bits, or NULL: as before */
};

int scope_session_configure(struct scope_session *session, const struct scope_config *config,
			    const struct scope_target *targets, u32 count, u32 *ret_failed);
int scope_session_change(struct scope_session *session, const struct scope_change *change, u32 *ret_failed);
void scope_session_set_syscalls(struct scope_config *config, const u8 *bits);
int scope_session_set_stacks(struct scope_session *session, const struct scope_config *config,
			     struct scope_threads *threads, bool threads_given);
int scope_session_start(struct scope_session *session);
int scope_session_stop(struct scope_session *session);

#endif
