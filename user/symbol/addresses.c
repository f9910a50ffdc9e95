// SPDX-License-Identifier: GPL-2.0-only
/* A growing table from an address to a pointer: open addressing, at most half full. */
#include "symbol/addresses.h"

#include <errno.h>
#include <stdlib.h>

/* Multiplication by 2^64 / golden ratio (Knuth, volume 3, section 6.4). */
static size_t slot_of(const struct scope_addresses *addresses, uint64_t key)
{
	size_t mask = addresses->size - 1;
	size_t at = (key * 0x9e3779b97f4a7c15ull) >> 32 & mask;

	while (addresses->slot[at].value && addresses->slot[at].key != key)
		at = (at + 1) & mask;
	return at;
}

void *scope_symbol_addresses_get(const struct scope_addresses *addresses, uint64_t key)
{
	return addresses->size ? addresses->slot[slot_of(addresses, key)].value : NULL;
}

static int grow(struct scope_addresses *addresses)
{
	struct scope_addresses grown = { .size = addresses->size ? 2 * addresses->size : 256 };

	grown.slot = calloc(grown.size, sizeof(*grown.slot));
	if (!grown.slot)
		return -ENOMEM;
	for (size_t i = 0; i < addresses->size; i++) {
		if (addresses->slot[i].value)
			grown.slot[slot_of(&grown, addresses->slot[i].key)] = addresses->slot[i];
	}
	grown.count = addresses->count;
	free(addresses->slot);
	*addresses = grown;
	return 0;
}

int scope_symbol_addresses_put(struct scope_addresses *addresses, uint64_t key, void *value)
{
	int err = 0;

	if (2 * addresses->count >= addresses->size)
		err = grow(addresses);
	if (err)
		return err;
	addresses->slot[slot_of(addresses, key)] = (struct scope_address_slot){ key, value };
	addresses->count++;
	return 0;
}

void scope_symbol_addresses_free(struct scope_addresses *addresses, void (*free_value)(void *value))
{
	for (size_t i = 0; free_value && i < addresses->size; i++) {
		if (addresses->slot[i].value)
			free_value(addresses->slot[i].value);
	}
	free(addresses->slot);
	*addresses = (struct scope_addresses){ 0 };
}
