// SPDX-License-Identifier: GPL-2.0-only
/* A stack machine for the DWARF expressions of call frame information. */
#include "symbol/expression.h"

#include <dwarf.h>

#define STACK_WORDS 32

struct machine {
	const struct scope_frame *frame;
	uint64_t cfa;
	uint64_t stack[STACK_WORDS];
	unsigned int depth;
};

static int push(struct machine *machine, uint64_t value)
{
	if (machine->depth == STACK_WORDS)
		return -EINVAL;
	machine->stack[machine->depth++] = value;
	return 0;
}

static int push_register(struct machine *machine, unsigned int reg, uint64_t offset)
{
	uint64_t value;
	int err = scope_symbol_frame_reg(machine->frame, reg, &value);

	return err ? err : push(machine, value + offset);
}

static int binary(uint8_t atom, uint64_t a, uint64_t b, uint64_t *ret)
{
	switch (atom) {
	case DW_OP_and:
		*ret = a & b;
		return 0;
	case DW_OP_or:
		*ret = a | b;
		return 0;
	case DW_OP_xor:
		*ret = a ^ b;
		return 0;
	case DW_OP_plus:
		*ret = a + b;
		return 0;
	case DW_OP_minus:
		*ret = a - b;
		return 0;
	case DW_OP_mul:
		*ret = a * b;
		return 0;
	case DW_OP_shl:
		*ret = b < 64 ? a << b : 0;
		return 0;
	case DW_OP_shr:
		*ret = b < 64 ? a >> b : 0;
		return 0;
	case DW_OP_shra:
		*ret = (int64_t)a >> (b < 64 ? b : 63);
		return 0;
	case DW_OP_eq:
		*ret = a == b;
		return 0;
	case DW_OP_ne:
		*ret = a != b;
		return 0;
	case DW_OP_ge:
		*ret = (int64_t)a >= (int64_t)b;
		return 0;
	case DW_OP_gt:
		*ret = (int64_t)a > (int64_t)b;
		return 0;
	case DW_OP_le:
		*ret = (int64_t)a <= (int64_t)b;
		return 0;
	case DW_OP_lt:
		*ret = (int64_t)a < (int64_t)b;
		return 0;
	default:
		return -EINVAL;
	}
}

/* Operations on the values on the stack. */
static int stack_operation(struct machine *machine, const Dwarf_Op *op)
{
	uint64_t *top, value;

	if (!machine->depth)
		return -EINVAL;
	top = &machine->stack[machine->depth - 1];
	switch (op->atom) {
	case DW_OP_deref:
		return scope_symbol_slice_read(machine->frame->slice, *top, top);
	case DW_OP_plus_uconst:
		*top += op->number;
		return 0;
	case DW_OP_neg:
		*top = -*top;
		return 0;
	case DW_OP_not:
		*top = ~*top;
		return 0;
	case DW_OP_dup:
		return push(machine, *top);
	case DW_OP_drop:
		machine->depth--;
		return 0;
	}
	if (machine->depth < 2)
		return -EINVAL;
	switch (op->atom) {
	case DW_OP_over:
		return push(machine, top[-1]);
	case DW_OP_swap:
		value = top[-1];
		top[-1] = top[0];
		top[0] = value;
		return 0;
	}
	machine->depth--;
	return binary(op->atom, top[-1], top[0], &top[-1]);
}

static int operation(struct machine *machine, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(machine, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(machine, atom - DW_OP_breg0, op->number);
	switch (atom) {
	case DW_OP_nop:
		return 0;
	case DW_OP_call_frame_cfa:
		return push(machine, machine->cfa);
	case DW_OP_bregx:
		return op->number < SCOPE_REG_MAX ? push_register(machine, op->number, op->number2) : -EINVAL;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(machine, op->number);
	default:
		return stack_operation(machine, op);
	}
}

int scope_symbol_expression_evaluate(const Dwarf_Op *op, size_t count, const struct scope_frame *frame, uint64_t cfa,
				     uint64_t *ret_value)
{
	struct machine machine = { .frame = frame, .cfa = cfa };

	for (size_t i = 0; i < count; i++) {
		int err = operation(&machine, &op[i]);

		if (err)
			return err;
	}
	if (!machine.depth)
		return -EINVAL;
	*ret_value = machine.stack[machine.depth - 1];
	return 0;
}
