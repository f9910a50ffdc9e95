/* SPDX-License-Identifier: GPL-2.0-only */
/* A run that listeners hear. */
#ifndef SCOPE_UNIT_RUN_LISTENERS_H
#define SCOPE_UNIT_RUN_LISTENERS_H

#include "unit/open_unit.h"

/*
 * Tells the builder first, by builder->ops, then its listeners; user is the builder. In a file of its own: the
 * run without listeners is code that the compiler knows whole, and this would make it worse.
 */
extern const struct scope_timeline_ops scope_unit_run_listeners_ops;

int scope_unit_run_listeners_feed(struct scope_unit_builder *builder, const struct scope_event *const *event,
				  size_t count);

#endif
