// SPDX-License-Identifier: GPL-2.0-only
/* Call frame instructions, from bytes to rules of unwind tables. */
#include "symbol/cfi.h"

#include <dwarf.h>
#include <string.h>

#define REMEMBERED_MAX 8

const struct scope_cfi_machine scope_symbol_cfi_x86_64 = { .sp = 7, .fp = 6, .ra = 16 };
const struct scope_cfi_machine scope_symbol_cfi_arm64 = { .sp = 31, .fp = 29, .ra = 30, .ra_is_same = true };

enum column_kind { UNSPECIFIED, UNDEFINED, SAME, AT_CFA, CFA, AT_EXPRESSION, OTHER };

struct column {
	enum column_kind kind;
	int64_t offset;
	struct scope_cfi_bytes expression;
};

enum { FP, RA, SP, COLUMNS };

struct state {
	uint64_t cfa_reg; /* UINT64_MAX: an expression */
	int64_t cfa_offset;
	struct scope_cfi_bytes cfa;
	struct column column[COLUMNS];
};

struct run {
	const struct scope_cfi_machine *machine;
	const struct scope_cfi_function *function;
	struct state state, initial, remembered[REMEMBERED_MAX];
	unsigned int depth;
	struct column unused; /* for registers that are not needed */
};

/* ---- bytes ---- */

const uint8_t *scope_symbol_cfi_skip(struct scope_cfi_bytes *bytes, uint64_t count)
{
	const uint8_t *at = bytes->at;

	if (bytes->bad || count > (uint64_t)(bytes->end - bytes->at)) {
		bytes->bad = true;
		return NULL;
	}
	bytes->at += count;
	return at;
}

uint64_t scope_symbol_cfi_fixed(struct scope_cfi_bytes *bytes, unsigned int count)
{
	const uint8_t *at = scope_symbol_cfi_skip(bytes, count);
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, count); /* both machines are little-endian */
	return value;
}

/* Bits beyond the 64th are dropped. */
static uint64_t leb(struct scope_cfi_bytes *bytes, bool is_signed)
{
	uint64_t value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = scope_symbol_cfi_fixed(bytes, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && byte & 0x40 && shift < 64)
		value |= ~0ull << shift;
	return value;
}

uint64_t scope_symbol_cfi_uleb(struct scope_cfi_bytes *bytes)
{
	return leb(bytes, false);
}

int64_t scope_symbol_cfi_sleb(struct scope_cfi_bytes *bytes)
{
	return (int64_t)leb(bytes, true);
}

/* ---- from a state to a rule ---- */

static bool fits(int64_t offset)
{
	return offset == (int32_t)offset;
}

/* Register plus offset, where the register is sp or fp, and possibly the word at that address. */
static bool base_and_offset(const struct scope_cfi_machine *machine, struct scope_cfi_bytes expression, bool *ret_is_fp,
			    bool *ret_deref, int32_t *ret_offset)
{
	const uint64_t op = scope_symbol_cfi_fixed(&expression, 1);
	const int64_t offset = scope_symbol_cfi_sleb(&expression);

	*ret_is_fp = op == DW_OP_breg0 + (uint64_t)machine->fp;
	*ret_deref = expression.at < expression.end && *expression.at == DW_OP_deref;
	expression.at += *ret_deref;
	*ret_offset = (int32_t)offset;
	return (*ret_is_fp || op == DW_OP_breg0 + (uint64_t)machine->sp) && fits(offset) && !expression.bad &&
	       expression.at == expression.end;
}

/*
 * The linker's expression for the jumps of .plt: rsp + 8, and 8 more from some byte of each slot of 16 bytes on (byte
 * 11 in older slots, 9 or 10 in slots with endbr64).
 */
