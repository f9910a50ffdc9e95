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

#define WAITING 4		/* status: parked */
#define WAIT_SCAN 0x1000u	/* a bit of status: the collector looks at its stack, which changes nothing */
#define STACK_MAX (1ull << 30)	/* of a goroutine, by default */
#define STACK_READ (16u << 10)	/* bytes of it that are read */
#define CHUNK 512		/* pointers that are read at once */
#define LENGTH_MAX (1ull << 32) /* addresses are higher */

/* Before 1.18 the version is not in the file in this form. From 1.25 on gobuf has another form. */
static const struct {
	unsigned first, last; /* of 1.x */
	uint32_t status;
} rows[] = {
	{ 18, 22, 144 },
	{ 23, 24, 152 },
};

/*
 * The two words that the code reads first, as in atomicAllG(): MOVQ disp32(RIP), register. Which one is the list does not
 * follow from the code, but from what is there: see look().
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
	return (status & ~WAIT_SCAN) == WAITING && ret_parked->sp > ret_parked->low &&
	       ret_parked->sp < ret_parked->high && ret_parked->high - ret_parked->low <= STACK_MAX && ret_parked->pc;
}

/* The frames, each of which begins with the address of its caller's. Returns their number. */
static uint16_t walk(const struct parked *parked, const uint8_t *stack, size_t bytes, uint64_t *address, bool *ret_cut)
{
	uint64_t bp = parked->bp, least = parked->sp;
	uint16_t count = 0;

	address[count++] = parked->pc;
	*ret_cut = false;
	while (bp) {
		uint64_t pair[2];

		if (bp < least || bp % 8 || bp >= parked->high)
			break;
		if (count == SCOPE_GOROUTINE_FRAMES || bp - parked->sp + sizeof(pair) > bytes) {
			*ret_cut = true;
			break;
		}
		memcpy(pair, stack + (bp - parked->sp), sizeof(pair));
		if (!pair[1])
			break;
		address[count++] = pair[1];
		least = bp + sizeof(pair);
		bp = pair[0];
	}
	return count;
}

/* ---- places ---- */

static void add_place(struct scope_goroutine_places *places, const uint64_t *address, uint16_t count, bool cut)
{
	struct scope_goroutine_place *place = places->place;

	for (uint32_t i = 0; i < places->places; i++, place++)
		if (place->count == count &&
		    !memcmp(places->address + place->first, address, count * sizeof(*address))) {
			place->goroutines++;
			return;
		}
	if (places->places == SCOPE_GOROUTINE_PLACES)
		return;
	*place = (struct scope_goroutine_place){ 1, count, cut, places->addresses };
	memcpy(places->address + places->addresses, address, count * sizeof(*address));
	places->addresses += count;
	places->places++;
}

static void look_at(struct scope_memory *memory, const struct scope_goroutines *goroutines, uint64_t g,
		    struct scope_goroutine_places *places)
{
	static uint8_t stack[STACK_READ];
	uint64_t address[SCOPE_GOROUTINE_FRAMES];
	struct parked parked, again;
	uint16_t count;
	size_t bytes;
	bool cut;

	if (!read_parked(memory, goroutines, g, &parked))
		return;
	places->looked++;
	bytes = parked.high - parked.sp < sizeof(stack) ? parked.high - parked.sp : sizeof(stack);
	if (!scope_interpreter_memory_now(memory, parked.sp, stack, bytes) ||
	    !read_parked(memory, goroutines, g, &again) || memcmp(&parked, &again, sizeof(parked))) {
		places->torn++;
		return;
	}
	count = walk(&parked, stack, bytes, address, &cut);
	add_place(places, address, count, cut);
}

bool scope_interpreter_goroutines_look(struct scope_memory *memory, const struct scope_goroutines *goroutines,
				       struct scope_goroutine_places *ret_places)
{
	uint64_t list, length, g[CHUNK];

	ret_places->places = ret_places->looked = ret_places->torn = ret_places->addresses = 0;
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
	if (length > SCOPE_GOROUTINES_MAX)
		length = SCOPE_GOROUTINES_MAX;
	for (uint64_t i = 0; i < length; i += CHUNK) {
		const uint64_t count = length - i < CHUNK ? length - i : CHUNK;

		if (!scope_interpreter_memory_now(memory, list + i * sizeof(*g), g, count * sizeof(*g)))
			return i;
		for (uint64_t j = 0; j < count; j++)
			look_at(memory, goroutines, g[j], ret_places);
	}
	return true;
}
