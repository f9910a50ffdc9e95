// SPDX-License-Identifier: GPL-2.0-only
/* Replaces ctf_read.c in a program without libbabeltrace2: the one of `make static`. */
#include <errno.h>

#include "import/import.h"

int scope_import_ctf(const char *path, const struct scope_import_choice *choice, struct scope_writer *writer,
		     struct scope_error *error, struct scope_import_result *ret_result)
{
	(void)choice;
	(void)writer;
	(void)ret_result;
	return scope_error_set(error, -EOPNOTSUPP,
			       "%s: this scope is the static one, which reads no CTF: import it with a scope "
			       "that has libbabeltrace2 (`make`, or the package), on any host",
			       path);
}
