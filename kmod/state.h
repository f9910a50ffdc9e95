/* SPDX-License-Identifier: GPL-2.0-only */
/* What every traced thread is doing as tracing starts or stops. */
#ifndef SCOPE_KMOD_STATE_H
#define SCOPE_KMOD_STATE_H

#include "session.h"

void scope_state_follow(struct scope_session *session);
void scope_state_sweep(struct scope_session *session);
int scope_state_write_all(struct scope_session *session, u8 flags);

#endif
