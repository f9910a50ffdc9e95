// SPDX-License-Identifier: GPL-2.0-only
/* Which file holds the signatures: apart from common.c, since captures link no database. */
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "signature/store.h"

int scope_cmd_signature_path(const char *named, char *ret_path, size_t room,
			     struct scope_error *error)
{
	int code = 0;

	if (named)
		code = strlen(named) < room ? 0 : -ENAMETOOLONG;
	else
		code = scope_store_default_path(ret_path, room);
	if (code)
		return scope_error_set(error, code, "nobody knows where signatures lie: name the file with "
				       "--db");
	if (named)
		strcpy(ret_path, named);
	return 0;
}
