/* SPDX-License-Identifier: GPL-2.0-only */
/* Unwind tables and mappings from user space. */
#ifndef SCOPE_KMOD_TABLE_H
#define SCOPE_KMOD_TABLE_H

#include "session.h"
#include "unwind.h"

void scope_table_exit(void);

/* Reads from the user's memory, without a lock held. Returns the number, or -errno; see scope/table.h. */
int scope_table_add(struct scope_session *session, const struct scope_ioc_table *request);
int scope_table_set_maps(struct scope_session *session, const struct scope_ioc_maps *request);
/* No probe runs on the session. */
void scope_table_free(struct scope_session *session);

/* The mappings of the current process; NULL: not known. Under rcu_read_lock(), and valid until its end. */
struct scope_unwind_maps *scope_table_maps(const struct scope_session *session);

#endif
