/* SPDX-License-Identifier: GPL-2.0-only */
/* The timers that take samples. */
#ifndef SCOPE_KMOD_PROBE_SAMPLE_H
#define SCOPE_KMOD_PROBE_SAMPLE_H

#include "session.h"

int scope_sample_init(void);
void scope_sample_exit(void);
void scope_sample_prepare(struct scope_session *session);
int scope_sample_start(struct scope_session *session);
void scope_sample_stop(struct scope_session *session);

#endif
