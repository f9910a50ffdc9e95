/* SPDX-License-Identifier: GPL-2.0-only */
/* Notices about sessions. */
#ifndef SCOPE_KMOD_NOTICE_H
#define SCOPE_KMOD_NOTICE_H

#include <scope/control.h>

/* To all sockets that listen. May sleep. */
void scope_notice_send(u32 session, enum scope_notice notice, u32 cpu, u64 value);

#endif
