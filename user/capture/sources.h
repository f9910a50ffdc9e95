/* SPDX-License-Identifier: GPL-2.0-only */
/* The list of sources, and the choice of one. */
#ifndef SCOPE_CAPTURE_SOURCES_H
#define SCOPE_CAPTURE_SOURCES_H

#include "source/source.h"

/* The source with that name; NULL: there is none. */
const struct scope_source *scope_capture_source_find(const char *name);

/*
 * Chooses the source with that name, or (name NULL) the first that can be used on this host. 0; -EINVAL: there is no
 * source with that name; or the error of its check; if no source can be used, the error of the first. ret_why: why
 * better sources were not chosen, "" if the best was.
 */
int scope_capture_source_choose(const char *name, struct scope_error *error, struct scope_error *ret_why,
				const struct scope_source **ret_source);

#endif
