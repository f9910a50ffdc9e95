/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds properties that the hosts with a function have in common, and other hosts do not have. */
#ifndef SCOPE_FLEET_PROPERTY_H
#define SCOPE_FLEET_PROPERTY_H

#include "fleet/ranking.h"

/*
 * Sets property, value and have of the rank by its hosts. compared: by member, those that they are compared with,
 * themselves included. Returns true if it is more than chance. Otherwise they may be set, too, to what all hosts have
 * in common, which may be chance.
 */
bool scope_fleet_property_find(const struct scope_fleet_facts *facts, struct scope_fleet_rank *rank,
			       const bool *compared);

#endif
