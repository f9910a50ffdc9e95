/* SPDX-License-Identifier: GPL-2.0-only */
/* Wakes the readers of a session. */
#ifndef SCOPE_KMOD_READER_H
#define SCOPE_KMOD_READER_H

#include "session.h"

void scope_reader_prepare(struct scope_session *session);
void scope_reader_cancel(struct scope_session *session);
scope_ring_notify scope_reader_notify;

#endif
