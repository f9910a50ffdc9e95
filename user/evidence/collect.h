/* SPDX-License-Identifier: GPL-2.0-only */
/* Lays the stacks of a trace on units, windows of blame and hangs: one more pass over it. */
#ifndef SCOPE_EVIDENCE_COLLECT_H
#define SCOPE_EVIDENCE_COLLECT_H

#include "evidence/evidence.h"
#include "evidence/lookup.h"

/*
 * Fills evidence->item (times, weights, nodes), ->standing and the counts of stacks. Of the stacks
 * in normal units a regular part is taken where there are many.
 */
int scope_collect_items(struct scope_trace *trace, const struct scope_kept *kept,
			struct scope_symbols *symbols, const struct scope_hang *hangs,
			size_t hang_count, const struct scope_lookup *lookup,
			struct scope_evidence *evidence);

#endif
