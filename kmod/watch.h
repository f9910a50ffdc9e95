/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks after running sessions. */
#ifndef SCOPE_KMOD_WATCH_H
#define SCOPE_KMOD_WATCH_H

#include "session.h"

void scope_watch_prepare(struct scope_session *session);
void scope_watch_start(struct scope_session *session);
void scope_watch_end(struct scope_session *session);

#endif
