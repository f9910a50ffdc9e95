// SPDX-License-Identifier: GPL-2.0-only
/* The command that a mistyped word was meant to be. */
#include "cmd/suggest.h"

#include <string.h>

#define WORD_MAX 24 /* longer words are like no command */

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Characters put in, left out, exchanged or swapped with the next (optimal string alignment). */
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

		/* The begin of a name is meant for it. */
		if (strlen(word) >= 3 && !strncmp(word, commands->name, strlen(word)))
			return commands->name;
		if (far < best) {
			best = far;
			name = commands->name;
		}
	}
	/* A third of it may be wrong. */
	return name && best * 3 <= strlen(name) + 1 ? name : NULL;
}
