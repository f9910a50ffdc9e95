// SPDX-License-Identifier: GPL-2.0-only
/* Numbers different pairs of values in the order in which they are added: 0, 1, 2, …, up to a limit. */
#include "waits/pair_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST 64 /* no rule: a power of two */

void scope_waits_pairs_free(struct scope_pair_table *table)
{
	free(table->pair);
	free(table->slot);
	*table = (struct scope_pair_table){ .most = table->most };
}

/* The slot of the pair, or the empty one where it belongs. */
static uint32_t slot_of(const struct scope_pair_table *table, uint64_t a, uint64_t b)
{
	const uint64_t mixed =
		(a ^ b * 0x9e3779b97f4a7c15u) *
		0xff51afd7ed558ccdu; /* multiplied by odd numbers, after which the high bits are mixed best */
	uint32_t at = (uint32_t)(mixed >> 32) & (table->slots - 1);

	while (table->slot[at] != SCOPE_PAIR_NONE &&
	       (table->pair[table->slot[at]].a != a || table->pair[table->slot[at]].b != b))
		at = (at + 1) & (table->slots - 1);
	return at;
}

uint32_t scope_waits_pairs_find(const struct scope_pair_table *table, uint64_t a, uint64_t b)
{
	return table->slots ? table->slot[slot_of(table, a, b)] : SCOPE_PAIR_NONE;
}

/* Twice the room. */
static int grow(struct scope_pair_table *table)
{
	const uint32_t capacity = table->capacity ? 2 * table->capacity : FIRST;
	struct scope_pair *pair = reallocarray(table->pair, capacity, sizeof(*pair));
	uint32_t *slot;

	if (!pair)
		return -ENOMEM;
	table->pair = pair;
	slot = malloc(2 * capacity * sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(table->slot);
	memset(slot, 0xff, 2 * capacity * sizeof(*slot));
	table->slot = slot;
	table->slots = 2 * capacity;
	table->capacity = capacity;
	for (uint32_t i = 0; i < table->count; i++)
		slot[slot_of(table, pair[i].a, pair[i].b)] = i;
	return 0;
}

int scope_waits_pairs_add(struct scope_pair_table *table, uint64_t a, uint64_t b, uint32_t *ret_number)
{
	uint32_t number = scope_waits_pairs_find(table, a, b);

	if (number == SCOPE_PAIR_NONE && table->count < table->most) {
		if (table->count == table->capacity && grow(table))
			return -ENOMEM;
		number = table->count++;
		table->pair[number] = (struct scope_pair){ a, b };
		table->slot[slot_of(table, a, b)] = number;
	}
	*ret_number = number;
	return 0;
}
