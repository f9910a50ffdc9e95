/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of the source files that debug information names. */
#ifndef SCOPE_SYMBOL_SOURCE_TEXT_H
#define SCOPE_SYMBOL_SOURCE_TEXT_H

#include "symbol/symbol.h"

#define SCOPE_SOURCE_BYTES_MAX (8u << 20) /* the largest file that is read; only generated sources are larger */
#define SCOPE_SOURCE_ABSENT "the source is not here" /* a reason why no line was read, the most common one */
#define SCOPE_SOURCE_TEXT_BYTES 160		     /* of a line as it is shown */

/* A line to be read. */
struct scope_source_text {
	int line;   /* from 1 */
	char *text; /* plain (base/plain.h), tabs as blanks; the caller frees it; NULL: not read */
};

/*
 * Reads lines of a file below its program's root directory. The file's name comes from debug information, which the
 * target or the author of a trace may have forged. So the file is opened like other files of targets (proc/open.h), and
 * it must be a regular file, no link, and readable for all users: no name makes a report show a private file of its
 * user. before_ns: when the program was traced, ns since 1970; a file that changed later has another text. 0: not
 * known, and then no file is read. *ret_why: why no line was read, a constant; NULL if one was. 0, -ENOMEM.
 */
int scope_symbols_source_read(struct scope_symbols *symbols, const char *path, uint64_t before_ns,
			      struct scope_source_text *line, size_t count, const char **ret_why);

#endif
