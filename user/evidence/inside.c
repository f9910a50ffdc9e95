// SPDX-License-Identifier: GPL-2.0-only
/* Adds up the samples of a function by the kernel function that they hit. */
#include "evidence/inside.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct rows {
	struct scope_inside *row;
	size_t count, capacity;
};

static int add(struct rows *rows, const struct scope_function *function, double weight)
{
	size_t at = 0;

	while (at < rows->count && rows->row[at].function != function)
		at++;
	if (at == rows->count) {
		if (scope_grow(&rows->row, &rows->capacity, at + 1, sizeof(*rows->row)))
			return -ENOMEM;
		rows->row[rows->count++] = (struct scope_inside){ .function = function };
	}
	rows->row[at].share += weight;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct scope_inside *a = left, *b = right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	return strcmp(a->function->name, b->function->name);
}

int scope_evidence_inside_find(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
			       const struct scope_function *function, struct scope_inside *ret_row, size_t max,
			       size_t *ret_count)
{
	struct rows rows = { NULL, 0, 0 };
	double all = 0;
	int err = 0;

	for (size_t i = 0; i < evidence->items && !err; i++) {
		const struct scope_item *item = &evidence->item[i];
		const bool spin = item->kind == SCOPE_ITEM_SPIN;
		const double weight = spin ? item->weight_ns : item->excess_ns;

		if ((!spin && item->kind != SCOPE_ITEM_RUN) || !item->abnormal ||
		    attribution->owner[item->node].function != function)
			continue;
		all += weight;
		if (item->inside)
			err = add(&rows, item->inside, weight);
	}
	if (rows.count && !err)
		qsort(rows.row, rows.count, sizeof(*rows.row), compare);
	for (*ret_count = 0; *ret_count < rows.count && *ret_count < max && !err; ++*ret_count) {
		ret_row[*ret_count] = rows.row[*ret_count];
		ret_row[*ret_count].share /= all;
	}
	free(rows.row);
	return err;
}
