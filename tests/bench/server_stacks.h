/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks of a server's functions, as a capture copies them: they are copied from this program. */
#ifndef SERVER_STACKS_H
#define SERVER_STACKS_H

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <scope/abi.h>

#include "capture/defaults.h"

enum place { PARSE, HASH, COPY, REPLY, LOCK_WAIT, MOVE, PLACES };

struct shot {
	uint64_t reg[SCOPE_REG_MAX];
	uint16_t regs;
	uint32_t bytes;
	uint8_t data[SCOPE_DEFAULT_STACK_BYTES];
};
static struct shot shots[PLACES];

static ucontext_t context;

/* The stack of the function in which context was taken, and which calls this one. top: where the stack begins. */
static __attribute__((noinline)) void keep_shot(enum place place, const uint8_t *top)
{
	struct shot *shot = &shots[place];
	const uint8_t *sp;

#if defined(__x86_64__)
	static const int order[] = { REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
				     REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP };

	shot->regs = SCOPE_REG_COUNT_X86_64;
	for (int i = 0; i < SCOPE_REG_COUNT_X86_64; i++)
		shot->reg[i] = (uint64_t)context.uc_mcontext.gregs[order[i]];
	sp = (const uint8_t *)shot->reg[7];
#elif defined(__aarch64__)
	shot->regs = SCOPE_REG_COUNT_ARM64;
	for (int i = 0; i < 31; i++)
		shot->reg[i] = context.uc_mcontext.regs[i];
	shot->reg[31] = context.uc_mcontext.sp;
	shot->reg[32] = context.uc_mcontext.pc;
	sp = (const uint8_t *)shot->reg[31];
#else
#error "server_trace: this architecture's registers are not known here"
#endif
	shot->bytes = top - sp < SCOPE_DEFAULT_STACK_BYTES ? top - sp : SCOPE_DEFAULT_STACK_BYTES;
	memcpy(shot->data, sp, shot->bytes);
}

#define take_shot(place, top) (getcontext(&context), keep_shot(place, top))
#define FUNCTION static __attribute__((noinline)) void
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

FUNCTION hash_key(const uint8_t *top)
{
	take_shot(HASH, top);
	NO_TAIL_CALL();
}
FUNCTION item_copy(const uint8_t *top)
{
	take_shot(COPY, top);
	NO_TAIL_CALL();
}
FUNCTION cache_lock(const uint8_t *top)
{
	take_shot(LOCK_WAIT, top);
	NO_TAIL_CALL();
}
FUNCTION reply_format(const uint8_t *top)
{
	take_shot(REPLY, top);
	NO_TAIL_CALL();
}
FUNCTION item_move(const uint8_t *top)
{
	take_shot(MOVE, top);
	NO_TAIL_CALL();
}

FUNCTION parse_line(const uint8_t *top)
{
	take_shot(PARSE, top);
	hash_key(top);
	NO_TAIL_CALL();
}

FUNCTION item_store(const uint8_t *top)
{
	cache_lock(top);
	item_copy(top);
	NO_TAIL_CALL();
}

FUNCTION handle_request(const uint8_t *top)
{
	parse_line(top);
	item_store(top);
	reply_format(top);
	NO_TAIL_CALL();
}

/* The buffer gives stacks the usual size of those of a server. */
FUNCTION worker_loop(const uint8_t *top)
{
	volatile uint8_t buffer[3000] = { 0 };

	handle_request(top);
	buffer[0] = buffer[1];
	NO_TAIL_CALL();
}

FUNCTION mover_loop(const uint8_t *top)
{
	item_move(top);
	NO_TAIL_CALL();
}

/* The functions that such a server would have, each once, in a thread with a separate stack. */
static void *run_once(void *argument)
{
	pthread_attr_t attributes;
	const uint8_t *top;
	void *stack;
	size_t bytes;

	if (pthread_getattr_np(pthread_self(), &attributes))
		abort();
	pthread_attr_getstack(&attributes, &stack, &bytes);
	pthread_attr_destroy(&attributes);
	top = (const uint8_t *)stack + bytes;
	worker_loop(top);
	mover_loop(top);
	return argument;
}

/* Fills shots. Returns 0, or an error number. */
static int server_stacks_take(void)
{
	pthread_t thread;
	int code = pthread_create(&thread, NULL, run_once, NULL);

	return code ? code : pthread_join(thread, NULL);
}

#endif
