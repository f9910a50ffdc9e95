// SPDX-License-Identifier: GPL-2.0-only
/* The path of the database of signatures. It is not in common.c because captures are linked without databases. */
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "signature/store.h"

int scope_cmd_signature_path(const char *named, char *ret_path, size_t room, struct scope_error *error)
{
	int err = 0;

	if (named)
		err = strlen(named) < room ? 0 : -ENAMETOOLONG;
	else
		err = scope_signature_store_default_path(ret_path, room);
	if (err)
		return scope_error_set(error, err,
				       "nobody knows where signatures lie: name the file with "
				       "--db");
	if (named)
		strcpy(ret_path, named);
	return 0;
}
