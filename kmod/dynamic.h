/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes that a session sets at run time: on kernel functions and on instructions of programs. */
#ifndef SCOPE_KMOD_DYNAMIC_H
#define SCOPE_KMOD_DYNAMIC_H

#include "session.h"

/* What SCOPE_CMD_PROBE_ADD asks for. */
struct scope_dynamic_request {
	u16 id;
	u8 kind; /* enum scope_probe_kind */
	u8 args;
	u32 flags;	  /* SCOPE_PROBE_WITH_* */
	const char *name; /* symbol or path */
	u64 offset;
};

struct scope_dynamic_info {
	u16 id;
	u8 kind, args;
	u32 flags;
	u64 offset, hits, missed;
	char name[SCOPE_PROBE_NAME_BYTES];
};

/* None of these may be called under session->lock; each takes session->dynamic_lock. */
int scope_dynamic_add(struct scope_session *session, const struct scope_dynamic_request *request);
int scope_dynamic_remove(struct scope_session *session, u16 id);
int scope_dynamic_next(struct scope_session *session, u32 id, struct scope_dynamic_info *ret_info);

/*
 * Under session->dynamic_lock: 0 if probes and delay rules may be set. -ENOENT: closed. -ENODATA: not configured yet.
 * -EPROTO: of protocol 1. -ESHUTDOWN: stopped.
 */
int scope_dynamic_check(struct scope_session *session);

/* Under session->dynamic_lock: take all of them out of the code, keep their counts. */
void scope_dynamic_detach(struct scope_session *session);
/* The last reference to the session is gone. */
void scope_dynamic_free(struct scope_session *session);

#endif
