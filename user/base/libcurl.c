// SPDX-License-Identifier: GPL-2.0-only
/* Loads libcurl. */
#include "base/libcurl.h"

struct scope_curl scope_curl;

#define FUNCTION(name) SCOPE_LIBRARY_FUNCTION(scope_curl, curl_, name)

int scope_curl_load(struct scope_error *error)
{
	static const struct scope_library_function functions[] = { SCOPE_CURL_FUNCTIONS(FUNCTION) };

	return scope_library_load("libcurl.so.4", "libcurl4", functions, sizeof(functions) / sizeof(*functions), error);
}
