// SPDX-License-Identifier: GPL-2.0-only
/* The functions that the trace itself names: sorts their rows, and marks those that a report may name as the cause. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/goname.h"
#include "symbol/library.h"
#include "symbol/runtime.h"
#include "symbol/symbol_internal.h"

/* Code made at run time has no file: its functions are identified by their names, in all processes and in snapshots. */
static uint32_t process_of(const struct scope_trace_symbol *row)
{
	return scope_symbol_row_is_made_up(row) ? 0 : row->tgid;
}

/* Orders rows so that those of one function are adjacent. */
static int compare_rows(const void *left, const void *right, void *context)
{
	const struct scope_trace_symbol *rows = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int order;

	if (process_of(&rows[a]) != process_of(&rows[b]))
		return process_of(&rows[a]) < process_of(&rows[b]) ? -1 : 1;
	order = strcmp(rows[a].module, rows[b].module);
	if (!order)
		order = strcmp(rows[a].name, rows[b].name);
	return order ? order : a < b ? -1 : a > b;
}

static bool same_function(const struct scope_trace_symbol *a, const struct scope_trace_symbol *b)
{
	return process_of(a) == process_of(b) && !strcmp(a->module, b->module) && !strcmp(a->name, b->name);
}

static int rows_sort(struct scope_symbols *symbols)
{
	uint32_t *order = calloc(symbols->rows + 1, sizeof(*order));

	symbols->row_first = calloc(symbols->rows + 1, sizeof(*symbols->row_first));
	symbols->row_function = calloc(symbols->rows + 1, sizeof(*symbols->row_function));
	if (!order || !symbols->row_first || !symbols->row_function) {
		free(order);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < symbols->rows; i++)
		order[i] = i;
	qsort_r(order, symbols->rows, sizeof(*order), compare_rows, (struct scope_trace_symbol *)symbols->row);
	for (size_t i = 0; i < symbols->rows; i++) {
		bool again = i && same_function(&symbols->row[order[i - 1]], &symbols->row[order[i]]);

		symbols->row_first[order[i]] = again ? symbols->row_first[order[i - 1]] : order[i];
	}
	free(order);
	return 0;
}

int scope_symbol_rows_add(struct scope_symbols *symbols)
{
	int err = 0;

	for (size_t i = 0; !err && i < symbols->rows; i++) {
		const struct scope_trace_symbol *row = &symbols->row[i];
		struct scope_space *space = scope_symbol_spaces_get(&symbols->spaces, row->tgid);
		uint64_t end = row->start + (row->size ? row->size : 1);

		symbols->rows_go |= scope_symbol_go_name_is_runtime(row->name);
		symbols->rows_interpreted |= scope_symbol_row_is_made_up(row) && scope_symbol_runtime_names(row->name);
		symbols->rows_made |= row->start >= SCOPE_INTERPRETED_ON_STACKS && scope_symbol_row_is_made_up(row);
		if (!space)
			return -ENOMEM;
		/*
		 * A runtime reuses the memory of code that is no longer needed for new code, so the later row is valid.
		 */
		space->symbols.replaced |= scope_symbol_row_is_made_up(row);
		err = scope_symbol_ranges_add(&space->symbols, row->start, end, i);
	}
	for (size_t i = 0; i < symbols->spaces.spaces; i++)
		scope_symbol_ranges_sort(&symbols->spaces.space[i]->symbols);
	return err ? err : rows_sort(symbols);
}

bool scope_symbol_row_is_language(const struct scope_symbols *symbols, const struct scope_trace_symbol *row)
{
	return !row->library && (scope_symbol_library_runtime(row->name) ||
				 (symbols->rows_go && scope_symbol_go_name_is_library(row->name)) ||
				 (symbols->rows_interpreted && !symbols->spaces.options.interpreter &&
				  scope_symbol_runtime_interprets(row->module)));
}

bool scope_symbol_row_is_library(const struct scope_symbols *symbols, const struct scope_trace_symbol *row)
{
	return row->library || scope_symbol_row_is_language(symbols, row);
}

bool scope_symbol_row_is_made_up(const struct scope_trace_symbol *row)
{
	return !strcmp(row->module, SCOPE_TRACE_JIT_MODULE);
}
