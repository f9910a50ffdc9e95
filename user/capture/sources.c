// SPDX-License-Identifier: GPL-2.0-only
/* The table of sources, and the choice of one. */
#include "capture/sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "perf/perf.h"
#include "source/module.h"

/* The best source is first. */
static const struct scope_source *const sources[] = {
	&scope_source_module,
	&scope_perf_source_perf,
};

#define SOURCES (sizeof(sources) / sizeof(sources[0]))

const struct scope_source *scope_capture_source_find(const char *name)
{
	size_t i;

	for (i = 0; i < SOURCES; i++)
		if (!strcmp(sources[i]->name, name))
			return sources[i];
	return NULL;
}

int scope_capture_source_choose(const char *name, struct scope_error *error, struct scope_error *ret_why,
				const struct scope_source **ret_source)
{
	const struct scope_source *named = name ? scope_capture_source_find(name) : NULL;
	struct scope_error why = { "" }, other = { "" };
	int err, first = 0;
	size_t i;

	ret_why->text[0] = '\0';
	if (name && !named)
		return scope_error_set(error, -EINVAL, "there is no source '%s'", name);
	for (i = 0; i < SOURCES; i++) {
		if (named && sources[i] != named)
			continue;
		err = sources[i]->check(first ? &other : &why);
		if (!err) {
			*ret_why = why;
			*ret_source = sources[i];
			return 0;
		}
		first = first ? first : err;
	}
	if (other.text[0])
		return scope_error_set(error, first, "%.250s; nor can perf events be used: %.230s", why.text,
				       other.text);
	return scope_error_set(error, first, "%s", why.text);
}
