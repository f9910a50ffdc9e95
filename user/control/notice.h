/* SPDX-License-Identifier: GPL-2.0-only */
/* Receive the module's notices about running sessions (SCOPE_CMD_NOTICE in scope/control.h). */
#ifndef SCOPE_CONTROL_NOTICE_H
#define SCOPE_CONTROL_NOTICE_H

#include <stdint.h>

#include <scope/control.h>

struct scope_notices;

struct scope_notice_received {
	uint32_t session;
	enum scope_notice notice;
	uint32_t cpu;
	uint64_t value; /* meaning: see enum scope_notice */
};

/* 0; or -errno if notices are not available: the module is too old, or has too many listeners. */
int scope_control_notices_open(struct scope_notices **ret_notices);
void scope_control_notices_close(struct scope_notices *notices); /* NULL is fine */

/* For poll(): readable when a notice has arrived. */
int scope_control_notices_fd(const struct scope_notices *notices);

/* 1 and *ret_heard filled; 0 if no notice has arrived for this session. Never waits. */
int scope_control_notices_receive(struct scope_notices *notices, uint32_t session,
				  struct scope_notice_received *ret_received);

#endif
