/* SPDX-License-Identifier: GPL-2.0-only */
/* What a call waits for, in words: a lock and who owns it, a descriptor and what it leads to. */
#ifndef SCOPE_REPORT_OBJECT_H
#define SCOPE_REPORT_OBJECT_H

#include "analysis/analysis.h"

struct scope_object_text {
	char text[160];
};

/*
 * Of a call of that process with this first argument: "0x7f0000001040", or "7, pipe:[4711]". What a
 * descriptor leads to is known where it was open as tracing began and is of the same kind still, else
 * at most the kind.
 */
const char *scope_report_object_name(struct scope_object_text *buffer, const struct scope_analysis *analysis,
				     uint32_t tgid, uint16_t nr, uint64_t object);

#endif
