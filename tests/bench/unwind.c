// SPDX-License-Identifier: GPL-2.0-only
/* Measures how fast copied stacks are unwound and addresses named, on stacks of this very process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "symbol/symbol.h"

#define STACKS 256
#define SLICE_BYTES 8192
#define DEPTH_MAX 128
#define MAPS_MAX 256
#define SECONDS 2.0

static struct {
	uint64_t reg[SCOPE_REG_COUNT_X86_64];
	uint8_t data[SLICE_BYTES];
	size_t bytes;
} stack[STACKS];
static unsigned int stacks;
static uintptr_t stack_top;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time); /* others may use the machine */
	return time.tv_sec + time.tv_nsec / 1e9;
}

__attribute__((noinline)) static void stack_copy(void)
{
	/* getcontext() saves what a function keeps for its caller, the stack pointer and pc. */
	static const int reg[SCOPE_REG_COUNT_X86_64] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	ucontext_t context;
	size_t above;

	if (stacks == STACKS || getcontext(&context))
		return;
	for (unsigned int i = 0; i < SCOPE_REG_COUNT_X86_64; i++)
		stack[stacks].reg[i] = context.uc_mcontext.gregs[reg[i]];
	above = stack_top - stack[stacks].reg[7];
	stack[stacks].bytes = above < SLICE_BYTES ? above : SLICE_BYTES;
	memcpy(stack[stacks].data, (void *)stack[stacks].reg[7], stack[stacks].bytes);
	stacks++;
}

static void dig(unsigned int depth);

static int compare(const void *a, const void *b)
{
	stack_copy();
	if (stacks % 8 == 0)
		dig(stacks % 5);
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static void dig(unsigned int depth)
{
	volatile int room[8] = { depth };

	if (depth)
		dig(depth - 1);
	else
		stack_copy();
	room[1] = room[0];
}

__attribute__((noinline)) static void sort(unsigned int depth)
{
	int numbers[16];

	if (depth)
		sort(depth - 1);
	for (int i = 0; i < 16; i++)
		numbers[i] = i * 7 % 16;
	qsort(numbers, 16, sizeof(*numbers), compare);
}

static size_t maps_read(struct scope_trace_map *map)
{
	FILE *file = fopen("/proc/self/maps", "r");
	size_t maps = 0;
	char line[4352];

	while (file && maps < MAPS_MAX && fgets(line, sizeof(line), file)) {
		unsigned long start, end, offset;
		char flags[8];
		int at = 0;

		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &end, flags, &offset, &at) < 4)
			continue;
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line + at, "[stack]"))
			stack_top = end;
		map[maps++] = (struct scope_trace_map){
			1, start, end, offset, flags[2] == 'x', false, false, strdup(line + at), ""
		};
	}
	if (file)
		fclose(file);
	return maps;
}

int main(void)
{
	static struct scope_trace_map map[MAPS_MAX];
	size_t maps = maps_read(map);
	uint64_t ip[DEPTH_MAX];
	unsigned int count, flags, complete = 0;
	unsigned long frames = 0, done = 0, lookups = 0;
	struct scope_symbols *symbols;
	const struct scope_function *function;
	double begin, first;

	sort(6);
	if (scope_symbols_create(map, maps, NULL, 0, NULL, &symbols))
		return 1;
	begin = now();
	for (unsigned int i = 0; i < stacks; i++) {
		scope_symbols_unwind(symbols, 1, stack[i].reg, SCOPE_REG_COUNT_X86_64, stack[i].data, stack[i].bytes,
				     ip, DEPTH_MAX, &count, &flags);
		complete += flags == SCOPE_UNWIND_COMPLETE;
		frames += count;
		for (unsigned int k = 0; k < count; k++)
			scope_symbols_lookup(symbols, 1, ip[k], k > 0, &function);
	}
	first = now() - begin;
	if (complete != stacks)
		return fprintf(stderr, "%u of %u stacks complete\n", complete, stacks), 1;
	for (begin = now(); now() - begin < SECONDS; done++)
		scope_symbols_unwind(symbols, 1, stack[done % stacks].reg, SCOPE_REG_COUNT_X86_64,
				     stack[done % stacks].data, stack[done % stacks].bytes, ip, DEPTH_MAX, &count,
				     &flags);
	printf("unwind_frames_per_stack %.1f frames\n", (double)frames / stacks);
	printf("unwind_first_ms %.1f ms\n", 1000 * first);
	printf("unwind_stacks_per_s %.0f stacks/s\n", done / (now() - begin));
	for (begin = now(); now() - begin < SECONDS; lookups += count) {
		for (unsigned int k = 0; k < count; k++)
			scope_symbols_lookup(symbols, 1, ip[k], k > 0, &function);
	}
	printf("lookups_per_s %.0f lookups/s\n", lookups / (now() - begin));
	scope_symbols_destroy(symbols);
	for (size_t i = 0; i < maps; i++)
		free((char *)map[i].path);
	return 0;
}
