/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of tracepoints a session attaches to.
 *
 * A probe has its session as first argument; probes of calls have the session's struct scope_cpu. Newer kernels call
 * some with preemption on. Each probe makes sure itself that it stays on its CPU while it uses struct scope_cpu, and
 * that interrupts are off while it writes.
 */
#ifndef SCOPE_KMOD_PROBE_H
#define SCOPE_KMOD_PROBE_H

#include "session.h"

int scope_probe_init(void);
struct tracepoint *scope_probe_tracepoint(const char *name);
u32 scope_probe_events(void);
int scope_probe_attach(struct scope_session *session);
bool scope_probe_selects(u8 selects);
void scope_probe_detach(struct scope_session *session);

#endif
