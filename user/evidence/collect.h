/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes the stacks of a trace to units, wait-chain segments and hangs. */
#ifndef SCOPE_EVIDENCE_COLLECT_H
#define SCOPE_EVIDENCE_COLLECT_H

#include "evidence/evidence.h"

/*
 * Fills evidence->item (times, weights, nodes), ->stopped_stack and the counts of stacks. If normal
 * units have many stacks, every n-th is taken; none is in populations that are compared with a
 * reference.
 */
int scope_evidence_collect_items(const struct scope_evidence_source *source, const struct scope_detection *detection,
				 const struct scope_hang *hangs, size_t hang_count, struct scope_evidence *evidence);

/*
 * Adds the items of a reference's usual units. Its functions are matched by name and module with
 * those already met in symbols.
 */
int scope_evidence_collect_reference(const struct scope_evidence_source *reference, const struct scope_symbols *symbols,
				     struct scope_evidence *evidence);

#endif
