/* SPDX-License-Identifier: GPL-2.0-only */
/* How to step from a frame to its caller, for each address of one file. Rules are computed once and kept. */
#ifndef SCOPE_SYMBOL_RULE_H
#define SCOPE_SYMBOL_RULE_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

#include "symbol/addresses.h"
#include "symbol/range.h"

#define SCOPE_RULE_REGISTERS_I386 9 /* eax ecx edx ebx esp ebp esi edi eip */

enum scope_rule_kind {
	SCOPE_RULE_REGISTER,	  /* reg[from] + value of this frame */
	SCOPE_RULE_AT_CFA,	  /* in memory at CFA + value */
	SCOPE_RULE_CFA,		  /* CFA + value */
	SCOPE_RULE_AT_EXPRESSION, /* in memory at the expression's value */
	SCOPE_RULE_EXPRESSION,	  /* the expression's value */
};

struct scope_rule_value {
	uint8_t reg;  /* the caller's register that the rule gives */
	uint8_t kind; /* enum scope_rule_kind */
	uint8_t from;
	uint16_t ops; /* number of operations of the expression; the first is op[value] of the rule */
	int64_t value;
};

/* One row of the table that call frame information encodes (DWARF 5, section 6.4.1). */
struct scope_rule {
	bool known;	    /* false: the tables do not have the address */
	bool signal;	    /* the caller was interrupted by a signal and made no call */
	uint8_t ra;	    /* column of the return address */
	uint8_t count;	    /* number of values; registers without one keep their value */
	uint64_t undefined; /* bit for each register whose value in the caller is lost */
	Dwarf_Op *op;
	struct scope_rule_value cfa; /* kinds REGISTER and EXPRESSION */
	struct scope_rule_value value[];
};

/* Rules of one file. Zeroed is valid to free. */
struct scope_rules {
	Dwfl_Module *module;
	unsigned int registers;	 /* number of registers of the machine; 0: an unsupported machine */
	struct scope_ranges plt; /* x86: sections of jumps, link addresses */
	bool debug_tried;
	Dwarf_CFI *eh, *debug; /* libdwfl's */
	Dwarf_Addr eh_bias, debug_bias;
	struct scope_addresses by_link;
};

/* elf: main file of the module. 0, -ENOMEM. Free with scope_symbol_rules_free(), before the module ends. */
int scope_symbol_rules_init(struct scope_rules *rules, Dwfl_Module *module, Elf *elf);
void scope_symbol_rules_free(struct scope_rules *rules);

/* The rule at a link address, from .eh_frame, else .debug_frame. 0, -ENOMEM. Borrowed. */
int scope_symbol_rules_get(struct scope_rules *rules, uint64_t link, const struct scope_rule **ret_rule);

#endif
