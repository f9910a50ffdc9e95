/* SPDX-License-Identifier: GPL-2.0-only */
/* Matches functions of two traces by name, for a program that was built again or moved. */
#ifndef SCOPE_SYMBOL_NAMESAKE_H
#define SCOPE_SYMBOL_NAMESAKE_H

#include "symbol/symbol.h"

struct scope_namesakes;

/* Built from all functions met in symbols so far. symbols must outlive it. 0 or -ENOMEM. */
int scope_symbol_namesakes_create(const struct scope_symbols *symbols, struct scope_namesakes **ret_namesakes);
void scope_symbol_namesakes_destroy(struct scope_namesakes *namesakes); /* NULL is fine */

/*
 * The function with the same name and module; if there are several, the one that was met first; `function` itself if
 * there is none.
 */
const struct scope_function *scope_symbol_namesakes_find(const struct scope_namesakes *namesakes,
							 const struct scope_function *function);

#endif
