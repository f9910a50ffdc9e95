// SPDX-License-Identifier: GPL-2.0-only
/* Loads libbabeltrace2. */
#include "import/libbabeltrace.h"

struct scope_import_babeltrace scope_import_babeltrace;

#define FUNCTION(name) SCOPE_LIBRARY_FUNCTION(scope_import_babeltrace, bt_, name)

int scope_import_babeltrace_load(struct scope_error *error)
{
	static const struct scope_library_function functions[] = { SCOPE_IMPORT_BABELTRACE_FUNCTIONS(FUNCTION) };

	return scope_library_load("libbabeltrace2.so.0", "libbabeltrace2-0", functions,
				  sizeof(functions) / sizeof(*functions), error);
}
