/* SPDX-License-Identifier: GPL-2.0-only */
/* The user who called sudo: a program run by root acts for this user. */
#ifndef SCOPE_BASE_INVOKER_H
#define SCOPE_BASE_INVOKER_H

#include <stdbool.h>
#include <sys/types.h>

struct scope_invoker {
	uid_t uid;
	gid_t gid;
};

/* False: this process is not root, or was not started through sudo by another user. */
bool scope_invoker_find(struct scope_invoker *ret_invoker);

/*
 * Becomes that user permanently: sets groups, group and user, and HOME, USER and LOGNAME where the
 * user has a name. 0; or -errno, after which the process must not continue as if it were that user.
 */
int scope_invoker_become(const struct scope_invoker *invoker);

#endif
