/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules that delay threads of a session on purpose.
 *
 * session->dynamic_lock protects the list of rules, like that of probes. Sites read a rule's values, which are replaced
 * as a whole under RCU. A rule is freed when it is removed from all code and delays no thread any more (users).
 */
#ifndef SCOPE_KMOD_DELAY_H
#define SCOPE_KMOD_DELAY_H

#include <linux/errno.h>
#include <scope/control.h>
#include "delay_rule.h"

/* What SCOPE_CMD_DELAY_SET asks for. */
struct scope_delay_request {
	u16 id;
	u8 site; /* enum scope_delay_site */
	u16 nr;
	u32 flags;	  /* SCOPE_DELAY_AFTER */
	const char *name; /* symbol or path, or NULL */
	u64 offset, second_max_ns;
	struct scope_delay_values *values; /* the rule takes them over where it is set */
};

struct scope_delay_info {
	u16 id;
	u8 site;
	u16 nr;
	u32 flags, probability;
	u64 ns, seed, hit_max_ns, second_max_ns, offset;
	u64 visits, served, asked_ns, served_ns, missed, capped;
	u64 required_ns, unsettled_ns;
	char name[SCOPE_PROBE_NAME_BYTES];
};

#ifndef SCOPE_WITHOUT_DELAYS

void scope_delay_prepare(struct scope_session *session);
void scope_delay_values_free(struct scope_delay_values *values);

/* -ECANCELED: switched off by the module's parameter. -ENOSYS: built without delays. */
int scope_delay_check_allowed(void);

/* None of these three may be called under session->lock; each takes session->dynamic_lock. */
int scope_delay_set(struct scope_session *session, const struct scope_delay_request *request);
int scope_delay_remove(struct scope_session *session, u16 id);
int scope_delay_next(struct scope_session *session, u32 id, struct scope_delay_info *ret_info);

/* Under session->dynamic_lock: take all rules out of the code, keep their counts. */
void scope_delay_detach(struct scope_session *session);
/*
 * Wakes the threads that are delayed: tracing has stopped, and they check that. From any context that may take a
 * spinlock.
 */
void scope_delay_wake(struct scope_session *session);
/* The last reference to the session is gone. */
void scope_delay_free(struct scope_session *session);
/* No session is left: wait until no thread is inside the module. */
void scope_delay_exit(void);

#else /* built with SCOPE_DELAYS=0: no session ever has a rule */

static inline void scope_delay_prepare(struct scope_session *session)
{
}

static inline void scope_delay_values_free(struct scope_delay_values *values)
{
}

static inline int scope_delay_check_allowed(void)
{
	return -ENOSYS;
}

static inline int scope_delay_set(struct scope_session *session, const struct scope_delay_request *request)
{
	return -ENOSYS;
}

static inline int scope_delay_remove(struct scope_session *session, u16 id)
{
	return -ENOENT;
}

static inline int scope_delay_next(struct scope_session *session, u32 id, struct scope_delay_info *ret_info)
{
	return -ENOENT;
}

static inline void scope_delay_detach(struct scope_session *session)
{
}

static inline void scope_delay_wake(struct scope_session *session)
{
}

static inline void scope_delay_free(struct scope_session *session)
{
}

static inline void scope_delay_exit(void)
{
}

#endif

#endif
