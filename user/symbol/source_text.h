/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of the source files that debug information names. */
#ifndef SCOPE_SYMBOL_SOURCE_TEXT_H
#define SCOPE_SYMBOL_SOURCE_TEXT_H

#include "symbol/symbol.h"

#define SCOPE_SOURCE_BYTES_MAX (8u << 20) /* of a file; sources are smaller, except those that a program wrote */
#define SCOPE_SOURCE_ABSENT "the source is not here" /* a reason; that of most hosts */
#define SCOPE_SOURCE_TEXT_BYTES 160		     /* of a line as it is shown */

/* A line to be read. */
struct scope_source_text {
	int line;   /* from 1 */
	char *text; /* plain (base/plain.h), tabs as blanks; the caller frees it; NULL: not read */
};

/*
 * Reads lines of a file, as its program's root directory has it. The name comes from debug information, which the target
 * or a trace from elsewhere made up. So the file is opened as files of targets are (proc/open.h), must be a regular
 * file and not a link, and everybody must be allowed to read it: no name leads a report to a private file of its user.
 * before_ns: when the program was traced, ns since 1970; a file that changed later is another text. 0: not known, and then
 * no file is read. *ret_why: why no line was read, a constant; NULL if one was. 0, -ENOMEM.
 */
int scope_symbols_source_read(struct scope_symbols *symbols, const char *path, uint64_t before_ns,
			      struct scope_source_text *line, size_t count, const char **ret_why);

#endif
