/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers different pairs of values in the order in which they are added: 0, 1, 2, …, up to a limit. */
#ifndef SCOPE_WAITS_PAIR_TABLE_H
#define SCOPE_WAITS_PAIR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_PAIR_NONE UINT32_MAX /* no rule */

struct scope_pair {
	uint64_t a, b;
};

/* A zeroed struct with most set is empty. */
struct scope_pair_table {
	struct scope_pair *pair; /* by number */
	uint32_t count, capacity;
	uint32_t most;	/* pairs that are kept */
	uint32_t *slot; /* open addressing, a power of two, half full at most; SCOPE_PAIR_NONE: empty */
	uint32_t slots;
};

void scope_waits_pairs_free(struct scope_pair_table *table);
/* The number of a pair; SCOPE_PAIR_NONE: it is not in the table. */
uint32_t scope_waits_pairs_find(const struct scope_pair_table *table, uint64_t a, uint64_t b);
/* Also adds a pair that is not in the table, if there is room (else SCOPE_PAIR_NONE). 0 or -ENOMEM. */
int scope_waits_pairs_add(struct scope_pair_table *table, uint64_t a, uint64_t b, uint32_t *ret_number);

#endif
