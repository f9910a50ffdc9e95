// SPDX-License-Identifier: GPL-2.0-only
/* Matches functions of two traces by name, for a program that was built again or moved. */
#include "symbol/namesake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct scope_namesakes {
	const struct scope_function **function; /* by symbol, then module, then id */
	size_t count;
};

static int compare(const struct scope_function *a, const struct scope_function *b)
{
	int order = strcmp(a->symbol, b->symbol);

	return order ? order : strcmp(a->module, b->module);
}

static int compare_rows(const void *left, const void *right)
{
	const struct scope_function *a = *(const struct scope_function *const *)left;
	const struct scope_function *b = *(const struct scope_function *const *)right;
	int order = compare(a, b);

	return order ? order : (a->id > b->id) - (a->id < b->id);
}

int scope_symbol_namesakes_create(const struct scope_symbols *symbols, struct scope_namesakes **ret_namesakes)
{
	struct scope_namesakes *namesakes = calloc(1, sizeof(*namesakes));
	size_t functions = scope_symbols_functions(symbols);

	if (!namesakes)
		return -ENOMEM;
	namesakes->function = calloc(functions + 1, sizeof(*namesakes->function));
	if (!namesakes->function) {
		free(namesakes);
		return -ENOMEM;
	}
	for (size_t i = 0; i < functions; i++) {
		const struct scope_function *function = scope_symbols_function(symbols, i);

		if (function)
			namesakes->function[namesakes->count++] = function;
	}
	if (namesakes->count)
		qsort(namesakes->function, namesakes->count, sizeof(*namesakes->function), compare_rows);
	*ret_namesakes = namesakes;
	return 0;
}

void scope_symbol_namesakes_destroy(struct scope_namesakes *namesakes)
{
	if (!namesakes)
		return;
	free(namesakes->function);
	free(namesakes);
}

const struct scope_function *scope_symbol_namesakes_find(const struct scope_namesakes *namesakes,
							 const struct scope_function *function)
{
	size_t low = 0, high = namesakes->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare(namesakes->function[middle], function) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < namesakes->count && !compare(namesakes->function[low], function))
		return namesakes->function[low];
	return function;
}