static bool plt_rule(const struct scope_cfi_bytes *expression, struct scope_table_rule *rule)
{
	const uint8_t *at = expression->at;

	if (expression->end - at != 11 || at[0] != DW_OP_breg7 || at[1] >= 0x40 || at[2] != DW_OP_breg16 || at[3] ||
	    at[4] != DW_OP_lit15 || at[5] != DW_OP_and || at[6] < DW_OP_lit0 || at[6] > DW_OP_lit15 ||
	    at[7] != DW_OP_ge || at[8] != DW_OP_lit3 || at[9] != DW_OP_shl || at[10] != DW_OP_plus)
		return false;
	rule->cfa = SCOPE_CFA_PLT;
	rule->cfa_offset = at[1];
	rule->fp_offset = at[6] - DW_OP_lit0;
	return true;
}

static bool cfa_rule(const struct run *run, struct scope_table_rule *rule)
{
	const struct state *state = &run->state;
	bool is_fp, deref;

	if (state->cfa_reg == UINT64_MAX) {
		if (state->cfa.at && base_and_offset(run->machine, state->cfa, &is_fp, &deref, &rule->cfa_offset))
			rule->cfa = deref   ? is_fp ? SCOPE_CFA_AT_FP : SCOPE_CFA_AT_SP
				    : is_fp ? SCOPE_CFA_FP
					    : SCOPE_CFA_SP;
		else if (run->machine != &scope_symbol_cfi_x86_64 || !state->cfa.at || !plt_rule(&state->cfa, rule))
			return false;
		return true;
	}
	if (!fits(state->cfa_offset) || (state->cfa_reg != run->machine->sp && state->cfa_reg != run->machine->fp))
		return false;
	rule->cfa = state->cfa_reg == run->machine->sp ? SCOPE_CFA_SP : SCOPE_CFA_FP;
	rule->cfa_offset = (int32_t)state->cfa_offset;
	return true;
}

static bool value_rule(const struct run *run, const struct column *column, uint8_t *ret_kind, int32_t *ret_offset)
{
	bool is_fp, deref;

	switch (column->kind) {
	case UNSPECIFIED:
	case SAME:
		*ret_kind = SCOPE_VALUE_SAME;
		return true;
	case UNDEFINED:
		*ret_kind = SCOPE_VALUE_LOST;
		return true;
	case AT_CFA:
		*ret_kind = SCOPE_VALUE_AT_CFA;
		*ret_offset = (int32_t)column->offset;
		return fits(column->offset);
	case AT_EXPRESSION:
		if (!base_and_offset(run->machine, column->expression, &is_fp, &deref, ret_offset) || deref)
			return false;
		*ret_kind = is_fp ? SCOPE_VALUE_AT_FP : SCOPE_VALUE_AT_SP;
		return true;
	default:
		return false;
	}
}

/* True if the stack pointer is the CFA. A signal frame repeats this, by the same expression. */
static bool sp_is_cfa(const struct run *run)
{
	const struct column *sp = &run->state.column[SP];
	const struct state *state = &run->state;
	struct scope_table_rule cfa;
	bool is_fp, deref;
	int32_t offset;

	if (sp->kind == UNSPECIFIED || (sp->kind == CFA && !sp->offset))
		return true;
	return sp->kind == AT_EXPRESSION && state->cfa_reg == UINT64_MAX && cfa_rule(run, &cfa) &&
	       cfa.cfa == SCOPE_CFA_AT_SP && base_and_offset(run->machine, sp->expression, &is_fp, &deref, &offset) &&
	       !is_fp && !deref && offset == cfa.cfa_offset;
}

static struct scope_table_rule rule_of(const struct run *run)
{
	const struct column *ra = &run->state.column[RA];
	struct scope_table_rule rule = { .flags = run->function->signal ? SCOPE_RULE_SIGNAL : 0 };

	if (ra->kind == UNDEFINED || (ra->kind == UNSPECIFIED && !run->machine->ra_is_same))
		return (struct scope_table_rule){ .cfa = SCOPE_CFA_END };
	if (!value_rule(run, &run->state.column[FP], &rule.fp, &rule.fp_offset) ||
	    !value_rule(run, ra, &rule.ra, &rule.ra_offset) || !cfa_rule(run, &rule) || !sp_is_cfa(run) ||
	    (rule.ra == SCOPE_VALUE_SAME && !run->machine->ra_is_same) ||
	    (rule.cfa == SCOPE_CFA_PLT && rule.fp != SCOPE_VALUE_SAME))
		return (struct scope_table_rule){ .cfa = SCOPE_CFA_OTHER };
	return rule;
}

