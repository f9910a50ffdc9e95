// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the function to probe next. */
#include "explore/search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for an answer about each function. 0 or -ENOMEM. */
static int prepare(struct scope_search *search)
{
	const size_t count = search->paths->functions;
	uint8_t *answer;

	if (search->answers >= count)
		return 0;
	answer = realloc(search->answer, count);
	if (!answer)
		return -ENOMEM;
	memset(answer + search->answers, SCOPE_SEARCH_NOT_ASKED, count - search->answers);
	search->answer = answer;
	search->answers = count;
	return 0;
}

/* The place after the last function of `inside`; -1: the path does not match. */
static int match(const struct scope_search *search, const struct scope_call_path *path)
{
	unsigned found = 0, i;

	for (i = 0; i < path->depth && found < search->insides; i++)
		found += path->function[i] == search->inside[found];
	return found == search->insides ? (int)i : -1;
}

static bool is_out(enum scope_search_answer answer)
{
	return answer == SCOPE_SEARCH_NOT || answer == SCOPE_SEARCH_EARLIER || answer == SCOPE_SEARCH_LATER;
}

/* Lists the places of the candidates on a path. */
static unsigned list(const struct scope_search *search, const struct scope_call_path *path,
		     unsigned candidate[SCOPE_CALL_PATH_DEPTH])
{
	const int begin = match(search, path);
	unsigned count = 0;

	if (begin < 0)
		return 0;
	for (unsigned i = (unsigned)begin; i < path->depth; i++) {
		const struct scope_call_function *function = &search->paths->function[path->function[i]];
		const enum scope_search_answer answer = search->answer[path->function[i]];

		if (is_out(answer))
			break;
		/* A function that encloses requests can only be outside of all candidates. */
		if (answer == SCOPE_SEARCH_ENCLOSES)
			count = 0;
		else if (answer == SCOPE_SEARCH_NOT_ASKED && !function->library && function->known &&
			 count < SCOPE_CALL_PATH_DEPTH)
			candidate[count++] = i;
	}
	return count;
}

static int next_flat(const struct scope_search *search, uint32_t *ret_function)
{
	unsigned candidate[SCOPE_CALL_PATH_DEPTH];

	for (size_t i = 0; i < search->paths->paths; i++) {
		const struct scope_call_path *path = &search->paths->path[i];
		const unsigned count = list(search, path, candidate);

		if (!count)
			continue;
		*ret_function = path->function[candidate[count / 2]];
		return 0;
	}
	return -ENOENT;
}

struct child {
	uint32_t function;
	uint64_t order;
};

static int by_order(const void *left, const void *right)
{
	const struct child *a = left, *b = right;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The order of a call in its caller, which is that of its return address. */
static uint64_t order_of(const struct scope_call_function *function)
{
	return function->sites ? function->site[0].address : 0;
}

/*
 * Chooses among the functions that come next on matching paths. 0; -ENOENT: there is none within the limits; -ENOMEM.
 */
static int next_child(const struct scope_search *search, uint32_t *ret_function)
{
	unsigned candidate[SCOPE_CALL_PATH_DEPTH];
	struct child *child = calloc(search->paths->functions + 1, sizeof(*child));
	size_t children = 0, at;

	if (!child)
		return -ENOMEM;
	for (size_t i = 0; i < search->paths->paths; i++) {
		const struct scope_call_path *path = &search->paths->path[i];
		uint32_t function;
		uint64_t order;

		if (!list(search, path, candidate))
			continue;
		function = path->function[candidate[0]];
		order = order_of(&search->paths->function[function]);
		if (order && ((search->after && order <= search->after) || (search->until && order >= search->until)))
			continue;
		for (at = 0; at < children && child[at].function != function; at++)
			;
		if (at == children)
			child[children++] = (struct child){ function, order };
	}
	if (children) {
		qsort(child, children, sizeof(*child), by_order);
		*ret_function = child[children / 2].function;
	}
	free(child);
	return children ? 0 : -ENOENT;
}

int scope_explore_search_next(struct scope_search *search, uint32_t *ret_function)
{
	int err = prepare(search);

	if (err)
		return err;
	if (search->mode == SCOPE_SEARCH_FLAT)
		return next_flat(search, ret_function);
	err = next_child(search, ret_function);
	if (err != -ENOENT || (!search->after && !search->until))
		return err;
	/* The share was before or after a call, but an edge may occur more than once in a request. */
	search->after = search->until = 0;
	return next_child(search, ret_function);
}

void scope_explore_search_take(struct scope_search *search, uint32_t function, enum scope_search_answer answer)
{
	const uint64_t order = order_of(&search->paths->function[function]);

	if (prepare(search))
		return;
	search->answer[function] = (uint8_t)answer;
	if (answer == SCOPE_SEARCH_HOLDS && search->insides < SCOPE_CALL_PATH_DEPTH) {
		search->inside[search->insides++] = function;
		search->after = search->until = 0;
	}
	if (answer == SCOPE_SEARCH_EARLIER)
		search->until = order;
	if (answer == SCOPE_SEARCH_LATER)
		search->after = order;
}

void scope_explore_search_free(struct scope_search *search)
{
	free(search->answer);
	*search = (struct scope_search){ 0 };
}
