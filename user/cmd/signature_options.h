/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that choose the signatures that a report uses. */
#ifndef SCOPE_CMD_SIGNATURE_OPTIONS_H
#define SCOPE_CMD_SIGNATURE_OPTIONS_H

#include "base/error.h"
#include "signature/set.h"

struct scope_cmd_learned {
	const char *db; /* NULL: not given */
	struct scope_signature_options options;
	bool none;
};

void scope_cmd_learned_init(struct scope_cmd_learned *learned);

/* Returns -1 for another option; else 0, or the exit status. */
int scope_cmd_learned(const char *command, int option, const char *value, struct scope_cmd_learned *learned);

struct scope_trace;

/*
 * *ret is NULL if there are no signatures. If the default database cannot be read, this is reported on stderr and is no
 * failure. 0 or -errno with error filled.
 */
int scope_cmd_learned_load(const char *command, const struct scope_cmd_learned *learned,
			   const struct scope_trace *trace, struct scope_error *error,
			   struct scope_signatures **ret_signatures);

#endif
