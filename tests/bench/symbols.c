// SPDX-License-Identifier: GPL-2.0-only
/* How fast addresses get names: the first time, tables and all, and again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/grow.h"
#include "symbol/symbol.h"

#define SECONDS 1.0

struct input {
	struct scope_trace_map *map;
	uint64_t *address;
	uint32_t *tgid;
	size_t maps, map_room, count, room, tgid_room;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

/* Lines "M PID START BYTES OFFSET PATH" and "A PID ADDRESS", numbers but the pid in hexadecimal. */
static int input_read(FILE *file, struct input *input)
{
	char line[4352], path[4200];
	unsigned long start, bytes, offset;
	unsigned int pid;

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "M %u %lx %lx %lx %4199[^\n]", &pid, &start, &bytes, &offset, path) == 5) {
			if (scope_grow(&input->map, &input->map_room, input->maps + 1, sizeof(*input->map)))
				return 1;
			input->map[input->maps++] = (struct scope_trace_map){ pid,   start, start + bytes, offset, true,
									      false, false, strdup(path),  "" };
		} else if (sscanf(line, "A %u %lx", &pid, &start) == 2) {
			if (scope_grow(&input->address, &input->room, input->count + 1, sizeof(*input->address)) ||
			    scope_grow(&input->tgid, &input->tgid_room, input->count + 1, sizeof(*input->tgid)))
				return 1;
			input->address[input->count] = start;
			input->tgid[input->count++] = pid;
		}
	}
	return !input->count;
}

static size_t name_all(struct scope_symbols *symbols, const struct input *input)
{
	const struct scope_function *function;
	size_t known = 0;

	for (size_t i = 0; i < input->count; i++)
		if (!scope_symbols_lookup(symbols, input->tgid[i], input->address[i], false, &function))
			known += function->known;
	return known;
}

int main(void)
{
	struct input input = { 0 };
	struct scope_symbols *symbols;
	double begin, cold, spent;
	size_t known, again = 0;

	if (input_read(stdin, &input))
		return fprintf(stderr, "no addresses\n"), 1;
	begin = now();
	if (scope_symbols_create(input.map, input.maps, NULL, 0, NULL, &symbols))
		return 1;
	known = name_all(symbols, &input);
	cold = now() - begin;
	begin = now();
	do {
		name_all(symbols, &input);
		again += input.count;
		spent = now() - begin;
	} while (spent < SECONDS);
	printf("symbols_per_s_cold %.0f addresses/s\n", input.count / cold);
	printf("symbols_per_s_cached %.0f addresses/s\n", again / spent);
	printf("symbols_named %.1f %%\n", 100.0 * known / input.count);
	printf("symbols_addresses %zu addresses\n", input.count);
	scope_symbols_destroy(symbols);
	for (size_t i = 0; i < input.maps; i++)
		free((char *)input.map[i].path);
	free(input.map);
	free(input.address);
	free(input.tgid);
	return 0;
}
