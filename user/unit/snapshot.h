/* SPDX-License-Identifier: GPL-2.0-only */
/* Gives snapshots of threads to the sink: of one that runs at once, of one that sleeps when its sleep is known. */
#ifndef SCOPE_UNIT_SNAPSHOT_H
#define SCOPE_UNIT_SNAPSHOT_H

#include "unit/open_unit.h"

/* A sleep was reported: its snapshot, if one was taken in it. 0, or what the sink returned. */
int scope_unit_snapshot_wait(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			     const struct scope_wait *wait);

/* The window ends: the snapshot of a thread that still sleeps. */
int scope_unit_snapshot_end(struct scope_unit_builder *builder, struct scope_open_unit *open_unit,
			    const struct scope_thread *thread);

#endif
