/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls by library function, as text and as JSON. */
#ifndef SCOPE_REPORT_LIBCALLS_TEXT_H
#define SCOPE_REPORT_LIBCALLS_TEXT_H

#include <stdio.h>

#include "analysis/analysis.h"
#include "report/text.h"
#include "server/libcalls.h"

/* Two functions to compare, by name. */
struct scope_report_libcalls_pair {
	const char *one, *other; /* NULL: none are */
};

/*
 * Without style->verbose a screen of 15 lines, as wide as the style says. 0, -ENOMEM, or -ENOENT: *ret_missing is a
 * name of the pair under which there is no call; nothing was printed then.
 */
int scope_report_libcalls_text(const struct scope_analysis *analysis, const struct scope_libcalls *libcalls,
			       const struct scope_report_libcalls_pair *pair, const struct scope_report_style *style,
			       const char **ret_missing, FILE *out);
/* The same, all of it. -EIO: writing to out failed. */
int scope_report_libcalls_json(const struct scope_analysis *analysis, const struct scope_libcalls *libcalls,
			       const struct scope_report_libcalls_pair *pair, const char **ret_missing, FILE *out);

#endif
