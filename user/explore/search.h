/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chooses the function to probe next, so that the function whose calls hold a share is found with few probes.
 *
 * `inside` has the functions whose calls are known to hold the share, each called from the one before. A call path
 * matches if it has these in this order, with any other functions between (VAIF's `.*A.*B.*C.*`). Its candidates are
 * the functions after the last of `inside`, up to the first whose calls are known not to hold the share.
 *
 *   flat          the middle candidate of the heaviest path that matches: a binary search over its depth
 *   hierarchical  of the functions that matching paths have next after `inside`, the middle one in the order in which
 *                 they are called: a binary search over the callees of one function, then of the next
 */
#ifndef SCOPE_EXPLORE_SEARCH_H
#define SCOPE_EXPLORE_SEARCH_H

#include "explore/call_paths.h"

enum scope_search_mode {
	SCOPE_SEARCH_FLAT,
	SCOPE_SEARCH_HIERARCHICAL,
};

enum scope_search_answer {
	SCOPE_SEARCH_NOT_ASKED,
	SCOPE_SEARCH_HOLDS,    /* most of the share is in its calls */
	SCOPE_SEARCH_NOT,      /* it is not */
	SCOPE_SEARCH_EARLIER,  /* most of the share is not in its calls, but before them … */
	SCOPE_SEARCH_LATER,    /* … or after them */
	SCOPE_SEARCH_ENCLOSES, /* requests do not call it: they are served inside one call of it */
	SCOPE_SEARCH_NO_PLACE, /* it cannot be probed */
};

/* A zeroed struct with paths and mode set is a search at its begin. */
struct scope_search {
	const struct scope_call_paths *paths; /* borrowed */
	enum scope_search_mode mode;
	uint8_t *answer; /* enum scope_search_answer, by function */
	size_t answers;
	uint32_t inside[SCOPE_CALL_PATH_DEPTH];
	unsigned insides;
	uint64_t after, until; /* hierarchical: return addresses in the innermost of inside, exclusive; 0: no limit */
};

/* 0; -ENOENT: no candidate is left; -ENOMEM. */
int scope_explore_search_next(struct scope_search *search, uint32_t *ret_function);
/* Takes the result of a round with that function's probes, or the reason why there was no round. */
void scope_explore_search_take(struct scope_search *search, uint32_t function, enum scope_search_answer answer);
void scope_explore_search_free(struct scope_search *search);

#endif
