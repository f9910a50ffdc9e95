/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that choose the part of a trace that is analysed. */
#ifndef SCOPE_CMD_PART_OPTIONS_H
#define SCOPE_CMD_PART_OPTIONS_H

#include "analysis/analysis.h"

struct scope_cmd_part {
	const char *from, *to, *thread, *kind; /* NULL: not given */
	uint32_t kinds;			       /* from --kind: a bit for each enum scope_finding_kind; 0: all */
};

/*
 * Handles one of these options. Returns -1 for another option; else 0, or, after printing an error, the exit status for
 * an invalid value.
 */
int scope_cmd_part(const char *command, int option, const char *value, struct scope_cmd_part *part);

/*
 * Sets the window of a trace before its first event is taken. 0, or -errno with error filled: a time is outside of the
 * trace.
 */
int scope_cmd_part_set(const struct scope_cmd_part *part, const char *path, struct scope_trace *trace,
		       struct scope_analysis_options *options, struct scope_error *error);

/* Writes the options in the form of a command line, a blank before each, without --kind; "" if there are none. */
void scope_cmd_part_words(const struct scope_cmd_part *part, char *text, size_t room);

#endif
