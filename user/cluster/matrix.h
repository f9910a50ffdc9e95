/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A square matrix of distances between clusters, of which only whole rows are read. Only for
 * complete linkage.
 *
 * A merge changes a row and a column. Writing the column would touch a cache line for each cluster, twice as often as
 * all other work together. So only the row is written, and merges are kept in a log. Before a row is read it is updated
 * from the log: one value is taken from the row of each cluster that was merged since, and none if that cluster was
 * merged again. Rows are searched from left to right, many values with one instruction. When half of the clusters are
 * removed, the matrix is made smaller by this.
 */
#ifndef SCOPE_CLUSTER_MATRIX_H
#define SCOPE_CLUSTER_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_ROWS_NEVER UINT32_MAX

/* A cluster in the matrix. Its index is that of its row and column. */
struct scope_row {
	uint32_t slot;	    /* see chain.h; SCOPE_ROWS_NEVER: the cluster is removed */
	uint32_t caught_up; /* number of joins of the log that it includes */
	uint32_t made;	    /* the join that made it, or SCOPE_ROWS_NEVER */
};

struct scope_rows {
	uint8_t *values; /* the caller's; all bits set: removed, or the row's own place */
	size_t stride;	 /* values from one row to the next */
	struct scope_row *row;
	uint32_t *row_of;     /* by slot */
	uint32_t width, live; /* rows, and those that are not removed */
	struct scope_cluster_matrix_join {
		uint32_t kept, gone;
	} * log;
	uint32_t joins;
};

/*
 * m >= 1 rows of scope_cluster_linkage_stride(m) values; sets the values on the diagonal and after column m. -ENOMEM.
 * Free it in either case.
 */
int scope_cluster_matrix_init(struct scope_rows *rows, uint8_t *values, uint32_t m);
void scope_cluster_matrix_free(struct scope_rows *rows);

static inline uint8_t *scope_cluster_rows_at(const struct scope_rows *rows, uint32_t row)
{
	return rows->values + row * rows->stride;
}

/* Call it before a row is read. */
void scope_cluster_matrix_catch_up(struct scope_rows *rows, uint32_t row);

/* Row `gone` was merged into row `kept`, which holds the merged values; both were up to date. */
void scope_cluster_matrix_join(struct scope_rows *rows, uint32_t kept, uint32_t gone);

/* True if enough are removed to make the matrix smaller. */
bool scope_cluster_matrix_sparse(const struct scope_rows *rows);

/* Drops removed clusters; the order stays. */
void scope_cluster_matrix_shrink(struct scope_rows *rows);

#endif
