/* SPDX-License-Identifier: GPL-2.0-only */
/* Which threads abnormal units waited for, and when. */
#ifndef SCOPE_EVIDENCE_BLAME_H
#define SCOPE_EVIDENCE_BLAME_H

#include "evidence/evidence.h"
#include "evidence/lookup.h"

/* Fills evidence->window, sorted by thread and begin. */
int scope_blame_windows(const struct scope_units *units, const struct scope_detection *detection,
			const struct scope_lookup *unit_lookup,
			const struct scope_lookup *wait_lookup, struct scope_evidence *evidence);

/* Is a sleep passed on to whoever ended it? The thread it is passed to, or -ENOENT. */
long scope_blame_passes(const struct scope_units *units, const struct scope_wait *wait);

#endif
