/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges of addresses that may nest, found by an address inside them. */
#ifndef SCOPE_SYMBOL_RANGE_H
#define SCOPE_SYMBOL_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scope_range {
	uint64_t start, end; /* end is the first address after it */
	uint64_t max_end;    /* of this and all ranges before it in order */
	uint32_t value;
};

/* Zeroed is empty and valid. */
struct scope_ranges {
	struct scope_range *range;
	size_t count, capacity;
	bool replaced; /* ranges take the place of others: see scope_symbol_ranges_find() */
};

/* 0 or -ENOMEM. An empty range is dropped. Find needs a sort after the last add. */
int scope_symbol_ranges_add(struct scope_ranges *ranges, uint64_t start, uint64_t end, uint32_t value);
void scope_symbol_ranges_sort(struct scope_ranges *ranges);
void scope_symbol_ranges_free(struct scope_ranges *ranges);

/*
 * The range that holds the address and starts last; of several with one start the shortest, of
 * equal ones that with the greatest value. If ranges are replaced, that with the greatest value of
 * all that hold it. NULL: none holds it. Valid until the next add.
 */
const struct scope_range *scope_symbol_ranges_find(const struct scope_ranges *ranges, uint64_t address);

#endif
