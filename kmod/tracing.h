/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts, flushes and stops tracing. */
#ifndef SCOPE_KMOD_TRACING_H
#define SCOPE_KMOD_TRACING_H

#include "session.h"

/* Under session->lock. */
int scope_tracing_start(struct scope_session *session);
int scope_tracing_stop(struct scope_session *session, enum scope_stop_reason reason);

/* Each takes session->lock. */
int scope_tracing_snapshot(struct scope_session *session, bool hold);
int scope_tracing_flush(struct scope_session *session);

#endif
