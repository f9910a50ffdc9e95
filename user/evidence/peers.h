/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a thread that stands still hangs, by what threads like it do. */
#ifndef SCOPE_EVIDENCE_PEERS_H
#define SCOPE_EVIDENCE_PEERS_H

#include "evidence/evidence.h"

/*
 * Removes the hangs that need peers (anomaly/hang.h) and have none that serve, and renumbers SPIN items. second: NULL,
 * or the evidence of signatures, asked where no stack says where a thread stands. all_idle: no unit had
 * any work, so that peers say nothing. Such hangs stay, and are unsure; so do those of which too few stacks
 * say where their peers work.
 */
void scope_evidence_peers_drop(struct scope_evidence *evidence, const struct scope_evidence *second,
			       const struct scope_units *units, const struct scope_pickups *pickups, bool all_idle,
			       struct scope_hang *hangs, size_t *hang_count);

#endif
