/* SPDX-License-Identifier: GPL-2.0-only */
/* Which mapped files are the system's libraries rather than the program's own code. */
#ifndef SCOPE_SYMBOL_LIBRARY_H
#define SCOPE_SYMBOL_LIBRARY_H

#include <stdbool.h>

/* path as in the maps of the process, without " (deleted)". */
bool scope_library_match(const char *path);

#endif
