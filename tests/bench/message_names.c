// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many functions of a stripped file have names in the program's messages, how many of these names are right, and what it
 * takes to find them.
 *
 * Usage: message_names FILE [FULL]      FULL: the same file before it was stripped
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "symbol/image.h"

static double cpu_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static struct scope_image *open_image(const char *path)
{
	struct scope_image *image;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0 && !scope_symbol_image_create(fd, NULL, path, &image))
		return image;
	fprintf(stderr, "message_names: %s: cannot be read as a program\n", path);
	return NULL;
}

/* Prints a name that is wrong. */
static bool is_right(struct scope_image *full, const struct scope_file_function *named)
{
	struct scope_file_function found;

	if (scope_symbol_image_function(full, named->start, false, &found) || !found.name)
		return false;
	if (found.name_bytes == named->name_bytes && !memcmp(found.name, named->name, named->name_bytes))
		return true;
	fprintf(stderr, "%.*s is named %.*s\n", (int)found.name_bytes, found.name, (int)named->name_bytes, named->name);
	return false;
}

int main(int argc, char **argv)
{
	struct scope_image *bare = argc > 1 ? open_image(argv[1]) : NULL, *full = argc > 2 ? open_image(argv[2]) : NULL;
	const struct scope_file_functions *functions;
	size_t without = 0, named = 0, right = 0;
	double begin_ms;

	if (!bare || (argc > 2 && !full) || scope_symbol_image_functions(bare, &functions))
		return 1;
	begin_ms = cpu_ms();
	for (size_t i = 0; i < functions->count; i++) {
		struct scope_file_function found;

		if (functions->function[i].name ||
		    scope_symbol_image_function(bare, functions->function[i].start, true, &found) ||
		    found.start != functions->function[i].start)
			continue;
		without++;
		named += found.message;
		right += found.message && full && is_right(full, &found);
	}
	printf("functions %zu without_symbol %zu named %zu", functions->count, without, named);
	if (full)
		printf(" right %zu", right);
	printf(" cpu_ms %.1f\n", cpu_ms() - begin_ms);
	scope_symbol_image_destroy(bare);
	scope_symbol_image_destroy(full);
	return 0;
}
