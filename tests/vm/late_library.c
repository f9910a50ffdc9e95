// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that opens a library some time after its start, and runs its code.
 *
 * Usage: late_library LIBRARY SECONDS     built with -DLIBRARY it is that library
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define APART __attribute__((noinline, noclone))

#ifdef LIBRARY

APART int late_inner(unsigned int turns)
{
	volatile int sum = 0;

	for (unsigned int i = 0; i < turns; i++)
		sum += (int)i;
	return sum;
}

int late_outer(unsigned int turns);
int late_outer(unsigned int turns)
{
	return late_inner(turns) + 1;
}

#else

APART static int early_inner(unsigned int turns)
{
	volatile int sum = 0;

	for (unsigned int i = 0; i < turns; i++)
		sum += (int)i;
	return sum;
}

int main(int argc, char **argv)
{
	int (*late)(unsigned int turns);
	time_t end;
	void *library;

	if (argc != 3)
		return 2;
	puts("main");
	fflush(stdout);
	for (end = time(NULL) + atoi(argv[2]); time(NULL) < end;)
		early_inner(10000);
	library = dlopen(argv[1], RTLD_NOW);
	late = library ? (int (*)(unsigned int))dlsym(library, "late_outer") : NULL;
	if (!late)
		return 1;
	for (;;)
		late(10000);
}

#endif
