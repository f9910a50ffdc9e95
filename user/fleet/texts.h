/* SPDX-License-Identifier: GPL-2.0-only */
/* The texts of a summary, each once, by number. Number 0 is "". */
#ifndef SCOPE_FLEET_TEXTS_H
#define SCOPE_FLEET_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_FLEET_NAME_MAX 511 /* no rule: bytes of a text; the rest of a longer one is left out */

struct scope_fleet_names {
	char **text;
	size_t count, capacity;
	uint32_t *slot; /* open addressing by text, a power of two, half full at most; 0: empty, else its number */
	size_t slots;
};

/* The number of a text, which is copied if it is new. NULL is "". 0 or -ENOMEM. */
int scope_fleet_names_add(struct scope_fleet_names *names, const char *text, uint32_t *ret_number);
/* The text of a number; "" for 0 and for an unknown number. */
const char *scope_fleet_names_get(const struct scope_fleet_names *names, uint32_t number);
void scope_fleet_names_free(struct scope_fleet_names *names);

#endif
