/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the library function in which a program function of a path spends its time. */
#ifndef SCOPE_EVIDENCE_HOP_H
#define SCOPE_EVIDENCE_HOP_H

#include "evidence/evidence.h"

/*
 * The library function below which most of the node's own excess, or most of a spin's samples
 * there, was spent; NULL if most is the program function's own. Of equals the first by name.
 */
const struct scope_function *scope_evidence_hop_find(const struct scope_evidence *evidence, uint32_t node);

#endif
