// SPDX-License-Identifier: GPL-2.0-only
/* The threads that --thread selects. */
#include "analysis/part_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_named(const struct scope_thread *thread, const char *text)
{
	const size_t length = strlen(text);
	char *end;

	if (*text >= '0' && *text <= '9' && strtoul(text, &end, 10) == thread->tid && !*end)
		return true;
	if (length && text[length - 1] == '*')
		return !strncmp(thread->comm, text, length - 1);
	return !strcmp(thread->comm, text);
}

int scope_analysis_part_threads(struct scope_timeline *timeline, const char *text, bool **ret_only)
{
	const size_t count = scope_timeline_threads_count(timeline->threads);
	bool *only = calloc(count + 1, sizeof(*only)), any = false;

	if (!only)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		only[i] = is_named(scope_timeline_threads_at(timeline->threads, i), text);
		any |= only[i];
	}
	if (!any) {
		free(only);
		return -ESRCH;
	}
	*ret_only = only;
	return 0;
}

size_t scope_analysis_part_hangs(const struct scope_distributions *distributions, struct scope_hang *hangs,
				 size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (scope_unit_distributions_counts(distributions, hangs[i].thread))
			hangs[kept++] = hangs[i];
	return kept;
}
