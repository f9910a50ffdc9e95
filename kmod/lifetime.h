/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions are made, found by their numbers, closed and freed. */
#ifndef SCOPE_KMOD_LIFETIME_H
#define SCOPE_KMOD_LIFETIME_H

#include "session.h"

int scope_session_create(struct scope_session **ret_session);
struct scope_session *scope_session_get(u32 id);
void scope_session_put(struct scope_session *session);
void scope_session_close(struct scope_session *session);
u32 scope_session_list(u32 *ids, u32 most);

void scope_session_exit(void);

#endif
