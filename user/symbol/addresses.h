/* SPDX-License-Identifier: GPL-2.0-only */
/* A growing table from an address to a pointer. */
#ifndef SCOPE_SYMBOL_ADDRESSES_H
#define SCOPE_SYMBOL_ADDRESSES_H

#include <stddef.h>
#include <stdint.h>

struct scope_address_slot {
	uint64_t key;
	void *value; /* NULL: free */
};

/* Zeroed is empty and valid. */
struct scope_addresses {
	struct scope_address_slot *slot;
	size_t count, size; /* size is 0 or a power of two */
};

/* NULL if the key was never put. */
void *scope_symbol_addresses_get(const struct scope_addresses *addresses, uint64_t key);

/* Puts a key that is not there yet. The value is not NULL. 0 or -ENOMEM. */
int scope_symbol_addresses_put(struct scope_addresses *addresses, uint64_t key, void *value);

/* Frees the table, and each value where free_value is not NULL. */
void scope_symbol_addresses_free(struct scope_addresses *addresses, void (*free_value)(void *value));

#endif
