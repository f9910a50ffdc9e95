// SPDX-License-Identifier: GPL-2.0-only
/* Finds the command that a mistyped word probably means. */
#include "cmd/suggest.h"

#include <string.h>

#define WORD_MAX 24 /* longer words are not similar to any command */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* The number of characters inserted, left out, replaced or swapped with the next one (optimal string alignment). */
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

const char *scope_cmd_suggest(const char *word, const struct scope_command *commands)
{
	unsigned best = WORD_MAX;
	const char *name = NULL;

	for (; commands->name; commands++) {
		const unsigned far = distance(word, commands->name);

		/* The first three or more characters of a name mean that name. */
		if (strlen(word) >= 3 && !strncmp(word, commands->name, strlen(word)))
			return commands->name;
		if (far < best) {
			best = far;
			name = commands->name;
		}
	}
	/* Up to a third of the characters may be wrong. */
	return name && best * 3 <= strlen(name) + 1 ? name : NULL;
}
