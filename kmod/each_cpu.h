/* SPDX-License-Identifier: GPL-2.0-only */
/* Work of a session on every CPU. */
#ifndef SCOPE_KMOD_EACH_CPU_H
#define SCOPE_KMOD_EACH_CPU_H

#include "session.h"

typedef void scope_cpu_work(struct scope_session *session, struct scope_cpu *cpu);

void scope_each_cpu(struct scope_session *session, scope_cpu_work *work);

#endif
