/* SPDX-License-Identifier: GPL-2.0-only */
/* The targets that the user selects. */
#ifndef SCOPE_KMOD_TARGET_H
#define SCOPE_KMOD_TARGET_H

#include "session.h"

/* One thing the user names. */
struct scope_target {
	enum scope_attr kind; /* SCOPE_ATTR_TARGET, _THREAD, _COMM, _COMM_PREFIX, _CGROUP */
	u32 id;		      /* tgid or tid of the first pid namespace; hierarchy of a group */
	u64 cgroup;	      /* inode number */
	char comm[SCOPE_COMM_BYTES];
};

/* Under session->lock. */
int scope_target_add(struct scope_session *session, const struct scope_target *target);
int scope_target_remove(struct scope_session *session, const struct scope_target *target);
void scope_target_clear(struct scope_session *session);

#endif
