/* SPDX-License-Identifier: GPL-2.0-only */
/* A run with listeners. */
#ifndef SCOPE_UNIT_RUN_LISTENERS_H
#define SCOPE_UNIT_RUN_LISTENERS_H

#include "unit/open_unit.h"

/*
 * Calls the builder first, by builder->ops, then its listeners; user is the builder. It is in a
 * separate file, because the compiler optimises the run without listeners as a whole, and this code
 * would make that worse.
 */
extern const struct scope_timeline_ops scope_unit_run_listeners_ops;

int scope_unit_run_listeners_feed(struct scope_unit_builder *builder, const struct scope_event *const *event,
				  size_t count);

#endif
