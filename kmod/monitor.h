/* SPDX-License-Identifier: GPL-2.0-only */
/* Monitors running sessions: notices, the overload guard. */
#ifndef SCOPE_KMOD_MONITOR_H
#define SCOPE_KMOD_MONITOR_H

#include "session.h"

void scope_monitor_prepare(struct scope_session *session);
void scope_monitor_start(struct scope_session *session);
void scope_monitor_end(struct scope_session *session);

#endif
