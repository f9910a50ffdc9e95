/* SPDX-License-Identifier: GPL-2.0-only */
/* Groups of threads by other names than those that the threads have. */
#ifndef SCOPE_UNIT_GROUP_NAMED_H
#define SCOPE_UNIT_GROUP_NAMED_H

#include "unit/group.h"

/* As scope_unit_groups_create(). name: one for each thread of the pickups; NULL: their own. */
int scope_unit_groups_create_named(const struct scope_pickups *pickups, const char (*name)[SCOPE_PLAIN_COMM_BYTES],
				   struct scope_groups **ret_groups);

#endif
