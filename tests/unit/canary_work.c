// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program with secrets in the places where programs have them: on stacks, on the heap, in the environment, in registers, beside
 * locks, and where a walk by frame pointers looks for return addresses. Each is a tag of four letters and "secr", so that a found secret identifies its place.
 *
 * Usage: canary_work    Prints its process number, then works until it is killed.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WORDS 32

/* Made while it runs: a program's own file is no memory of its users. */
static uint64_t word_of(const char *tag)
{
	char text[9];
	uint64_t word;

	snprintf(text, sizeof(text), "%.4s%.1s%.1s%.1s%.1s", tag, "s", "e", "c", "r");
	memcpy(&word, text, sizeof(word));
	return word;
}

static void fill(uint64_t *room, const char *tag)
{
	for (int i = 0; i < WORDS; i++)
		room[i] = word_of(tag);
}

/* A lock of the program's own: a futex with secrets after it. */
static struct {
	uint32_t word;
	char beside[WORDS * 8];
} own_lock = { .word = 1 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* In all registers that a call keeps, while it sleeps. */
static __attribute__((noinline)) void sleep_with(uint64_t word)
{
	struct timespec time = { 0, 5000000 };
#ifdef __x86_64__
	register uint64_t number asm("rax") = SYS_nanosleep, first asm("rdi") = (uintptr_t)&time;
	register uint64_t second asm("rsi") = 0, third asm("rdx") = word, fourth asm("r10") = word;
	register uint64_t fifth asm("r8") = word, sixth asm("r9") = word, b asm("rbx") = word;
	register uint64_t c asm("r12") = word, d asm("r13") = word, e asm("r14") = word;

	asm volatile("syscall"
		     : "+r"(number)
		     : "r"(first), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth), "r"(b), "r"(c), "r"(d),
		       "r"(e)
		     : "rcx", "r11", "memory");
#else
	nanosleep(&time, NULL);
	asm volatile("" : : "r"(word));
#endif
}

/* Sleeps in a function without a frame pointer: the register has other data, which a walk takes for frames. */
static __attribute__((noinline)) void sleep_beside(const uint64_t *chain)
{
#ifdef __x86_64__
	struct timespec time = { 0, 3000000 };
	long number = SYS_nanosleep;

	asm volatile("sub $128, %%rsp\n\tpush %%rbp\n\tmov %3, %%rbp\n\tsyscall\n\tpop %%rbp\n\tadd $128, %%rsp"
		     : "+a"(number)
		     : "D"(&time), "S"(0), "r"(chain)
		     : "rcx", "r11", "memory");
#else
	asm volatile("" : : "r"(chain) : "memory");
#endif
}

static void lay_chain(uint64_t *room)
{
	for (int i = 0; i < WORDS; i += 2) {
		room[i] = i + 2 < WORDS ? (uintptr_t)&room[i + 2] : 0;
		room[i + 1] = word_of("ChAi");
	}
}

static __attribute__((noinline)) void serve(void)
{
	uint64_t room[WORDS], chain[WORDS];
	const struct timespec time = { 0, 1000000 };

	lay_chain(chain);
	sleep_beside(chain);
	syscall(SYS_futex, &own_lock.word, FUTEX_WAIT, 1, &time, NULL, 0);

	fill(room, "StAk");
	asm volatile("" : : "r"(room) : "memory");
	sleep_with(word_of("ReGi"));
	for (volatile int i = 0; i < 200000; i++)
		asm volatile("" : : "r"(room) : "memory");
}

static void *stand(void *context)
{
	uint64_t room[WORDS];

	fill(room, "StNd");
	asm volatile("" : : "r"(room) : "memory");
	if (context)
		pthread_mutex_lock(&lock);
	else
		syscall(SYS_futex, &own_lock.word, FUTEX_WAIT, 1, NULL, NULL, 0);
	return NULL;
}

int main(void)
{
	uint64_t *heap = malloc(WORDS * sizeof(*heap)), room[WORDS];
	pthread_t thread[2];

	fill(heap, "HeAp");
	fill(room, "FuTx");
	memcpy(own_lock.beside, room, sizeof(room));
	pthread_mutex_lock(&lock);
	pthread_create(&thread[0], NULL, stand, NULL);
	pthread_create(&thread[1], NULL, stand, heap);
	printf("%d\n", getpid());
	fflush(stdout);
	for (;;)
		serve();
}
