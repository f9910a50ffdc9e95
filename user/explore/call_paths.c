// SPDX-License-Identifier: GPL-2.0-only
/* The table of functions and the call paths through them. */
#include "explore/call_paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct scope_call_function *scope_explore_call_paths_function(struct scope_call_paths *paths, const char *name,
							      const char *module)
{
	struct scope_call_function *one;

	if (scope_grow(&paths->function, &paths->function_capacity, paths->functions + 1, sizeof(*paths->function)))
		return NULL;
	one = &paths->function[paths->functions++];
	*one = (struct scope_call_function){ 0 };
	snprintf(one->name, sizeof(one->name), "%s", name);
	snprintf(one->module, sizeof(one->module), "%s", module);
	return one;
}

static bool is_path(const struct scope_call_path *path, const uint32_t *function, unsigned depth)
{
	return path->depth == depth && !memcmp(path->function, function, depth * sizeof(*function));
}

int scope_explore_call_paths_put(struct scope_call_paths *paths, const uint32_t *function, unsigned depth,
				 double weight_ns)
{
	struct scope_call_path *path = NULL;

	for (size_t i = 0; i < paths->paths && !path; i++)
		if (is_path(&paths->path[i], function, depth))
			path = &paths->path[i];
	if (!path) {
		if (scope_grow(&paths->path, &paths->path_capacity, paths->paths + 1, sizeof(*paths->path)))
			return -ENOMEM;
		path = &paths->path[paths->paths];
		*path = (struct scope_call_path){ .function = malloc((depth + 1) * sizeof(*function)), .depth = depth };
		if (!path->function)
			return -ENOMEM;
		memcpy(path->function, function, depth * sizeof(*function));
		paths->paths++;
	}
	path->weight_ns += weight_ns;
	path->stacks++;
	for (unsigned i = 0; i < depth; i++) {
		bool again = false;

		for (unsigned j = 0; j < i; j++)
			again |= function[j] == function[i];
		if (!again)
			paths->function[function[i]].stacks_ns += weight_ns;
	}
	return 0;
}

static int by_weight(const void *left, const void *right)
{
	const struct scope_call_path *a = left, *b = right;

	if (a->weight_ns != b->weight_ns)
		return a->weight_ns > b->weight_ns ? -1 : 1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? -1 : 1;
	for (unsigned i = 0; i < a->depth; i++)
		if (a->function[i] != b->function[i])
			return a->function[i] < b->function[i] ? -1 : 1;
	return 0;
}

void scope_explore_call_paths_end(struct scope_call_paths *paths)
{
	if (paths->paths)
		qsort(paths->path, paths->paths, sizeof(*paths->path), by_weight);
}

void scope_explore_call_paths_free(struct scope_call_paths *paths)
{
	for (size_t i = 0; i < paths->paths; i++)
		free(paths->path[i].function);
	free(paths->path);
	free(paths->function);
	*paths = (struct scope_call_paths){ 0 };
}
