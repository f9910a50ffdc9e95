/* SPDX-License-Identifier: GPL-2.0-only */
/* Ranges of addresses that may nest, found by an address inside them. */
#ifndef SCOPE_SYMBOL_RANGE_H
#define SCOPE_SYMBOL_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scope_range {
	uint64_t start, end; /* end is the first address after it */
	uint64_t max_end;    /* the largest end of this range and all before it */
	uint32_t value;
};

/* Zeroed is empty and valid. */
struct scope_ranges {
	struct scope_range *range;
	size_t count, capacity;
	bool replaced; /* later ranges replace earlier ones: see scope_symbol_ranges_find() */
};

/* 0 or -ENOMEM. An empty range is dropped. Find needs a sort after the last add. */
int scope_symbol_ranges_add(struct scope_ranges *ranges, uint64_t start, uint64_t end, uint32_t value);
void scope_symbol_ranges_sort(struct scope_ranges *ranges);
void scope_symbol_ranges_free(struct scope_ranges *ranges);

/*
 * The range that contains the address and starts last; of several with one start the shortest; of equal ranges that
 * with the greatest value. If `replaced` is set: of all ranges that contain the address, that with the greatest value.
 * NULL: no range contains it. Valid until the next add.
 */
const struct scope_range *scope_symbol_ranges_find(const struct scope_ranges *ranges, uint64_t address);

#endif
