/* SPDX-License-Identifier: GPL-2.0-only */
/* What items stand for of the excess: those of abnormal units, less those of usual ones. */
#ifndef SCOPE_EVIDENCE_CONTRAST_H
#define SCOPE_EVIDENCE_CONTRAST_H

#include "evidence/evidence.h"

/*
 * Of items that are all there: sets their excess, that of the tree's nodes, and what evidence says of units and
 * usual units. reference: NULL, or what was kept of the units that some populations are compared with. 0 or -ENOMEM.
 */
int scope_evidence_contrast_run(struct scope_evidence *evidence, const struct scope_kept *kept,
				const struct scope_kept *reference, const struct scope_detection *detection);

#endif
