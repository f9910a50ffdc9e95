/* SPDX-License-Identifier: GPL-2.0-only */
/* Tests whether probes fire on the running kernel. */
#ifndef SCOPE_KMOD_SELFTEST_H
#define SCOPE_KMOD_SELFTEST_H

#include "session.h"

int scope_selftest_load(void);
void scope_selftest_begin(struct scope_session *session);
bool scope_selftest_look(struct scope_session *session, u64 passed_ns);
void scope_selftest_end(struct scope_session *session);
enum scope_selftest scope_selftest_result(void);

#endif
