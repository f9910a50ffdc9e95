// SPDX-License-Identifier: GPL-2.0-only
/* The texts of a summary, each once, by number. */
#include "fleet/texts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"
#include "base/plain.h"

#define SLOTS_MIN 64 /* no rule */

static size_t slot_of(const struct scope_fleet_names *names, const char *text)
{
	size_t at;

	for (at = scope_hash_text(0, text) & (names->slots - 1); names->slot[at]; at = (at + 1) & (names->slots - 1))
		if (!strcmp(names->text[names->slot[at] - 1], text))
			break;
	return at;
}

/* Room for one more. */
static int grow(struct scope_fleet_names *names)
{
	const size_t slots = names->slots ? 2 * names->slots : SLOTS_MIN;

	if (scope_grow(&names->text, &names->capacity, names->count + 1, sizeof(*names->text)))
		return -ENOMEM;
	if (names->slots > 2 * names->count)
		return 0;
	free(names->slot);
	names->slot = calloc(slots, sizeof(*names->slot));
	names->slots = names->slot ? slots : 0;
	for (size_t i = 0; names->slot && i < names->count; i++)
		names->slot[slot_of(names, names->text[i])] = (uint32_t)i + 1;
	return names->slot ? 0 : -ENOMEM;
}

int scope_fleet_names_add(struct scope_fleet_names *names, const char *text, uint32_t *ret_number)
{
	char plain[SCOPE_FLEET_NAME_MAX + 1];
	size_t at;

	*ret_number = 0;
	if (!text || !*text)
		return 0;
	/* Names from a file may not be plain; plain ones stay as they are. */
	if (!scope_plain_put(plain, sizeof(plain), text, strlen(text), SCOPE_PLAIN_SENTENCE))
		return 0;
	if (grow(names))
		return -ENOMEM;
	at = slot_of(names, plain);
	if (!names->slot[at]) {
		names->text[names->count] = strdup(plain);
		if (!names->text[names->count])
			return -ENOMEM;
		names->slot[at] = (uint32_t)++names->count;
	}
	*ret_number = names->slot[at];
	return 0;
}

const char *scope_fleet_names_get(const struct scope_fleet_names *names, uint32_t number)
{
	return number && number <= names->count ? names->text[number - 1] : "";
}

void scope_fleet_names_free(struct scope_fleet_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->text[i]);
	free(names->text);
	free(names->slot);
	*names = (struct scope_fleet_names){ 0 };
}
