// SPDX-License-Identifier: GPL-2.0-only
/* Finds the C library in a statically linked program, by names and places. */
#include "symbol/libc_part.h"

#include <dlfcn.h>
#include <string.h>

#define NAME_MAX_BYTES 128

/*
 * "__", or "_" and a capital, begin names that are reserved for the implementation (C11 7.1.3). Names of C++ and Rust
 * are mangled to "_Z" and "_R".
 */
static bool is_reserved(const struct scope_file_function *function)
{
	const char *name = function->name;

	if (function->name_bytes < 3 || name[0] != '_')
		return false;
	return name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z' && name[1] != 'Z' && name[1] != 'R');
}

/*
 * The C library that this program uses; NULL: it is linked into this program. It is opened itself because sanitizers
 * and allocators have functions of the same names before it.
 */
static void *open_libc(void)
{
#ifdef SCOPE_STATIC
	return NULL;
#else
	return dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
#endif
}

/* True if the name is reserved, or libc has a function of that name. */
static bool is_known(const struct scope_file_function *function, void *libc)
{
	char name[NAME_MAX_BYTES];

	if (!function->name || is_reserved(function))
		return function->name;
	if (!libc || function->name_bytes >= sizeof(name))
		return false;
	memcpy(name, function->name, function->name_bytes);
	name[function->name_bytes] = '\0';
	return dlsym(libc, name);
}

/* The function that begins with that range; NULL: the range is a later part of a function. */
static struct scope_file_function *begun_by(const struct scope_file_functions *functions, size_t range)
{
	const struct scope_range *at = &functions->ranges.range[range];
	struct scope_file_function *function = &functions->function[at->value];

	return function->start == at->start ? function : NULL;
}

/*
 * True if the file has a function that every C library has, and that is in a program's file only if the library is
 * linked into it.
 */
static bool has_libc(const struct scope_file_functions *functions)
{
	static const char name[] = "__libc_start_main";

	for (size_t i = 0; i < functions->count; i++) {
		const struct scope_file_function *function = &functions->function[i];

		if (function->name && function->name_bytes >= sizeof(name) - 1 &&
		    !memcmp(function->name, name, sizeof(name) - 1))
			return true;
	}
	return false;
}

/*
 * The address at which the C library most likely begins: it has the fewest known functions before it, and the fewest
 * unknown ones after it.
 */
static uint64_t find_begin(const struct scope_file_functions *functions)
{
	void *libc = open_libc();
	uint64_t begin = UINT64_MAX;
	long cost = 0, least = 0;

	for (size_t i = functions->ranges.count; i-- > 0;) {
		const struct scope_file_function *function = begun_by(functions, i);

		if (!function)
			continue;
		cost += is_known(function, libc) ? -1 : 1;
		if (cost < least) {
			least = cost;
			begin = function->start;
		}
	}
	if (libc)
		dlclose(libc);
	return begin;
}

void scope_symbol_libc_part_mark(struct scope_file_functions *functions)
{
	uint64_t begin;

	if (!has_libc(functions))
		return;
	begin = find_begin(functions);
	for (size_t i = 0; i < functions->count; i++) {
		struct scope_file_function *function = &functions->function[i];

		function->libc = function->start >= begin || (function->name && is_reserved(function));
	}
}
