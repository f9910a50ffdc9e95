/* SPDX-License-Identifier: GPL-2.0-only */
/* Units of a thread by time. */
#ifndef SCOPE_EVIDENCE_LOOKUP_H
#define SCOPE_EVIDENCE_LOOKUP_H

#include "unit/units.h"

/* Rows of several threads, sorted by thread and then by time. */
struct scope_lookup {
	uint32_t *row; /* units, and earlier parts of their requests */
	size_t *first; /* per thread its first row; one more than threads of them */
	size_t threads;
};

int scope_evidence_lookup_units(const struct scope_units *units, struct scope_lookup *ret_lookup);
void scope_evidence_lookup_free(struct scope_lookup *lookup);

/*
 * The unit of a thread that contains the time, begin and end included, or whose request's earlier part does; UINT32_MAX if none.
 */
uint32_t scope_evidence_lookup_unit_at(const struct scope_lookup *lookup, const struct scope_units *units,
				       uint32_t thread, uint64_t time_ns);

#endif
