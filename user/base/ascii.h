/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text for a terminal or printer that does not know UTF-8. Signs that reports use become one ASCII
 * character each, so that columns stay where they are; the Greek letter of µs becomes u; any other
 * character becomes '?'.
 */
#ifndef SCOPE_BASE_ASCII_H
#define SCOPE_BASE_ASCII_H

#include <stdbool.h>
#include <stdio.h>

/*
 * True if the user's locale (the first of LC_ALL, LC_CTYPE, LANG that is set and not empty) has
 * another encoding than UTF-8. False if none is set, because services and containers set none
 * and their terminals know UTF-8.
 */
bool scope_ascii_wanted(void);

/*
 * A stream that writes to another one in ASCII. What was written arrives there by fflush() or fclose(), which leave
 * `to` open. NULL: no memory.
 */
FILE *scope_ascii_stream(FILE *to);

#endif
