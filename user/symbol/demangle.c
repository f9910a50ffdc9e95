// SPDX-License-Identifier: GPL-2.0-only
/* Demangles C++ and Rust symbols through libiberty, with a bound on the length of the result. */
#include "symbol/demangle.h"

#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define SYMBOL_MAX 16384 /* bytes of a symbol; libiberty's stack grows with them */
#define NAME_MAX_BYTES 4096

struct output {
	jmp_buf full;
	size_t bytes;
	char text[NAME_MAX_BYTES];
};

/* Back-references can expand a short symbol to a name of unlimited length. The jump ends the expansion. */
static void take(const char *text, size_t bytes, void *context)
{
	struct output *output = context;

	if (bytes >= sizeof(output->text) - output->bytes)
		longjmp(output->full, 1);
	memcpy(output->text + output->bytes, text, bytes);
	output->bytes += bytes;
}

/* Rust's older scheme is that of C++ with a hash at the end, so it is tried first. */
static bool undo(const char *symbol, struct output *output)
{
	if (setjmp(output->full))
		return false;
	output->bytes = 0;
	if (rust_demangle_callback(symbol, DMGL_NO_OPTS, take, output))
		return output->bytes > 0;
	output->bytes = 0;
	return cplus_demangle_v3_callback(symbol, DMGL_NO_OPTS, take, output) && output->bytes > 0;
}

/*
 * Java's perf maps have "void org.Box.push(java.lang.String)". Returns the length of the name in it, 0 if the symbol
 * has another form.
 */
static size_t method_of(const char *symbol, const char **ret_begin)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.<>[]/",
			  list[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.<>[]/, ";
	const size_t type = strspn(symbol, word);
	const char *begin = symbol + type + 1;
	size_t length, arguments;

	if (!type || symbol[type] != ' ')
		return 0;
	length = strspn(begin, word);
	arguments = length && begin[length] == '(' ? strspn(begin + length + 1, list) : 0;
	*ret_begin = begin;
	return length && begin[length] == '(' && !strcmp(begin + length + 1 + arguments, ")") ? length : 0;
}

int scope_symbol_demangle(const char *symbol, char **ret_name)
{
	struct output *output;
	const char *method;
	char *name = NULL;
	const size_t length = method_of(symbol, &method);
	int err = -ENOENT;

	if (length) {
		*ret_name = strndup(method, length);
		return *ret_name ? 0 : -ENOMEM;
	}
	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R' && symbol[1] != '_') ||
	    strlen(symbol) > SYMBOL_MAX)
		return -ENOENT;
	output = malloc(sizeof(*output));
	if (!output)
		return -ENOMEM;
	if (undo(symbol, output)) {
		name = strndup(output->text, output->bytes);
		err = name ? 0 : -ENOMEM;
	}
	free(output);
	if (!err)
		*ret_name = name;
	return err;
}

bool scope_symbol_demangle_match(const char *symbol, const char *name)
{
	char *plain;
	bool match = !strcmp(symbol, name);

	if (match || scope_symbol_demangle(symbol, &plain))
		return match;
	match = !strcmp(plain, name);
	free(plain);
	return match;
}
