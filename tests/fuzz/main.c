// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drives a fuzz program without libFuzzer: seeds from a directory, and changes of them. The same seed
 * gives the same inputs in the same order. An input is also an error if it takes 5 s of CPU time, or if the program
 * needs 1 GB of memory for it. Such an input is left in fuzz_NAME.bad in the working directory.
 *
 * Usage: fuzz_NAME [SECONDS [SEED [DIRECTORY [INPUTS]]]]      seconds of CPU time; INPUTS: their largest number
 *        fuzz_NAME -r FILE                                    that input once more
 */
#include <dirent.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "fuzz.h"

#define ROOM 65536
#define SEEDS_MAX 64

#define INPUT_S 5

#pragma weak LLVMFuzzerCustomMutator

/*
 * The address sanitizer reads this when it starts; it looks for leaks when the program ends. A target that needs other
 * options defines all of them.
 */
const char *__asan_default_options(void);
#pragma weak __asan_default_options
const char *__asan_default_options(void)
{
	return "hard_rss_limit_mb=1024:quarantine_size_mb=64:detect_leaks=1";
}

void __sanitizer_set_death_callback(void (*callback)(void));
#pragma weak __sanitizer_set_death_callback

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

static uint8_t data[ROOM];
static size_t data_bytes;
static char bad_name[4096];

static void keep_input(void)
{
	FILE *file = fopen(bad_name, "w");

	if (!file)
		return;
	fwrite(data, 1, data_bytes, file);
	fclose(file);
}

static void on_abort(int number)
{
	keep_input();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_slow(int number)
{
	(void)number;
	fuzz_die("an input took too long");
}

static void watch(const char *program)
{
	snprintf(bad_name, sizeof(bad_name), "%s.bad", program);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(keep_input);
	signal(SIGABRT, on_abort);
	if (!__sanitizer_set_death_callback)
		signal(SIGSEGV, on_abort);
	signal(SIGVTALRM, on_slow);
}

/* The count starts at 0 for each input. */
static void run_input(void)
{
	const struct itimerval limit = { .it_value.tv_sec = INPUT_S };

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	LLVMFuzzerTestOneInput(data, data_bytes);
}

static int run_again(const char *name)
{
	FILE *file = fopen(name, "r");

	if (!file)
		fuzz_die("cannot open that input");
	data_bytes = fread(data, 1, ROOM, file);
	fclose(file);
	snprintf(bad_name, sizeof(bad_name), "/dev/null");
	run_input();
	return 0;
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
	const uint64_t most = argc > 4 ? strtoull(argv[4], NULL, 10) : UINT64_MAX;
	uint64_t inputs = 0;

	watch(argv[0]);
	if (argc == 3 && !strcmp(argv[1], "-r"))
		return run_again(argv[2]);
	random_state = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 2 + 1;
	if (argc > 3)
		load(argv[3]);
	for (; clock() < ticks && inputs < most; inputs++) {
		uint32_t which = seeds ? draw(seeds) : 0;

		data_bytes = seeds ? seed_bytes[which] : 0;
		if (data_bytes)
			memcpy(data, seed_data[which], data_bytes);
		if (LLVMFuzzerCustomMutator)
			data_bytes = LLVMFuzzerCustomMutator(data, data_bytes, ROOM, draw(UINT32_MAX));
		else
			data_bytes = LLVMFuzzerMutate(data, data_bytes, ROOM);
		run_input();
	}
	printf("%s: %" PRIu64 " inputs\n", argv[0], inputs);
	return 0;
}
