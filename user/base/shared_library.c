// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads shared libraries. With SCOPE_STATIC the program is that of `make static`, which is linked with the libraries.
 */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* dlsym() returns functions as pointers to data. */
static void store(const struct scope_library_function *function, void *address)
{
	memcpy(function->to, &address, sizeof(address));
}

#ifdef SCOPE_STATIC
int scope_library_load(const char *file, const char *package, const struct scope_library_function *function,
		       size_t functions, struct scope_error *error)
{
	(void)file, (void)package, (void)error;
	for (size_t i = 0; i < functions; i++)
		store(&function[i], function[i].linked);
	return 0;
}
#else
int scope_library_load(const char *file, const char *package, const struct scope_library_function *function,
		       size_t functions, struct scope_error *error)
{
	/* The library may load others, some of which keep state for as long as the process lives. */
	void *library = dlopen(file, RTLD_LAZY | RTLD_NODELETE);

	if (!library)
		return scope_error_set(error, -ENOTSUP,
				       "%s cannot be loaded: install the package that has it (%s on Debian)", file,
				       package);
	for (size_t i = 0; i < functions; i++) {
		void *address = dlsym(library, function[i].name);

		if (!address)
			return scope_error_set(error, -ENOTSUP, "%s has no %s: install a newer version of it", file,
					       function[i].name);
		store(&function[i], address);
	}
	return 0;
}
#endif
