/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorts numbers by their digits (a radix sort of bytes, from the lowest on). The time is proportional to how many
 * numbers there are, and no function is called to compare two of them. A digit that all numbers have in common takes no
 * time.
 */
#ifndef SCOPE_BASE_SORT_H
#define SCOPE_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct scope_sort_row {
	uint64_t key, value;
};

/* Makes a key of a double: keys have the same order as the doubles, if none is NaN. -0 is before 0. */
static inline uint64_t scope_sort_key(double value)
{
	const uint64_t sign = 1ull << 63;
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits & sign ? ~bits : bits | sign;
}

/*
 * Sorts by key; rows with the same key stay in their order. room: memory for the same number of rows, which is
 * overwritten.
 */
void scope_sort_rows(struct scope_sort_row *row, struct scope_sort_row *room, size_t count);

void scope_sort_numbers(uint64_t *number, size_t count);
void scope_sort_doubles(double *value, size_t count); /* none is NaN */

#endif