/* ---- instructions ---- */

static struct column *column_of(struct run *run, uint64_t reg)
{
	if (reg == run->machine->fp)
		return &run->state.column[FP];
	if (reg == run->machine->ra)
		return &run->state.column[RA];
	return reg == run->machine->sp ? &run->state.column[SP] : &run->unused;
}

static void set_column(struct run *run, uint64_t reg, enum column_kind kind, int64_t offset)
{
	*column_of(run, reg) = (struct column){ .kind = kind, .offset = offset };
}

static void restore_column(struct run *run, uint64_t reg)
{
	struct column *column = column_of(run, reg);

	if (column != &run->unused)
		*column = run->initial.column[column - run->state.column];
}

static struct scope_cfi_bytes block(struct scope_cfi_bytes *code)
{
	const uint64_t bytes = scope_symbol_cfi_uleb(code);
	const uint8_t *at = scope_symbol_cfi_skip(code, bytes);

	return (struct scope_cfi_bytes){ .at = at, .end = at ? at + bytes : NULL };
}

static int64_t factored(const struct run *run, uint64_t offset)
{
	return (int64_t)(offset * (uint64_t)run->function->data_align);
}

static bool run_expression(struct run *run, uint64_t op, struct scope_cfi_bytes *code)
{
	uint64_t reg;

	if (op == DW_CFA_def_cfa_expression) {
		run->state.cfa_reg = UINT64_MAX;
		run->state.cfa = block(code);
		return true;
	}
	reg = scope_symbol_cfi_uleb(code);
	*column_of(run, reg) = (struct column){
		.kind = op == DW_CFA_expression ? AT_EXPRESSION : OTHER,
		.expression = block(code),
	};
	return true;
}

static bool run_cfa(struct run *run, uint64_t op, struct scope_cfi_bytes *code)
{
	if (op == DW_CFA_def_cfa || op == DW_CFA_def_cfa_sf || op == DW_CFA_def_cfa_register)
		run->state.cfa_reg = scope_symbol_cfi_uleb(code);
	if (op == DW_CFA_def_cfa || op == DW_CFA_def_cfa_offset)
		run->state.cfa_offset = (int64_t)scope_symbol_cfi_uleb(code);
	if (op == DW_CFA_def_cfa_sf || op == DW_CFA_def_cfa_offset_sf)
		run->state.cfa_offset = factored(run, (uint64_t)scope_symbol_cfi_sleb(code));
	return true;
}

static bool run_state(struct run *run, uint64_t op)
{
	if (op == DW_CFA_remember_state) {
		if (run->depth == REMEMBERED_MAX)
			return false;
		run->remembered[run->depth++] = run->state;
		return true;
	}
	if (!run->depth)
		return false;
	run->state = run->remembered[--run->depth];
	return true;
}

