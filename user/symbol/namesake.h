/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of one trace that bear the names of another's: a program built again, or moved. */
#ifndef SCOPE_SYMBOL_NAMESAKE_H
#define SCOPE_SYMBOL_NAMESAKE_H

#include "symbol/symbol.h"

struct scope_namesakes;

/* Of all functions met in symbols so far, which must outlive it. 0 or -ENOMEM. */
int scope_symbol_namesakes_create(const struct scope_symbols *symbols, struct scope_namesakes **ret_namesakes);
void scope_symbol_namesakes_destroy(struct scope_namesakes *namesakes); /* NULL is fine */

/* The one of the same name and module, of several the first met; function itself if there is none. */
const struct scope_function *scope_symbol_namesakes_find(const struct scope_namesakes *namesakes,
							 const struct scope_function *function);

#endif
