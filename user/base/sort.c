// SPDX-License-Identifier: GPL-2.0-only
/* Sorts numbers by their digits. */
#include "base/sort.h"

#include <stdlib.h>

#define FEWER 128    /* no rule: below, comparing is faster than counting digits */
#define MANY 4096    /* no rule: from here on, larger digits are faster */
#define DIGIT_MAX 11 /* bits */

/* One step: sorts by the digit at that place. */
static void sort_by_digit(const struct scope_sort_row *from, struct scope_sort_row *to, size_t count, unsigned shift,
			  unsigned mask)
{
	size_t place[1u << DIGIT_MAX], at = 0;

	memset(place, 0, (mask + 1) * sizeof(*place));
	for (size_t i = 0; i < count; i++)
		place[from[i].key >> shift & mask]++;
	for (unsigned digit = 0; digit <= mask; digit++) {
		const size_t next = at + place[digit];

		place[digit] = at;
		at = next;
	}
	for (size_t i = 0; i < count; i++)
		to[place[from[i].key >> shift & mask]++] = from[i];
}

void scope_sort_rows(struct scope_sort_row *row, struct scope_sort_row *room, size_t count)
{
	const unsigned bits = count < MANY ? 8 : DIGIT_MAX, mask = (1u << bits) - 1;
	struct scope_sort_row *from = row, *to = room, *swap;
	uint64_t differ = 0;

	for (size_t i = 1; i < count; i++)
		differ |= row[i].key ^ row[0].key;
	for (unsigned shift = differ ? (unsigned)__builtin_ctzll(differ) : 64; shift < 64; shift += bits) {
		if (!(differ >> shift & mask))
			continue;
		sort_by_digit(from, to, count, shift, mask);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != row)
		memcpy(row, from, count * sizeof(*row));
}

static int compare_numbers(const void *left, const void *right)
{
	const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static int compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Memory for 2 × count rows; NULL: there are few rows, or there is no memory. */
static struct scope_sort_row *rows_for(size_t count)
{
	return count < FEWER ? NULL : reallocarray(NULL, count, 2 * sizeof(struct scope_sort_row));
}

void scope_sort_numbers(uint64_t *number, size_t count)
{
	struct scope_sort_row *row = rows_for(count);

	if (!row) {
		if (count)
			qsort(number, count, sizeof(*number), compare_numbers);
		return;
	}
	for (size_t i = 0; i < count; i++)
		row[i].key = number[i];
	scope_sort_rows(row, row + count, count);
	for (size_t i = 0; i < count; i++)
		number[i] = row[i].key;
	free(row);
}

void scope_sort_doubles(double *value, size_t count)
{
	struct scope_sort_row *row = rows_for(count);

	if (!row) {
		if (count)
			qsort(value, count, sizeof(*value), compare_doubles);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		row[i].key = scope_sort_key(value[i]);
		memcpy(&row[i].value, &value[i], sizeof(value[i]));
	}
	scope_sort_rows(row, row + count, count);
	for (size_t i = 0; i < count; i++)
		memcpy(&value[i], &row[i].value, sizeof(value[i]));
	free(row);
}
