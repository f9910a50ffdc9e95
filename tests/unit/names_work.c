// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that spends its time in functions of known names, of its own or of a library it opens. Its
 * seconds are CPU time, so that a trace on a busy host has as many samples as on an idle one.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

#ifdef LIBRARY

void library_burns(double seconds);
__attribute__((noinline)) void library_burns(double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		for (volatile int i = 0; i < 100000; i++)
			;
}

#else

__attribute__((noinline)) static void program_burns(double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		for (volatile int i = 0; i < 100000; i++)
			;
}

__attribute__((noinline)) static int program_recurses(int depth, double seconds)
{
	volatile char room[64];

	room[depth % 64] = 1;
	if (depth)
		return program_recurses(depth - 1, seconds) + room[depth % 64];
	program_burns(seconds);
	return room[0];
}

/* For those seconds a library is there, and gone before the program ends. */
static int open_library(const char *path, double seconds)
{
	void (*burns)(double seconds);
	void *library = dlopen(path, RTLD_NOW);

	if (!library || !(burns = dlsym(library, "library_burns"))) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	burns(seconds);
	return dlclose(library);
}

/* SECONDS [LIBRARY SECONDS | DEPTH]: waits for a line first. */
int main(int argc, char **argv)
{
	char line[16];

	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	if (argc == 3)
		return !program_recurses(atoi(argv[2]), atof(argv[1]));
	if (argc > 3 && open_library(argv[2], atof(argv[3])))
		return 1;
	program_burns(argc > 1 ? atof(argv[1]) : 1);
	return 0;
}

#endif
