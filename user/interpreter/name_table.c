// SPDX-License-Identifier: GPL-2.0-only
/* A table of names that only grows, with linear probing. */
#include "interpreter/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/hash.h"

#define BUCKETS (1u << 18) /* more than SCOPE_NAME_TABLE_MAX */

uint32_t scope_interpreter_name_table_get(struct scope_name_table *table, const char *name)
{
	uint32_t at = scope_hash_text(0, name) % BUCKETS;

	if (!table->bucket)
		table->bucket = calloc(BUCKETS, sizeof(*table->bucket));
	if (!table->bucket)
		return SCOPE_NAME_TABLE_NONE;
	for (; table->bucket[at]; at = (at + 1) % BUCKETS)
		if (!strcmp(table->name[table->bucket[at] - 1], name))
			return table->bucket[at] - 1;
	if (table->names == SCOPE_NAME_TABLE_MAX ||
	    scope_grow(&table->name, &table->capacity, table->names + 1, sizeof(*table->name)))
		return SCOPE_NAME_TABLE_NONE;
	table->name[table->names] = strdup(name);
	if (!table->name[table->names])
		return SCOPE_NAME_TABLE_NONE;
	table->bucket[at] = (uint32_t)++table->names;
	return (uint32_t)table->names - 1;
}

void scope_interpreter_name_table_free(struct scope_name_table *table)
{
	for (size_t i = 0; i < table->names; i++)
		free(table->name[i]);
	free(table->name);
	free(table->bucket);
	*table = (struct scope_name_table){ 0 };
}
