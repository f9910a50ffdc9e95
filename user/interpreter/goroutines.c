// SPDX-License-Identifier: GPL-2.0-only
/* Reads from outside where goroutines of a Go program wait. */
#include "interpreter/goroutines.h"

#include <stdio.h>
#include <string.h>

/* struct g and struct gobuf of runtime/runtime2.go, on machines of 64 bits. */
#define G_STACK_LOW 0
#define G_STACK_HIGH 8
#define G_SP 56
#define G_PC 64
#define G_BP 104
#define G_WORDS 14 /* no rule: up to G_BP */

#define WAITING 4      /* value of status: parked */
#define IN_SYSCALL 3   /* value of status: in a system call */
#define FRAME_WORDS 64 /* words of the stack in which the frame of a system call's function is searched */
#define SLEEP_FRAMES                                                                                                   \
	5 /* innermost frames whose words change while a goroutine sleeps repeatedly: two of the runtime, and that of the loop */
#define WAIT_SCAN 0x1000u	/* a bit of status: the garbage collector scans its stack, which changes nothing */
#define STACK_MAX (1ull << 30)	/* the largest stack of a goroutine, by default */
#define STACK_READ (16u << 10)	/* bytes of a stack that are read */
#define CHUNK 512		/* pointers that are read at once */
#define LENGTH_MAX (1ull << 32) /* the longest list; larger values are addresses */

/* Versions before 1.18 are not in the file in this form. From 1.25 on gobuf has another layout. */
static const struct {
	unsigned first, last; /* minor versions x of 1.x */
	uint32_t status;
} rows[] = {
	{ 18, 22, 144 },
	{ 23, 24, 152 },
};

/*
 * Finds the two words that the code reads first, as in atomicAllG(): MOVQ disp32(RIP), register. The code does not show
 * which of them is the list; their values do: see look().
 */
static bool find_words(uint64_t address, const uint8_t *code, size_t bytes, uint64_t *word)
{
	unsigned found = 0;

#ifdef __x86_64__
	for (size_t i = 0; i + 7 <= bytes && found < 2; i++) {
		int32_t offset;

		/* REX.W, or with REX.R; MOV; mod 0 and r/m 5. */
		if ((code[i] & 0xfb) != 0x48 || code[i + 1] != 0x8b || (code[i + 2] & 0xc7) != 0x05)
			continue;
		memcpy(&offset, code + i + 3, sizeof(offset));
		word[found++] = address + i + 7 + (uint64_t)(int64_t)offset;
		i += 6;
	}
#else
	(void)address, (void)code, (void)bytes, (void)word;
#endif
	return found == 2;
}

bool scope_interpreter_goroutines_find(const char *version, uint64_t address, const uint8_t *code, size_t bytes,
				       struct scope_goroutines *ret_goroutines)
{
	struct scope_goroutines goroutines = { 0 };
	uint64_t word[2];
	unsigned minor;

	if (sscanf(version, "go1.%u", &minor) != 1 || !find_words(address, code, bytes, word))
		return false;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (minor >= rows[i].first && minor <= rows[i].last)
			goroutines.status = rows[i].status;
	goroutines.list = word[0];
	goroutines.length = word[1];
	*ret_goroutines = goroutines;
	return goroutines.status;
}

/* ---- one goroutine ---- */

struct parked {
	uint64_t low, high, sp, pc, bp;
	bool in_syscall;
};

static bool read_parked(struct scope_memory *memory, const struct scope_goroutines *goroutines, uint64_t g,
			struct parked *ret_parked)
{
	uint8_t bytes[256];
	uint64_t word[G_WORDS];
	uint32_t status;

	if (!scope_interpreter_memory_now(memory, g, bytes, goroutines->status + sizeof(status)))
		return false;
	memcpy(&status, bytes + goroutines->status, sizeof(status));
	memcpy(word, bytes, sizeof(word));
	*ret_parked = (struct parked){
		.low = word[G_STACK_LOW / 8],
		.high = word[G_STACK_HIGH / 8],
		.sp = word[G_SP / 8],
		.pc = word[G_PC / 8],
		.bp = word[G_BP / 8],
	};
	status &= ~WAIT_SCAN;
	ret_parked->in_syscall = status == IN_SYSCALL;
	/* The frame pointer of a goroutine in a system call is not saved. */
	if (ret_parked->in_syscall)
		ret_parked->bp = 0;
	return (status == WAITING || status == IN_SYSCALL) && ret_parked->sp > ret_parked->low &&
	       ret_parked->sp < ret_parked->high && ret_parked->high - ret_parked->low <= STACK_MAX && ret_parked->pc;
}

enum walk_end { WALK_START, WALK_CUT, WALK_BROKEN };

/* Walks the frames, each of which begins with the address of its caller's frame. Returns their number. */
static uint16_t walk(const struct parked *parked, const uint8_t *stack, size_t bytes, uint64_t *address,
		     enum walk_end *ret_end)
{
	uint64_t bp = parked->bp, least = parked->sp;
	uint16_t count = 0;

