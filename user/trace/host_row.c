// SPDX-License-Identifier: GPL-2.0-only
/* The text of a row that counts the resources that the host did not give to the target. */
#include "trace/host_row.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const name_of[SCOPE_HOST_COUNTS] = {
#define SCOPE_HOST_COUNT_NAME(NAME, name) [SCOPE_HOST_##NAME] = #name,
	SCOPE_HOST_COUNT_LIST(SCOPE_HOST_COUNT_NAME)
#undef SCOPE_HOST_COUNT_NAME
};

void scope_trace_host_row_format(const struct scope_host_row *row, char text[SCOPE_HOST_ROW_BYTES])
{
	size_t used = (size_t)snprintf(text, SCOPE_HOST_ROW_BYTES, "%" PRIu64, row->time_ns);

	for (unsigned i = 0; i < SCOPE_HOST_COUNTS; i++)
		if (row->known >> i & 1)
			used += (size_t)snprintf(text + used, SCOPE_HOST_ROW_BYTES - used, " %s=%" PRIu64, name_of[i],
						 row->value[i]);
}

/* Reads "name=number". Names that are not known come from a newer program, and are skipped. */
static bool parse_count(const char *word, size_t length, struct scope_host_row *row)
{
	const char *equals = memchr(word, '=', length);
	char *end;
	uint64_t value;

	if (!equals || equals[1] < '0' || equals[1] > '9')
		return false;
	errno = 0;
	value = strtoull(equals + 1, &end, 10);
	if (end != word + length || errno)
		return false;
	for (unsigned i = 0; i < SCOPE_HOST_COUNTS; i++)
		if (strlen(name_of[i]) == (size_t)(equals - word) && !strncmp(word, name_of[i], strlen(name_of[i]))) {
			row->value[i] = value;
			row->known |= 1u << i;
		}
	return true;
}

bool scope_trace_host_row_parse(const char *text, struct scope_host_row *ret_row)
{
	struct scope_host_row row = { 0 };
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	row.time_ns = strtoull(text, &end, 10);
	if (errno || row.time_ns > INT64_MAX)
		return false;
	while (*end == ' ') {
		const char *word = end + 1;
		const size_t length = strcspn(word, " ");

		if (!parse_count(word, length, &row))
			return false;
		end += 1 + length;
	}
	if (*end)
		return false;
	*ret_row = row;
	return true;
}
