/* SPDX-License-Identifier: GPL-2.0-only */
/* The JSON documents that commands print with --format json: one object, see docs/schema/commands.schema.json. */
#ifndef SCOPE_CMD_DOCUMENT_H
#define SCOPE_CMD_DOCUMENT_H

#include <stdbool.h>

#include <jansson.h>

/* Reads the value of --format, text or json. 0, or for another word the exit status after printing the error. */
int scope_cmd_document_format(const char *command, const char *value, bool *ret_json);

/* A new object with "schema", "scope" and "command", to which the caller adds. NULL: no memory. */
json_t *scope_cmd_document_begin(const char *command);

/* A string of JSON in plain form (base/plain.h), because names in it may hold any bytes. NULL gives null. */
json_t *scope_cmd_document_text(const char *text);

/* Prints the document to standard output and frees it. Returns the exit status, after printing any error. */
int scope_cmd_document_end(const char *command, json_t *document);

#endif
