/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers names: 0, 1, 2 … in the order in which they were first met. */
#ifndef SCOPE_INTERPRETER_NAME_TABLE_H
#define SCOPE_INTERPRETER_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define SCOPE_NAME_TABLE_MAX 200000u /* functions with different names of one capture */
#define SCOPE_NAME_TABLE_NONE UINT32_MAX

/* Zeroed is empty and valid. */
struct scope_name_table {
	char **name; /* by number */
	size_t names, capacity;
	uint32_t *bucket; /* number + 1 of a name by its hash */
};

/* The name's number; SCOPE_NAME_TABLE_NONE: the name is new, and there is no memory or there are too many names. */
uint32_t scope_interpreter_name_table_get(struct scope_name_table *table, const char *name);
void scope_interpreter_name_table_free(struct scope_name_table *table);

#endif
