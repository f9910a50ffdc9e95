/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes each item's part of the excess: items of abnormal units, less those of usual ones. */
#ifndef SCOPE_EVIDENCE_CONTRAST_H
#define SCOPE_EVIDENCE_CONTRAST_H

#include "evidence/evidence.h"

/*
 * The time that one ns of stacks represents, if all of them represent total_ns; at most 20, because few stacks prove
 * little.
 */
double scope_evidence_contrast_scale(double total_ns, double weight_ns);

/*
 * Call it once all items are there: sets their excess, that of the tree's nodes, and the evidence's
 * sums over units and usual units. reference: NULL, or the kept units that some populations are
 * compared with. 0 or -ENOMEM.
 */
int scope_evidence_contrast_run(struct scope_evidence *evidence, const struct scope_kept *kept,
				const struct scope_kept *reference, const struct scope_detection *detection);

#endif
