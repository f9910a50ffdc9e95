// SPDX-License-Identifier: GPL-2.0-only
/* A program whose call stacks are known: threads blocked in libc, or calls kept on a second stack. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define QUIET __attribute__((no_instrument_function))
#define APART __attribute__((noinline, noclone))
#define AFTER() __asm__ volatile("" ::: "memory") /* so that a call before it is no jump */

#define SHADOW_DEPTH 256

/* Functions entered and not yet left, outermost first; read by the test while this does not run. */
struct shadow {
	volatile uint64_t depth;
	void *volatile function[SHADOW_DEPTH];
} shadow;

QUIET void __cyg_profile_func_enter(void *function, void *site);
QUIET void __cyg_profile_func_exit(void *function, void *site);

QUIET void __cyg_profile_func_enter(void *function, void *site)
{
	(void)site;
	shadow.function[shadow.depth] = function;
	shadow.depth++;
}

QUIET void __cyg_profile_func_exit(void *function, void *site)
{
	(void)function, (void)site;
	shadow.depth--;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, free_one = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int sockets[2];

static void say(const char *name)
{
	char line[64];
	int bytes = snprintf(line, sizeof(line), "%s %ld\n", name, syscall(SYS_gettid));

	if (write(1, line, bytes) != bytes)
		_exit(3);
}

APART void sleep_inner(int arg)
{
	struct timespec time = { 1000, arg };

	nanosleep(&time, NULL);
	AFTER();
}

APART void receive_inner(int arg)
{
	char buffer[100 + 0 * arg];

	recv(sockets[0], buffer, sizeof(buffer), 0);
	AFTER();
}

APART void lock_inner(int arg)
{
	pthread_mutex_lock(&held);
	(void)arg;
	AFTER();
}

APART void wait_inner(int arg)
{
	pthread_mutex_lock(&free_one);
	pthread_cond_wait(&never, &free_one);
	(void)arg;
	AFTER();
}

#define OUTER(name)                                                                                                    \
	APART void name##_outer(int arg)                                                                               \
	{                                                                                                              \
		volatile char room[300];                                                                               \
                                                                                                                       \
		room[arg] = 0;                                                                                         \
		name##_inner(arg + room[arg]);                                                                         \
		AFTER();                                                                                               \
	}                                                                                                              \
	APART void *name##_thread(void *arg)                                                                           \
	{                                                                                                              \
		say(#name);                                                                                            \
		name##_outer(!arg);                                                                                    \
		AFTER();                                                                                               \
		return NULL;                                                                                           \
	}

OUTER(sleep)
OUTER(receive)
OUTER(lock)
OUTER(wait)

/* As CPython's trampolines (-X perf): sub $8,%rsp; call *%rcx; add $8,%rsp; ret. No tables, no frame pointer. */
static const unsigned char trampoline[] = { 0x48, 0x83, 0xec, 8, 0xff, 0xd1, 0x48, 0x83, 0xc4, 8, 0xc3 };
static void (*made)(long, long, long, void (*)(int));

APART void made_inner(int arg)
{
	struct timespec time = { 1000, !!arg };

	nanosleep(&time, NULL);
	AFTER();
}

APART void made_outer(int arg)
{
	volatile char room[300];

	room[arg] = 0;
	made(arg + room[arg], 0, 0, made_inner);
	AFTER();
}

APART void *made_thread(void *arg)
{
	say("made");
	made_outer(!arg);
	AFTER();
	return NULL;
}

static void call_made_code(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;

	if (code == MAP_FAILED)
		exit(3);
	memcpy(code, trampoline, sizeof(trampoline));
	memcpy(&made, &code, sizeof(made));
	pthread_create(&thread, NULL, made_thread, NULL);
	pthread_join(thread, NULL);
}

static void block(void)
{
	void *(*const start[])(void *) = { sleep_thread, receive_thread, lock_thread, wait_thread };
	pthread_t thread[4];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) || pthread_mutex_lock(&held))
		exit(3);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, start[i], NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static unsigned int state = 1;
static bool clocks, partly; /* what tree() calls, too */

QUIET static unsigned int chance(unsigned int below)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

APART int compare(const void *a, const void *b)
{
	AFTER();
	return *(const int *)a - *(const int *)b;
}

APART void leaf(unsigned int turns)
{
	for (volatile unsigned int i = 0; i < turns; i++)
		AFTER();
}

APART void sorter(unsigned int depth)
{
	int numbers[40];

	for (int i = 0; i < 40; i++)
		numbers[i] = chance(1000);
	qsort(numbers, 40, sizeof(int), compare);
	leaf(numbers[0] + depth);
	AFTER();
}

APART void printer(unsigned int depth)
{
	char text[200], *copy;

	snprintf(text, sizeof(text), "%u %f %s", depth, depth / 3.0, "text");
	copy = strdup(text);
	leaf(strlen(copy));
	free(copy);
	AFTER();
}

/* In the kernel's page that is mapped into each program. */
APART void clock_reader(unsigned int turns)
{
	struct timespec time;

	for (unsigned int i = 0; i < turns; i++)
		clock_gettime(CLOCK_MONOTONIC, &time);
	AFTER();
}

__attribute__((cold)) APART void rare(unsigned int depth)
{
	leaf(depth * 20);
	AFTER();
}

/* The compiler puts what leads to a cold function into a part of its own, NAME.cold. */
APART void partly_cold(unsigned int depth)
{
	char text[100] = "";

	if (chance(3)) {
		leaf(depth);
	} else {
		snprintf(text, sizeof(text), "%u", depth);
		rare(depth);
		leaf(strlen(text));
		sorter(depth);
	}
	AFTER();
}

APART void tree(unsigned int depth)
{
	unsigned int children = depth < 7 ? 1 + chance(3) : 0;

	if (clocks)
		clock_reader(depth);
	if (partly)
		partly_cold(depth);

	for (unsigned int i = 0; i < children; i++) {
		switch (chance(4)) {
		case 0:
			sorter(depth);
			break;
		case 1:
			printer(depth);
			break;
		case 2:
			leaf(chance(300));
			break;
		default:
			tree(depth + 1);
		}
	}
	AFTER();
}

/* Interrupts anything, a note of a call too: the slot it was about to fill is put back. */
QUIET static void on_signal(int number)
{
	void *slot = shadow.function[shadow.depth];

	(void)number;
	__cyg_profile_func_enter(on_signal, NULL);
	leaf(2000);
	__cyg_profile_func_exit(on_signal, NULL);
	shadow.function[shadow.depth] = slot;
}

static void interrupt(void)
{
	struct itimerval often = { { 0, 700 }, { 0, 700 } };

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
}

/* 60,000 mappings, every other one of code; the kernel allows a process 65,530. */
static void map_much(void)
{
	const size_t page = 4096, pages = 60000;
	char *memory = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; memory != MAP_FAILED && i < pages; i += 2)
		if (mprotect(memory + i * page, page, PROT_READ | PROT_EXEC))
			exit(3);
}

static void run(void)
{
	for (;;)
		tree(0);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "maps"))
		map_much();
	printf("shadow %p\n", (void *)&shadow);
	fflush(stdout);
	say("main");
	if (argc > 1 && !strcmp(argv[1], "signals"))
		interrupt();
	clocks = argc > 1 && !strcmp(argv[1], "clocks");
	partly = argc > 1 && !strcmp(argv[1], "partly");
	if (argc > 1 && !strcmp(argv[1], "made"))
		call_made_code();
	if (argc > 1 && strcmp(argv[1], "block"))
		run();
	block();
	return 0;
}
