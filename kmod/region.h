/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory of a session's rings. */
#ifndef SCOPE_KMOD_REGION_H
#define SCOPE_KMOD_REGION_H

#include <linux/mm_types.h>
#include "session.h"

int scope_region_init(void);
void scope_region_exit(void);
int scope_region_alloc(struct scope_session *session);
void scope_region_free(struct scope_session *session);
u64 scope_region_bytes(const struct scope_session *session);
int scope_region_map(struct scope_session *session, struct vm_area_struct *vma);

#endif
