// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drives a fuzz program without libFuzzer: seeds from a directory, and changes of them. The same seed
 * gives the same inputs in the same order.
 *
 * Usage: fuzz_NAME [SECONDS [SEED [DIRECTORY]]]      seconds of the processor
 */
#include <dirent.h>
#include <time.h>

#include "fuzz.h"

#define ROOM 65536
#define SEEDS_MAX 64

#pragma weak LLVMFuzzerCustomMutator

static uint64_t random_state;
static uint8_t *seed_data[SEEDS_MAX];
static size_t seed_bytes[SEEDS_MAX], seeds;

/* xorshift64*, Vigna 2016. */
static uint32_t draw(uint32_t below)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (random_state * 2685821657736338717ull >> 32) % below;
}

size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t room)
{
	static const uint8_t special[] = { 0, 1, 7, 8, 0x1f, 0x20, 0x7f, 0x80, 0xff, '-', '\n' };

	if (!bytes)
		data[bytes++] = draw(256);
	for (uint32_t count = draw(8) + 1; count; count--) {
		uint32_t at = draw(bytes), from = draw(bytes), length = draw(32) + 1;

		switch (draw(6)) {
		case 0:
			data[at] ^= 1 << draw(8);
			break;
		case 1:
			data[at] = special[draw(sizeof(special))];
			break;
		case 2:
			data[at] = draw(256);
			break;
		case 3:
			if (at + length <= bytes && from + length <= bytes)
				memmove(data + at, data + from, length);
			break;
		case 4:
			if (bytes + length <= room) {
				memmove(data + at + length, data + at, bytes - at);
				bytes += length;
			}
			break;
		case 5:
			if (!draw(8))
				bytes = at + 1;
			break;
		}
	}
	return bytes;
}

static void load(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	char path[4096];
	FILE *file;

	while (dir && seeds < SEEDS_MAX && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		file = entry->d_type == DT_REG ? fopen(path, "r") : NULL;
		if (!file)
			continue;
		seed_data[seeds] = malloc(ROOM);
		if (!seed_data[seeds])
			fuzz_die("no memory");
		seed_bytes[seeds] = fread(seed_data[seeds], 1, ROOM, file);
		seeds++;
		fclose(file);
	}
	if (dir)
		closedir(dir);
}

int main(int argc, char **argv)
{
	const clock_t ticks = (argc > 1 ? strtol(argv[1], NULL, 10) : 10) * CLOCKS_PER_SEC;
	static uint8_t data[ROOM];
	uint64_t inputs = 0;

	random_state = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 2 + 1;
	if (argc > 3)
		load(argv[3]);
	for (; clock() < ticks; inputs++) {
		uint32_t which = seeds ? draw(seeds) : 0;
		size_t bytes = seeds ? seed_bytes[which] : 0;

		if (bytes)
			memcpy(data, seed_data[which], bytes);
		if (LLVMFuzzerCustomMutator)
			bytes = LLVMFuzzerCustomMutator(data, bytes, ROOM, draw(UINT32_MAX));
		else
			bytes = LLVMFuzzerMutate(data, bytes, ROOM);
		LLVMFuzzerTestOneInput(data, bytes);
	}
	printf("%s: %" PRIu64 " inputs\n", argv[0], inputs);
	return 0;
}
