// SPDX-License-Identifier: GPL-2.0-only
/* Names of the files that one recording makes. */
#include "recorder/files.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ENDING ".trace"
#define DATE_BYTES 16 /* of "-20260131-235959" */
#define DATED "-[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]-[0-9][0-9][0-9][0-9][0-9][0-9]"

/* Length of the name without its ending, and the ending ("" if it has another). */
static int base_length(const char *output, const char **ret_ending)
{
	const size_t length = strlen(output), tail = strlen(ENDING);

	*ret_ending = ENDING;
	if (length > tail && !strcmp(output + length - tail, ENDING))
		return (int)(length - tail);
	*ret_ending = "";
	return (int)length;
}

int scope_recorder_files_name(const char *output, time_t now, char *ret_path, size_t size)
{
	const char *ending;
	const int length = base_length(output, &ending);
	char date[32], part[4096 + 8];
	struct tm local;
	int written;

	localtime_r(&now, &local);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	for (unsigned int again = 1;; again++) {
		if (again == 1)
			written = snprintf(ret_path, size, "%.*s-%s%s", length, output, date, ending);
		else
			written = snprintf(ret_path, size, "%.*s-%s-%u%s", length, output, date, again, ending);
		if (written < 0 || (size_t)written >= size)
			return -ENAMETOOLONG;
		/* The name must not belong to a file that another recorder is writing either. */
		snprintf(part, sizeof(part), "%s.part", ret_path);
		if (access(ret_path, F_OK) && access(part, F_OK))
			return 0;
	}
}

void scope_recorder_files_pattern(const char *output, char *ret_text, size_t size)
{
	const char *ending;
	const int length = base_length(output, &ending);

	snprintf(ret_text, size, "%.*s-DATE-TIME%s", length, output, ending);
}

/* Copies text and escapes it for glob(). */
static size_t quote(const char *text, int length, char *out, size_t size)
{
	size_t used = 0;

	for (int i = 0; i < length && used + 3 < size; i++) {
		if (strchr("*?[\\", text[i]))
			out[used++] = '\\';
		out[used++] = text[i];
	}
	out[used] = '\0';
	return used;
}

/* The number after the date, 1 if there is none. */
static long number_of(const char *dated)
{
	return dated[DATE_BYTES] == '-' ? strtol(dated + DATE_BYTES + 1, NULL, 10) : 1;
}

/* context: length of the part before the date. */
static int by_date(const void *left, const void *right, void *context)
{
	const char *a = *(char *const *)left + *(const int *)context;
	const char *b = *(char *const *)right + *(const int *)context;
	const int order = strncmp(a, b, DATE_BYTES);

	return order ? order : number_of(a) < number_of(b) ? -1 : number_of(a) > number_of(b);
}

/* All files so named with that at their end, the oldest first. The caller frees the list. */
static void list_with(const char *output, const char *end, glob_t *ret_found)
{
	static const char *const patterns[] = { DATED, DATED "-[0-9]*" };
	const char *ending;
	int length = base_length(output, &ending);
	char pattern[4096];
	size_t used = quote(output, length, pattern, sizeof(pattern) - 256);

	*ret_found = (glob_t){ 0 };
	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		snprintf(pattern + used, sizeof(pattern) - used, "%s%s%s", patterns[i], ending, end);
		glob(pattern, GLOB_NOSORT | (i ? GLOB_APPEND : 0), NULL, ret_found);
	}
	if (ret_found->gl_pathc)
		qsort_r(ret_found->gl_pathv, ret_found->gl_pathc, sizeof(*ret_found->gl_pathv), by_date, &length);
}

static void list(const char *output, glob_t *ret_found)
{
	list_with(output, "", ret_found);
}

void scope_recorder_files_clean(const char *output)
{
	static const char *const ends[] = { ".part", ".*.part", SCOPE_RECORDER_SMALL };
	glob_t found;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		list_with(output, ends[i], &found);
		for (size_t j = 0; j < found.gl_pathc; j++)
			unlink(found.gl_pathv[j]);
		globfree(&found);
	}
}

static void unlink_beside(const char *path, const char *const *beside)
{
	char name[4096 + 16];

	for (; beside && *beside; beside++) {
		snprintf(name, sizeof(name), "%s%s", path, *beside);
		unlink(name);
	}
}

void scope_recorder_files_limit(const char *output, size_t keep, const char *const *beside)
{
	glob_t found;

	list(output, &found);
	for (size_t i = 0; i + keep < found.gl_pathc; i++) {
		unlink(found.gl_pathv[i]);
		unlink_beside(found.gl_pathv[i], beside);
	}
	globfree(&found);
}

int scope_recorder_files_latest(const char *output, char *ret_path, size_t size)
{
	int err = -ENOENT;
	glob_t found;

	list(output, &found);
	if (found.gl_pathc) {
		const char *latest = found.gl_pathv[found.gl_pathc - 1];

		err = strlen(latest) < size ? 0 : -ENAMETOOLONG;
		if (!err)
			strcpy(ret_path, latest);
	}
	globfree(&found);
	return err;
}
