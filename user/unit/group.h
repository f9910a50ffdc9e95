/* SPDX-License-Identifier: GPL-2.0-only */
/* Puts threads and their units into groups by name. */
#ifndef SCOPE_UNIT_GROUP_H
#define SCOPE_UNIT_GROUP_H

#include "unit/unit.h"

/*
 * To be called once all threads have their final names. The units' vectors are ids in vectors
 * before, and in the set of their own group afterwards. 0 or -ENOMEM.
 */
int scope_units_group(struct scope_units *units, const struct scope_vector_set *vectors,
		      const struct scope_pickups *pickups);

#endif
