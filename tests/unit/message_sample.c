// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program whose messages have names of functions, for test_message_names.c. EXPORTED: functions with a symbol pass theirs as
 * well; else LOGGERS: the number of functions that log with a format that begins with the name.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* So that the compiler moves calls of it away. */
void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
	__attribute__((cold, noreturn));

#define NOINLINE __attribute__((noinline, noclone))

volatile int input;

NOINLINE static void say(int level, const char *function, const char *what)
{
	if (level < input)
		printf("%s %s\n", function, what);
}

NOINLINE static void note(const char *format, const char *name)
{
	if (input > 1)
		printf(format, name);
}

NOINLINE static int option(const char *name)
{
	return input + name[0];
}

#ifdef EXPORTED
#define EXPORT(name)                                                                                                   \
	NOINLINE int name(void)                                                                                        \
	{                                                                                                              \
		say(1, __func__, "exported");                                                                          \
		return input + 1;                                                                                      \
	}
EXPORT(open_store)
EXPORT(close_store)
EXPORT(read_store)
EXPORT(write_store)
#if EXPORTED > 4
EXPORT(sync_store)
#else
#define sync_store() 0
#endif

/* Named by comparison with the functions above. */
NOINLINE static int compact_store(void)
{
	say(2, __func__, "static");
	return input * 3;
}
#endif

/* Words that are no names of functions, each from one function. */
NOINLINE static int read_verbose(void)
{
	return option("verbose_mode") + 1;
}

NOINLINE static int read_depth(void)
{
	return option("tree_depth") * 2;
}

NOINLINE static int read_limit(void)
{
	return option("upper_limit") * 3;
}

/* Its check fails in a part that is moved away. */
NOINLINE static int check_entry(int entry)
{
	assert(entry >= 0);
	return entry * 7;
}

/* Code of this one is in both callers: neither has its name. */
static inline __attribute__((always_inline)) int checked(int value)
{
	assert(value != 77);
	return value + 1;
}

NOINLINE static int first_caller(int value)
{
	return checked(value) * 5;
}

/* It has a name of its own beside the inlined one. */
NOINLINE static int second_caller(int value)
{
	assert(value < 1000000);
	return checked(value) * 11;
}

#define LOGGER(name)                                                                                                   \
	NOINLINE static int name(void)                                                                                 \
	{                                                                                                              \
		note("%s: begins\n", __func__);                                                                        \
		return input;                                                                                          \
	}
LOGGER(load_table)
LOGGER(load_index)
#if LOGGERS > 2
LOGGER(load_names)
#else
#define load_names() 0
#endif

int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	input = argc - 1;
#ifdef EXPORTED
	sum += open_store() + close_store() + read_store() + write_store() + sync_store() + compact_store();
#endif
	sum += read_verbose() + read_depth() + read_limit() + check_entry(argc) + first_caller(argc);
	sum += second_caller(argc) + load_table() + load_index() + load_names();
	return sum == 12345;
}
