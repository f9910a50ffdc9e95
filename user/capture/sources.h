/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sources there are, and the choice among them. */
#ifndef SCOPE_CAPTURE_SOURCES_H
#define SCOPE_CAPTURE_SOURCES_H

#include "source/source.h"

/* The source of that name; NULL: there is none. */
const struct scope_source *scope_capture_source_find(const char *name);

/*
 * The first source that can be used here, or the one named (name not NULL). 0; -EINVAL: no source of
 * that name; or the error of its check; if no source can be used, that of the first one. ret_why
 * says why better sources were not taken, "" if the best was.
 */
int scope_capture_source_choose(const char *name, struct scope_error *error, struct scope_error *ret_why,
				const struct scope_source **ret_source);

#endif
