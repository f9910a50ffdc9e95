/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes what a call waits for: a lock and its owner, a descriptor and its object. */
#ifndef SCOPE_REPORT_OBJECT_H
#define SCOPE_REPORT_OBJECT_H

#include "analysis/analysis.h"

struct scope_object_text {
	char text[160];
};

/*
 * For a call of that process with this first argument: "0x7f0000001040", or "7, pipe:[4711]". The
 * object of a descriptor is known if it was open as tracing began and still has the same kind, else
 * at most the kind.
 */
const char *scope_report_object_name(struct scope_object_text *buffer, const struct scope_analysis *analysis,
				     uint32_t tgid, uint16_t nr, uint64_t object);

/* An enum scope_fd_kind in a word: "client" for a connection that was accepted. NULL: not known. */
const char *scope_report_object_kind(unsigned kind);

#endif
