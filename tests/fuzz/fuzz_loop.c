// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as the code of a function: it is read or refused, and each instruction is in a valid loop or in none. */
#include <elf.h>

#include "fuzz.h"
#include "symbol/loop.h"

#define BYTES_MAX 512 /* because each instruction is looked up */
#define HEADS_MAX 4
#define CODE 0x1000

static void find_loops(const struct scope_instruction *instruction, size_t count, const struct scope_jump *jump,
		       size_t jumps)
{
	bool *inside = calloc(count, sizeof(*inside));
	uint32_t head[HEADS_MAX];
	struct scope_loops *loops;

	if (!inside || scope_symbol_loops_create(instruction, count, jump, jumps, &loops))
		fuzz_die("no memory");
	for (size_t i = 0; i < count; i++)
		for (unsigned int k = scope_symbol_loops_around(loops, i, head, HEADS_MAX); k-- > 0;) {
			scope_symbol_loops_inside(loops, head[k], inside);
			if (!inside[i])
				fuzz_die("a loop without the instruction that it was to have");
		}
	scope_symbol_loops_destroy(loops);
	free(inside);
}

/* The code is also what tables are read from. */
struct code {
	const uint8_t *data;
	size_t bytes;
};

static const uint8_t *read_code(void *context, uint64_t link, uint64_t bytes)
{
	const struct code *code = context;

	return link >= CODE && link - CODE < code->bytes && bytes <= code->bytes - (link - CODE)
		       ? code->data + (link - CODE)
		       : NULL;
}

static bool is_code(void *context, uint64_t link)
{
	(void)context;
	return link & 1;
}

static void find_tables(unsigned machine, struct code *code, const struct scope_instruction *instruction, size_t count)
{
	const struct scope_jump_source source = { read_code, is_code, code };
	struct scope_jump *jump;
	size_t jumps;

	if (scope_symbol_jump_tables_find(machine, code->data, instruction, count, &source, &jump, &jumps))
		fuzz_die("no memory");
	for (size_t i = 0; i < jumps; i++)
		if (jump[i].from >= count || jump[i].to >= count ||
		    (i && (jump[i].from < jump[i - 1].from ||
			   (jump[i].from == jump[i - 1].from && jump[i].to <= jump[i - 1].to))))
			fuzz_die("jumps that are not in order, or outside of the code");
	find_loops(instruction, count, jump, jumps);
	free(jump);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const unsigned machines[] = { EM_X86_64, EM_386, EM_AARCH64 };
	struct scope_instruction *instruction;
	size_t count;
	uint8_t *code;

	if (bytes < 2 || bytes > BYTES_MAX)
		return 0;
	code = malloc(bytes - 1); /* of exactly that size, so that an access past its end is seen */
	if (!code)
		fuzz_die("no memory");
	memcpy(code, data + 1, bytes - 1);
	if (!scope_symbol_disassemble(machines[data[0] % 3], code, bytes - 1, CODE, &instruction, &count)) {
		find_tables(machines[data[0] % 3], &(struct code){ code, bytes - 1 }, instruction, count);
		free(instruction);
	}
	free(code);
	return 0;
}
