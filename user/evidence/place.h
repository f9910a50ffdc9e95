/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the source lines at which a function spent its excess. */
#ifndef SCOPE_EVIDENCE_PLACE_H
#define SCOPE_EVIDENCE_PLACE_H

#include "evidence/evidence.h"
#include "symbol/line.h"
#include "symbol/source_loop.h"

#define SCOPE_PLACE_LINES 4
#define SCOPE_PLACE_OF_ITEMS UINT32_MAX

struct scope_places_row {
	struct scope_source_line line[SCOPE_PLACE_LINES]; /* innermost first, then where it was inlined */
	unsigned int lines;
	double share;		      /* of the function's excess */
	struct scope_code_address at; /* the most frequent address there */
};

/*
 * The innermost of a row's lines that is the program's own, not in a header of a compiler or a library (as read() is, which
 * the C library checks in its header); the innermost of all if none is. NULL: the row has no lines.
 */
const struct scope_source_line *scope_evidence_place_line(const struct scope_places_row *row);

/*
 * The loop that has the most frequent address of the line with the largest share, or of the function if no line is
 * known.
 */
struct scope_places_loop {
	struct scope_source_loop lines; /* file NULL: no loop is known */
	double share;			/* of the function's excess, in the loop */
};

/*
 * The source lines of function, or of its calls, in the stacks it is named for; or in that of
 * something that hangs: stopped_frames as in struct scope_stopped_stack, or SCOPE_PLACE_OF_ITEMS. The largest share first, ties by file and line.
 * Writes at most max rows, none if debug information is missing. *ret_cut: the share of excess
 * whose stacks do not reach the start of their thread. ret_loop may be NULL. 0, -ENOMEM.
 */
int scope_evidence_places_find(const struct scope_evidence *evidence, const struct scope_attribution *attribution,
			       struct scope_symbols *symbols, const struct scope_function *function,
			       uint32_t stopped_frames, struct scope_places_row *ret_row, size_t max, size_t *ret_count,
			       double *ret_cut, struct scope_places_loop *ret_loop);

#endif
