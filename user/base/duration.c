// SPDX-License-Identifier: GPL-2.0-only
/* Reads and writes times and sizes with units. */
#include "base/duration.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS_MAX 604800.0 /* a week */

int scope_duration_parse(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {
		{ "", 1 }, { "s", 1 }, { "ms", 1e-3 }, { "us", 1e-6 }, { "ns", 1e-9 }, { "m", 60 }, { "h", 3600 }
	};
	double number;
	char *end;
	size_t i;

	if ((*text < '0' || *text > '9') && *text != '.')
		return -EINVAL;
	number = strtod(text, &end);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit))
			break;
	if (end == text || i == sizeof(units) / sizeof(units[0]))
		return -EINVAL;
	number *= units[i].seconds;
	if (!isfinite(number) || number <= 0 || number > SECONDS_MAX)
		return -EINVAL;
	*ret_ns = (uint64_t)llround(number * 1e9);
	return *ret_ns ? 0 : -EINVAL;
}

int scope_size_parse(const char *text, uint64_t *ret_bytes)
{
	static const char units[] = "kMGT";
	unsigned long long number;
	const char *unit;
	int shift = 0;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno)
		return -EINVAL;
	if (*end) {
		unit = strchr(units, *end);
		if (!unit || end[1])
			return -EINVAL;
		shift = 10 * (int)(unit - units + 1);
	}
	if (!number || number > UINT64_MAX >> shift)
		return -EINVAL;
	*ret_bytes = (uint64_t)number << shift;
	return 0;
}

const char *scope_size_write(char text[SCOPE_DURATION_TEXT], uint64_t bytes)
{
	if (bytes < 1000)
		snprintf(text, SCOPE_DURATION_TEXT, "%u byte%s", (unsigned)bytes, bytes == 1 ? "" : "s");
	else if (bytes < 950000)
		snprintf(text, SCOPE_DURATION_TEXT, "%.1f kB", (double)bytes / 1e3);
	else if (bytes < 950000000)
		snprintf(text, SCOPE_DURATION_TEXT, "%.1f MB", (double)bytes / 1e6);
	else
		snprintf(text, SCOPE_DURATION_TEXT, "%.1f GB", (double)bytes / 1e9);
	return text;
}

const char *scope_duration_write(char text[SCOPE_DURATION_TEXT], uint64_t ns)
{
	if (ns >= 950000000 || !ns)
		snprintf(text, SCOPE_DURATION_TEXT, ns ? "%.1f s" : "0 s", (double)ns / 1e9);
	else if (ns >= 950000)
		snprintf(text, SCOPE_DURATION_TEXT, "%.1f ms", (double)ns / 1e6);
	else if (ns >= 950)
		snprintf(text, SCOPE_DURATION_TEXT, "%.1f µs", (double)ns / 1e3);
	else
		snprintf(text, SCOPE_DURATION_TEXT, "%u ns", (unsigned)ns);
	return text;
}