static bool run_register(struct run *run, uint64_t op, struct scope_cfi_bytes *code)
{
	const uint64_t reg = scope_symbol_cfi_uleb(code);

	switch (op) {
	case DW_CFA_offset_extended:
		set_column(run, reg, AT_CFA, factored(run, scope_symbol_cfi_uleb(code)));
		break;
	case DW_CFA_offset_extended_sf:
		set_column(run, reg, AT_CFA, factored(run, (uint64_t)scope_symbol_cfi_sleb(code)));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_column(run, reg, AT_CFA, -factored(run, scope_symbol_cfi_uleb(code)));
		break;
	case DW_CFA_val_offset:
		set_column(run, reg, CFA, factored(run, scope_symbol_cfi_uleb(code)));
		break;
	case DW_CFA_val_offset_sf:
		set_column(run, reg, CFA, factored(run, (uint64_t)scope_symbol_cfi_sleb(code)));
		break;
	case DW_CFA_undefined:
		set_column(run, reg, UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set_column(run, reg, SAME, 0);
		break;
	case DW_CFA_restore_extended:
		restore_column(run, reg);
		break;
	default: /* DW_CFA_register */
		scope_symbol_cfi_uleb(code);
		set_column(run, reg, OTHER, 0);
	}
	return true;
}

/* Executes any instruction but those that advance. Returns false if it is unknown. */
static bool run_one(struct run *run, uint64_t op, struct scope_cfi_bytes *code)
{
	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: /* of arm64: the return address is signed from here on, or not any more */
		return true;
	case DW_CFA_GNU_args_size:
		scope_symbol_cfi_uleb(code);
		return true;
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return run_state(run, op);
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		return run_cfa(run, op, code);
	case DW_CFA_def_cfa_expression:
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		return run_expression(run, op, code);
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_GNU_negative_offset_extended:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_restore_extended:
	case DW_CFA_register:
		return run_register(run, op, code);
	}
	return false;
}

/* Returns true if the instruction advances the address, with the distance before alignment. */
static bool advances(uint64_t op, struct scope_cfi_bytes *code, uint64_t *ret_delta)
{
	if ((op & 0xc0) == DW_CFA_advance_loc)
		*ret_delta = op & 0x3f;
	else if (op == DW_CFA_advance_loc1)
		*ret_delta = scope_symbol_cfi_fixed(code, 1);
	else if (op == DW_CFA_advance_loc2)
		*ret_delta = scope_symbol_cfi_fixed(code, 2);
	else if (op == DW_CFA_advance_loc4)
		*ret_delta = scope_symbol_cfi_fixed(code, 4);
	else
		return false;
	return true;
}

/*
 * Executes up to the next instruction that advances. Returns true if there is one. *ret_known: all instructions are
 * known.
 */
static bool run_row(struct run *run, struct scope_cfi_bytes *code, uint64_t *ret_delta, bool *ret_known)
{
	*ret_known = true;
	while (code->at < code->end && !code->bad) {
		const uint64_t op = scope_symbol_cfi_fixed(code, 1);

		if (advances(op, code, ret_delta))
			return !code->bad;
		if ((op & 0xc0) == DW_CFA_offset)
			set_column(run, op & 0x3f, AT_CFA, factored(run, scope_symbol_cfi_uleb(code)));
		else if ((op & 0xc0) == DW_CFA_restore)
			restore_column(run, op & 0x3f);
		else if (!run_one(run, op, code))
			break;
	}
	*ret_known = code->at == code->end && !code->bad;
	return false;
}

int scope_symbol_cfi_run(const struct scope_cfi_machine *machine, const struct scope_cfi_function *function,
			 int (*put)(void *context, uint64_t link, const struct scope_table_rule *rule), void *context)
{
	const struct scope_table_rule other = { .cfa = SCOPE_CFA_OTHER };
	struct run run = { .machine = machine, .function = function };
	struct scope_cfi_bytes code = { function->initial, function->initial + function->initial_bytes, false };
	uint64_t link = function->start, delta = 0;
	bool known, more;
	int err = 0;

	run.state.cfa_reg = UINT64_MAX;
	/* A CIE does not advance. */
	if (run_row(&run, &code, &delta, &known) || !known)
		return put(context, link, &other);
	run.initial = run.state;
	code = (struct scope_cfi_bytes){ function->code, function->code + function->code_bytes, false };
	do {
		struct scope_table_rule rule;

		more = run_row(&run, &code, &delta, &known);
		rule = known ? rule_of(&run) : other;
		if (!more || delta)
			err = put(context, link, &rule);
		delta *= function->code_align;
		/* Rows after the function's end, or before the last row, do not belong to it. */
		if (delta > function->end - link)
			more = false;
		link += delta;
	} while (!err && more && link < function->end);
	return err;
}
