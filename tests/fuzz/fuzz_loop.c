// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as the code of a function: they are read or refused, and each instruction has a loop with it, or none. */
#include <elf.h>

#include "fuzz.h"
#include "symbol/loop.h"

#define BYTES_MAX 512 /* each instruction is looked up */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const unsigned machines[] = { EM_X86_64, EM_386, EM_AARCH64 };
	struct scope_instruction *instruction;
	size_t count;
	bool *inside;
	uint8_t *code;

	if (bytes < 2 || bytes > BYTES_MAX)
		return 0;
	code = malloc(bytes - 1); /* of just that size, so that a byte too far is seen */
	if (!code)
		fuzz_die("no memory");
	memcpy(code, data + 1, bytes - 1);
	if (!scope_symbol_disassemble(machines[data[0] % 3], code, bytes - 1, 0x1000, &instruction, &count)) {
		inside = calloc(count, sizeof(*inside));
		if (!inside)
			fuzz_die("no memory");
		for (size_t i = 0; i < count; i++)
			if (!scope_symbol_loop_find(instruction, count, i, inside) && !inside[i])
				fuzz_die("a loop without the instruction that it was to have");
		free(inside);
		free(instruction);
	}
	free(code);
	return 0;
}
