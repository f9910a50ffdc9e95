// SPDX-License-Identifier: GPL-2.0-only
/* Finds the command, option or file that a mistyped word probably means. */
#include "cmd/suggest.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 64	/* longer words are not similar to any name */
#define FILES_MAX 10000 /* no rule: most files of a directory, so that this takes no noticeable time */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * The number of characters that are inserted, missing, replaced or swapped with the next one (optimal string
 * alignment).
 */
static unsigned distance(const char *one, const char *other)
{
	const size_t n = strlen(one), m = strlen(other);
	unsigned at[WORD_MAX + 1][WORD_MAX + 1];

	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_MAX;
	for (size_t i = 0; i <= n; i++)
		at[i][0] = (unsigned)i;
	for (size_t j = 0; j <= m; j++)
		at[0][j] = (unsigned)j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			at[i][j] = least(least(at[i - 1][j], at[i][j - 1]) + 1,
					 at[i - 1][j - 1] + (one[i - 1] != other[j - 1]));
			if (i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1])
				at[i][j] = least(at[i][j], at[i - 2][j - 2] + 1);
		}
	return at[n][m];
}

/* Up to a third of the characters may be wrong. */
static bool is_near(unsigned far, const char *name)
{
	return far * 3 <= strlen(name) + 1;
}

/* A table of names, for each kind of row. */
typedef const char *(*name_at)(const void *table, size_t i);

static const char *command_at(const void *table, size_t i)
{
	return ((const struct scope_command *)table)[i].name;
}

static const char *option_at(const void *table, size_t i)
{
	return ((const struct scope_option *)table)[i].name;
}

static const char *most_similar(const char *word, const void *table, name_at at)
{
	unsigned best = WORD_MAX;
	const char *name = NULL, *one;

	for (size_t i = 0; (one = at(table, i)); i++) {
		const unsigned far = distance(word, one);

		/* Three or more characters at the begin of a name mean that name. */
		if (strlen(word) >= 3 && !strncmp(word, one, strlen(word)))
			return one;
		if (far < best) {
			best = far;
			name = one;
		}
	}
	return name && is_near(best, name) ? name : NULL;
}

const char *scope_cmd_suggest(const char *word, const struct scope_command *commands)
{
	return most_similar(word, commands, command_at);
}

const char *scope_cmd_suggest_option(const char *word, const struct scope_option *options)
{
	return most_similar(word, options, option_at);
}

/* The length of an end such as ".trace" that both have: it does not make them more similar. */
static size_t same_end(const char *word, const char *name)
{
	const char *end = strrchr(word, '.'), *other = strrchr(name, '.');

	return end && other && !strcmp(end, other) ? strlen(end) : 0;
}

bool scope_cmd_suggest_file(const char *path, char *ret_path, size_t size)
{
	const char *slash = strrchr(path, '/'), *word = slash ? slash + 1 : path;
	const int length = (int)(word - path);
	unsigned best = WORD_MAX;
	struct dirent *entry;
	DIR *directory;

	if (snprintf(ret_path, size, "%.*s", length, length ? path : "") >= (int)size)
		return false;
	directory = opendir(length ? ret_path : ".");
	for (int i = 0; directory && i < FILES_MAX && (entry = readdir(directory)); i++) {
		const unsigned far = distance(word, entry->d_name);

		if (entry->d_name[0] == '.' || far >= best ||
		    !is_near(far, entry->d_name + same_end(word, entry->d_name)) ||
		    snprintf(ret_path, size, "%.*s%s", length, path, entry->d_name) >= (int)size)
			continue;
		best = far;
	}
	if (directory)
		closedir(directory);
	return best < WORD_MAX;
}
