/* SPDX-License-Identifier: GPL-2.0-only */
/* Names the functions in which the time of edges varies, by the stacks taken inside them. */
#ifndef SCOPE_VARIANCE_EDGE_FUNCTIONS_H
#define SCOPE_VARIANCE_EDGE_FUNCTIONS_H

#include "variance/variance.h"

#define SCOPE_EDGE_STACKS_MAX 20000 /* stacks that are used; of a larger number every n-th */

struct scope_edge_stack {
	struct scope_logged_stack stack;
	uint64_t edge;
	uint32_t kind;
	uint8_t band;	       /* enum scope_band, of its request */
	double ns, shifted_ns; /* ns: 0 for a sample, which represents its period */
};

/* A zeroed struct is empty. */
struct scope_edge_stacks {
	struct scope_edge_stack *stack;
	size_t count, capacity;
	uint64_t number, every; /* number: of all so far; every: each second, fourth … one is kept; 0: all are */
};

/* 0 or -ENOMEM. */
int scope_variance_stacks_add(struct scope_edge_stacks *stacks, const struct scope_edge_stack *stack);
/* Fills in the functions of the kinds. 0 or -errno. */
int scope_variance_stacks_name(const struct scope_edge_stacks *stacks, struct scope_trace *trace,
			       struct scope_symbols *symbols, struct scope_variance_kind *kind, size_t kinds);
void scope_variance_stacks_free(struct scope_edge_stacks *stacks);

#endif
