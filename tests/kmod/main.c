// SPDX-License-Identifier: GPL-2.0-only
/* Runs one of the module's tests by name; without a name, lists them. */
#include <string.h>
#include "tests.h"

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "smoke", test_smoke },
};

int main(int argc, char **argv)
{
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (argc < 2)
			puts(tests[i].name);
		else if (!strcmp(argv[1], tests[i].name))
			return tests[i].run(), 0;
	}
	return argc < 2 ? 0 : 2;
}
