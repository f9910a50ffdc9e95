/* SPDX-License-Identifier: GPL-2.0-only */
/* Lays the stacks of a trace on units, windows of blame and hangs. */
#ifndef SCOPE_EVIDENCE_COLLECT_H
#define SCOPE_EVIDENCE_COLLECT_H

#include "evidence/evidence.h"

/*
 * Fills evidence->item (times, weights, nodes), ->standing and the counts of stacks. Of the stacks
 * in normal units a regular part is taken where there are many, and none in populations that are
 * compared with a reference.
 */
int scope_evidence_collect_items(const struct scope_evidence_source *source, const struct scope_detection *detection,
				 const struct scope_hang *hangs, size_t hang_count, struct scope_evidence *evidence);

/*
 * Adds the items of a reference's usual units. Its functions are taken for those of the same name
 * and module in symbols that were met already.
 */
int scope_evidence_collect_reference(const struct scope_evidence_source *reference, const struct scope_symbols *symbols,
				     struct scope_evidence *evidence);

#endif
