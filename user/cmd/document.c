// SPDX-License-Identifier: GPL-2.0-only
/* The JSON documents that commands print with --format json. */
#include "cmd/document.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

#include "base/plain.h"
#include "cmd/cmd.h"
#include "report/json.h"

int scope_cmd_document_format(const char *command, const char *value, bool *ret_json)
{
	if (strcmp(value, "text") && strcmp(value, "json"))
		return scope_cmd_misuse(command, "--format wants text or json, not '%s'", value);
	*ret_json = !strcmp(value, "json");
	return 0;
}

json_t *scope_cmd_document_begin(const char *command)
{
	return json_pack("{s:i, s:s, s:s}", "schema", SCOPE_REPORT_SCHEMA, "scope", SCOPE_VERSION, "command", command);
}

json_t *scope_cmd_document_text(const char *text)
{
	char *plain = text ? scope_plain_copy(text, SCOPE_PLAIN_SENTENCE) : NULL;
	json_t *string = plain ? json_string(plain) : json_null();

	free(plain);
	return string;
}

int scope_cmd_document_end(const char *command, json_t *document)
{
	struct scope_error error = { 0 };
	int err = -ENOMEM;

	if (document)
		err = json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) || putchar('\n') == EOF ||
				      fflush(stdout)
			      ? -EIO
			      : 0;
	json_decref(document);
	if (!err)
		return SCOPE_EXIT_DONE;
	scope_error_set(&error, err, "the answer cannot be written: %s", strerror(-err));
	return scope_cmd_fail(command, &error);
}
