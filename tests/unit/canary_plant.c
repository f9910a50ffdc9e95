// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loaded by LD_PRELOAD, puts secrets into any program: on the stacks of all its threads, above their frames; on its heap;
 * and on the stack of a thread that sleeps at a lock, with more secrets beside the lock. Each secret is a tag of four letters and
 * "secr", as in canary_work.c.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define WORDS 256

typedef int main_function(int argc, char **argv, char **environment);
typedef int start_function(main_function *begin, int argc, char **argv, void (*init)(void), void (*fini)(void),
			   void (*linker)(void), void *stack);
typedef int create_function(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

struct work {
	void *(*run)(void *);
	void *argument;
};

static main_function *real_main;
static struct {
	uint32_t word;
	uint64_t beside[WORDS];
} lock = { .word = 1 };

/* Made while it runs: a program's own file is no memory of its users. */
static __attribute__((noinline)) void fill(uint64_t *room, const char *tag)
{
	char text[9];

	snprintf(text, sizeof(text), "%.4s%.1s%.1s%.1s%.1s", tag, "s", "e", "c", "r");
	for (int i = 0; i < WORDS; i++)
		memcpy(room + i, text, sizeof(*room));
	asm volatile("" : : "r"(room) : "memory");
}

static void *run_above(void *argument)
{
	const struct work work = *(struct work *)argument;
	uint64_t room[WORDS];
	void *result;

	free(argument);
	fill(room, "StAk");
	result = work.run(work.argument);
	asm volatile("" : : "r"(room) : "memory");
	return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	create_function *create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
	struct work *work = malloc(sizeof(*work));

	if (!work)
		return 11;
	*work = (struct work){ run, argument };
	return create(thread, attributes, run_above, work);
}

static void *stand(void *argument)
{
	uint64_t room[WORDS];

	fill(room, "StNd");
	for (;;)
		syscall(SYS_futex, &lock.word, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	return argument;
}

/* Threads do not survive a fork: a child has one of its own. */
static void plant(void)
{
	create_function *create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
	pthread_t thread;

	create(&thread, NULL, stand, NULL);
}

static int main_above(int argc, char **argv, char **environment)
{
	uint64_t room[WORDS];
	uint64_t *heap = malloc(sizeof(room));
	int status;

	fill(room, "StAk");
	fill(lock.beside, "FuTx");
	if (heap)
		fill(heap, "HeAp");
	plant();
	pthread_atfork(NULL, NULL, plant);
	status = real_main(argc, argv, environment);
	asm volatile("" : : "r"(room), "r"(heap) : "memory");
	return status;
}

int __libc_start_main(main_function *begin, int argc, char **argv, void (*init)(void), void (*fini)(void),
		      void (*linker)(void), void *stack)
{
	start_function *start = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");

	real_main = begin;
	return start(main_above, argc, argv, init, fini, linker, stack);
}