	address[count++] = parked->pc;
	*ret_end = WALK_START;
	while (bp) {
		uint64_t pair[2];

		*ret_end = WALK_BROKEN;
		if (bp < least || bp % 8 || bp >= parked->high)
			break;
		if (count == SCOPE_WAITING_FRAMES || bp - parked->sp + sizeof(pair) > bytes) {
			*ret_end = WALK_CUT;
			break;
		}
		memcpy(pair, stack + (bp - parked->sp), sizeof(pair));
		if (!pair[1])
			break;
		*ret_end = WALK_START;
		address[count++] = pair[1];
		least = bp + sizeof(pair);
		bp = pair[0];
	}
	return count;
}

/*
 * Finds the innermost frame of a goroutine in a system call: the first word of the stack from which frame pointers lead
 * to the begin of the goroutine.
 */
static bool find_frame(struct parked *parked, const uint8_t *stack, size_t bytes)
{
	uint64_t address[SCOPE_WAITING_FRAMES];
	enum walk_end end;

	for (unsigned i = 0; i < FRAME_WORDS && (i + 2) * sizeof(uint64_t) <= bytes; i++) {
		uint64_t pair[2];

		parked->bp = parked->sp + i * sizeof(uint64_t);
		memcpy(pair, stack + i * sizeof(uint64_t), sizeof(pair));
		if (pair[0] > parked->bp && pair[0] < parked->high && !(pair[0] % 8) &&
		    walk(parked, stack, bytes, address, &end) > 2 && end == WALK_START)
			return true;
	}
	return false;
}

/* ---- for how long it has waited ---- */

/* The first of the words that do not change while the goroutine waits. */
static size_t first_word(const struct scope_goroutines *goroutines, const struct parked *parked, const uint8_t *stack,
			 size_t bytes, const uint64_t *address, uint16_t count)
{
	uint64_t bp = parked->bp;

	if (count < 2 || address[1] <= goroutines->sleep || address[1] > goroutines->sleep_end)
		return 0;
	for (unsigned i = 1; i < SLEEP_FRAMES && i + 1 < count; i++)
		memcpy(&bp, stack + (bp - parked->sp), sizeof(bp));
	return bp - parked->sp < bytes ? (bp - parked->sp) / 8 * 8 : 0;
}

static uint64_t hash_of(const struct parked *parked, const uint8_t *stack, size_t bytes)
{
	uint64_t hash = parked->pc ^ parked->sp << 1 ^ parked->bp << 2, word; /* no rule: FNV-1a, of words */

	for (size_t i = 0; i + sizeof(word) <= bytes; i += sizeof(word)) {
		memcpy(&word, stack + i, sizeof(word));
		hash = (hash ^ word) * 1099511628211ull; /* no rule */
		hash ^= hash >> 32;
	}
	return hash;
}

/* ---- all of them ---- */

static void look_at(struct scope_memory *memory, const struct scope_goroutines *goroutines, uint64_t g, uint64_t now_ns,
		    struct scope_waiting_tasks *waits, struct scope_waiting_places *places)
{
	static uint8_t stack[STACK_READ];
	uint64_t address[SCOPE_WAITING_FRAMES];
	struct parked parked, again;
	uint32_t waited;
	uint16_t count;
	size_t bytes, from;
	enum walk_end end;

	if (!read_parked(memory, goroutines, g, &parked))
		return;
	places->looked++;
	bytes = parked.high - parked.sp < sizeof(stack) ? parked.high - parked.sp : sizeof(stack);
	if (!scope_interpreter_memory_now(memory, parked.sp, stack, bytes) ||
	    !read_parked(memory, goroutines, g, &again) || memcmp(&parked, &again, sizeof(parked))) {
		places->torn++;
		return;
	}
	if (parked.in_syscall && !find_frame(&parked, stack, bytes))
		return;
	count = walk(&parked, stack, bytes, address, &end);
	from = first_word(goroutines, &parked, stack, bytes, address, count);
	waited = scope_interpreter_waiting_s(waits, g, hash_of(&parked, stack + from, bytes - from), now_ns);
	if (!parked.in_syscall || waited)
		scope_interpreter_waiting_add(places, address, count, end == WALK_CUT, waited);
}

bool scope_interpreter_goroutines_look(struct scope_memory *memory, const struct scope_goroutines *goroutines,
				       uint64_t now_ns, struct scope_waiting_tasks *waits,
				       struct scope_waiting_places *ret_places)
{
	uint64_t list, length, g[CHUNK];

	scope_interpreter_waiting_begin(waits, ret_places);
	if (!scope_interpreter_memory_now(memory, goroutines->list, &list, sizeof(list)) ||
	    !scope_interpreter_memory_now(memory, goroutines->length, &length, sizeof(length)))
		return false;
	if (length > list) {
		const uint64_t other = list;

		list = length;
		length = other;
	}
	if (!length || length >= LENGTH_MAX || list < LENGTH_MAX)
		return false;
	if (length > SCOPE_WAITING_TASKS_MAX)
		length = SCOPE_WAITING_TASKS_MAX;
	for (uint64_t i = 0; i < length; i += CHUNK) {
		const uint64_t count = length - i < CHUNK ? length - i : CHUNK;

		if (!scope_interpreter_memory_now(memory, list + i * sizeof(*g), g, count * sizeof(*g)))
			return i;
		for (uint64_t j = 0; j < count; j++)
			look_at(memory, goroutines, g[j], now_ns, waits, ret_places);
	}
	return true;
}
