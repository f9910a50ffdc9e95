// SPDX-License-Identifier: GPL-2.0-only
/* A square matrix of distances between clusters, of which only whole rows are read. */
#include "cluster/matrix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/linkage.h"

#define WIDTH_MIN 256 /* no rule: smaller matrices are not made smaller */
#define GONE UINT8_MAX

int scope_cluster_matrix_init(struct scope_rows *rows, uint8_t *values, uint32_t m)
{
	*rows = (struct scope_rows){
		.values = values,
		.stride = scope_cluster_linkage_stride(m),
		.width = m,
		.live = m,
		.row = calloc(m, sizeof(*rows->row)),
		.row_of = calloc(m, sizeof(*rows->row_of)),
		.log = calloc(m, sizeof(*rows->log)),
	};
	if (!rows->row || !rows->row_of || !rows->log)
		return -ENOMEM;
	for (uint32_t i = 0; i < m; i++) {
		uint8_t *row = scope_cluster_rows_at(rows, i);

		row[i] = GONE;
		memset(row + m, GONE, rows->stride - m);
		rows->row[i] = (struct scope_row){ i, 0, SCOPE_ROWS_NEVER };
		rows->row_of[i] = i;
	}
	return 0;
}

void scope_cluster_matrix_free(struct scope_rows *rows)
{
	free(rows->log);
	free(rows->row_of);
	free(rows->row);
}

/*
 * A row that was made by a join includes all joins before. The value in another cluster's row for this one is valid if
 * that row was made later than this one.
 */
void scope_cluster_matrix_catch_up(struct scope_rows *rows, uint32_t row)
{
	uint8_t *values = scope_cluster_rows_at(rows, row);

	for (uint32_t k = rows->row[row].caught_up; k < rows->joins; k++) {
		const struct scope_cluster_matrix_join *join = &rows->log[k];

		values[join->gone] = GONE;
		if (rows->row[join->kept].made == k)
			values[join->kept] = scope_cluster_rows_at(rows, join->kept)[row];
	}
	rows->row[row].caught_up = rows->joins;
}

void scope_cluster_matrix_join(struct scope_rows *rows, uint32_t kept, uint32_t gone)
{
	rows->log[rows->joins] = (struct scope_cluster_matrix_join){ kept, gone };
	rows->row[kept].made = rows->joins++;
	rows->row[kept].caught_up = rows->joins;
	rows->row[gone].slot = SCOPE_ROWS_NEVER;
	rows->live--;
}

bool scope_cluster_matrix_sparse(const struct scope_rows *rows)
{
	return rows->live <= rows->width / 2 && rows->width > WIDTH_MIN;
}

/* Works in place, because no value moves down or to the right. */
void scope_cluster_matrix_shrink(struct scope_rows *rows)
{
	const size_t stride = scope_cluster_linkage_stride(rows->live);
	uint32_t *left = rows->row_of; /* during this function: the old rows that stay */
	uint8_t *to = rows->values;
	uint32_t count = 0;

	for (uint32_t i = 0; i < rows->width; i++)
		if (rows->row[i].slot != SCOPE_ROWS_NEVER)
			left[count++] = i;
	for (uint32_t i = 0; i < count; i++)
		scope_cluster_matrix_catch_up(rows, left[i]);
	for (uint32_t i = 0; i < count; i++, to += stride) {
		const uint8_t *from = scope_cluster_rows_at(rows, left[i]);

		for (uint32_t j = 0; j < count; j++)
			to[j] = from[left[j]];
		memset(to + count, GONE, stride - count);
		rows->row[i] = (struct scope_row){ rows->row[left[i]].slot, 0, SCOPE_ROWS_NEVER };
	}
	for (uint32_t i = 0; i < count; i++)
		rows->row_of[rows->row[i].slot] = i;
	rows->stride = stride;
	rows->width = count;
	rows->joins = 0;
}
