/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the kernel functions in which the excess of a program function was spent. */
#ifndef SCOPE_EVIDENCE_INSIDE_H
#define SCOPE_EVIDENCE_INSIDE_H

#include "evidence/evidence.h"

struct scope_inside {
	const struct scope_function *function; /* of the kernel */
	double share;			       /* of the program function's running excess; of a spin: of its samples */
};

/*
 * Uses abnormal samples that are attributed to function and have a kernel address: at most max
 * rows, the largest first, of equals by name. 0, -ENOMEM.
 */
int scope_evidence_inside_find(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
			       const struct scope_function *function, struct scope_inside *ret_row, size_t max,
			       size_t *ret_count);

#endif
