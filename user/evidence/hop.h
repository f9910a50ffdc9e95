/* SPDX-License-Identifier: GPL-2.0-only */
/* Which library function the program function of a path spends its time in. */
#ifndef SCOPE_EVIDENCE_HOP_H
#define SCOPE_EVIDENCE_HOP_H

#include "evidence/evidence.h"

/*
 * Of the excess that lies at the node itself, and of a spin's samples there, the library function that most of it
 * was spent below; NULL where most is the program function's own. Of equals the first by name.
 */
const struct scope_function *scope_evidence_hop_find(const struct scope_evidence *evidence, uint32_t node);

#endif
