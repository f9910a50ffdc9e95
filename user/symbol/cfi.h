/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Executes call frame instructions (DWARF 5, section 6.4.2) for what unwind tables need: the CFA, the frame pointer,
 * the stack pointer and the return address.
 *
 * libdw gives one rule at a time, and executes the instructions of a function again for each rule, which takes 100
 * times as long for a whole file. tests/unit/test_table.c compares both.
 */
#ifndef SCOPE_SYMBOL_CFI_H
#define SCOPE_SYMBOL_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/table.h>

/* DWARF's numbers of the registers that are needed. */
struct scope_cfi_machine {
	uint8_t sp, fp, ra;
	bool ra_is_same; /* a return address without a rule stays in its register; else it ends the stack */
};

extern const struct scope_cfi_machine scope_symbol_cfi_x86_64, scope_symbol_cfi_arm64;

/* A function: an FDE with the values of its CIE. */
struct scope_cfi_function {
	uint64_t start, end;	       /* link addresses */
	const uint8_t *initial, *code; /* instructions of the CIE and of the FDE */
	size_t initial_bytes, code_bytes;
	uint64_t code_align;
	int64_t data_align;
	bool signal;
};

/*
 * Calls put() for each row, in order of addresses; the first row is at the function's start. Unknown instructions give
 * rows of kind SCOPE_CFA_OTHER. 0, or what put() returned.
 */
int scope_symbol_cfi_run(const struct scope_cfi_machine *machine, const struct scope_cfi_function *function,
			 int (*put)(void *context, uint64_t link, const struct scope_table_rule *rule), void *context);

/* A position in bytes that are not trusted. */
struct scope_cfi_bytes {
	const uint8_t *at, *end;
	bool bad; /* the bytes ended too early: all further reads give 0 */
};

uint64_t scope_symbol_cfi_fixed(struct scope_cfi_bytes *bytes, unsigned int count);
uint64_t scope_symbol_cfi_uleb(struct scope_cfi_bytes *bytes);
int64_t scope_symbol_cfi_sleb(struct scope_cfi_bytes *bytes);
const uint8_t *scope_symbol_cfi_skip(struct scope_cfi_bytes *bytes, uint64_t count); /* NULL: there are fewer */

#endif
