/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shared libraries that few commands need, loaded at their first use.
 *
 * A program that is linked with a library loads and binds it at each start, with all libraries that it needs in turn. The
 * functions of a library that is loaded later are called through a structure. A list gives their names once:
 *
 *	#define SCOPE_CURL_FUNCTIONS(F) F(easy_init) F(easy_perform)
 *	#define MEMBER(name) SCOPE_LIBRARY_MEMBER(curl_, name)
 *	#define FUNCTION(name) SCOPE_LIBRARY_FUNCTION(curl, curl_, name)
 *
 *	static struct { SCOPE_CURL_FUNCTIONS(MEMBER) } curl;
 *	static const struct scope_library_function functions[] = { SCOPE_CURL_FUNCTIONS(FUNCTION) };
 *
 *	err = scope_library_load("libcurl.so.4", "libcurl4", functions, 2, error);
 *	handle = curl.easy_init();
 */
#ifndef SCOPE_BASE_SHARED_LIBRARY_H
#define SCOPE_BASE_SHARED_LIBRARY_H

#include <stddef.h>

#include "base/error.h"

struct scope_library_function {
	const char *name;
	void *to;     /* where its address is stored: a pointer to a function */
	void *linked; /* its address in the program of `make static`, which is linked with the library; else NULL */
};

#define SCOPE_LIBRARY_MEMBER(prefix, name) typeof(prefix##name) *name;
#ifdef SCOPE_STATIC
#define SCOPE_LIBRARY_FUNCTION(structure, prefix, name) { #prefix #name, &(structure).name, (void *)prefix##name },
#else
#define SCOPE_LIBRARY_FUNCTION(structure, prefix, name) { #prefix #name, &(structure).name, NULL },
#endif

/*
 * Stores the addresses of functions of the library `file` ("libNAME.so.VERSION"). It stays loaded, and loading it again
 * costs little. Returns 0; or -ENOTSUP, with an error (NULL is fine) that names the package, as Debian names it.
 */
int scope_library_load(const char *file, const char *package, const struct scope_library_function *function,
		       size_t functions, struct scope_error *error);

#endif
