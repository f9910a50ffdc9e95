/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds a function of a running program: its file and the offset in it. */
#ifndef SCOPE_CAUSAL_LOCATE_H
#define SCOPE_CAUSAL_LOCATE_H

#include <stdint.h>

#include <scope/abi.h>

#include "base/error.h"

/* A place for a uprobe; this process can open path. */
struct scope_place {
	char path[SCOPE_PROBE_NAME_BYTES];
	uint64_t offset;
};

/*
 * text is FUNCTION or FILE:FUNCTION. FUNCTION: a name, or an offset in the file (0x and digits), which needs FILE.
 * FILE: a path of this host, or the last part of the path of a file that process tgid has mapped. Without FILE the
 * program itself is searched, then the files that it has mapped, in order of address. 0; -ENOENT, -ESRCH, -EINVAL,
 * -ENAMETOOLONG, -ENOMEM with error filled, which says what is missing.
 */
int scope_causal_locate_function(uint32_t tgid, const char *text, struct scope_error *error,
				 struct scope_place *ret_place);

#endif
