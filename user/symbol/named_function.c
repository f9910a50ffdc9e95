// SPDX-License-Identifier: GPL-2.0-only
/* Makes a function's names: the symbol in the file, and the demangled name. */
#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "base/plain.h"
#include "symbol/demangle.h"
#include "symbol/stdname.h"
#include "symbol/symbol_internal.h"

void scope_symbol_function_destroy(struct scope_function *function)
{
	if (function->symbol != function->name)
		free((char *)function->symbol);
	free((char *)function->name);
	free(function);
}

/*
 * Sets the name as the file has it and the demangled one, both in plain form. 0 or -ENOMEM; symbol stays the
 * caller's.
 */
static int function_name(struct scope_function *function, const char *symbol)
{
	char *demangled = NULL;

	if (function->known && scope_symbol_demangle(symbol, &demangled) == -ENOMEM)
		return -ENOMEM;
	function->symbol = scope_plain_copy(symbol, SCOPE_PLAIN_NAME);
	function->name = demangled ? scope_plain_copy(demangled, SCOPE_PLAIN_NAME) : function->symbol;
	free(demangled);
	return function->symbol && function->name ? 0 : -ENOMEM;
}

/* Notes if the function is code of the language's library in the program's file. */
static void note_language(struct scope_function *function, const char *symbol)
{
	if (!function->known || function->library)
		return;
	function->of_library = scope_symbol_stdname(symbol, function->name);
	function->language |= function->of_library != SCOPE_STDNAME_NONE;
	function->library |= function->language;
}

int scope_symbol_function_add(struct scope_symbols *symbols, char *symbol, struct scope_function value,
			      struct scope_function **ret_function)
{
	struct scope_function *function = symbol ? malloc(sizeof(*function)) : NULL;
	int err = -ENOMEM;

	if (function) {
		*function = value;
		function->symbol = function->name = NULL;
		err = function_name(function, symbol);
	}
	if (!err)
		note_language(function, symbol);
	free(symbol);
	if (!function)
		return err;
	if (err ||
	    scope_grow(&symbols->function, &symbols->capacity, symbols->functions + 1, sizeof(*symbols->function))) {
		scope_symbol_function_destroy(function);
		return -ENOMEM;
	}
	function->id = symbols->functions;
	symbols->function[symbols->functions++] = function;
	*ret_function = function;
	return 0;
}
