// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unwinds a copied stack by the rules of the files whose code is on it.
 *
 * libdwfl can do this, too: it walks 150,000 stacks of 15 frames in a second of CPU time, this file 700,000
 * (tests/bench/unwind.c). libdwfl has tables for one process each, does not distinguish a cut stack from a broken one,
 * and needs the bytes below the stack pointer.
 */
#include "symbol/unwind_internal.h"

#include "symbol/expression.h"

#define RED_ZONE_BYTES 128 /* below the stack pointer, kept through signals (x86-64 psABI 3.2.2) */

/* The machines whose registers are recorded. */
static const struct machine machines[] = {
	{ SCOPE_REG_COUNT_X86_64, 16, SCOPE_REG_SP_X86_64, 6, true, 8 },
	{ SCOPE_REG_COUNT_ARM64, 32, SCOPE_REG_SP_ARM64, 29, false, 8 },
};

/* 32-bit programs on x86-64: their registers are taken from the 64-bit registers that are recorded. */
static const struct machine i386 = { SCOPE_RULE_REGISTERS_I386, 8, 4, 5, true, 4 };
static const uint8_t wide_of_i386[SCOPE_RULE_REGISTERS_I386] = { 0, 2, 1, 3, 7, 6, 4, 5, 16 };

static int value_get(const struct walk *walk, const struct scope_rule *rule, const struct scope_rule_value *value,
		     uint64_t cfa, uint64_t *ret_value)
{
	uint64_t address;
	int err;

	switch (value->kind) {
	case SCOPE_RULE_REGISTER:
		err = scope_symbol_frame_reg(&walk->frame, value->from, &address);
		if (!err)
			*ret_value = address + value->value;
		return err;
	case SCOPE_RULE_AT_CFA:
		return scope_symbol_slice_read(&walk->slice, cfa + value->value, ret_value);
	case SCOPE_RULE_CFA:
		*ret_value = cfa + value->value;
		return 0;
	}
	err = scope_symbol_expression_evaluate(rule->op + value->value, value->ops, &walk->frame, cfa, &address);
	if (err)
		return err;
	if (value->kind == SCOPE_RULE_AT_EXPRESSION)
		return scope_symbol_slice_read(&walk->slice, address, ret_value);
	*ret_value = address;
	return 0;
}

/*
 * The tables still have a rule for registers that an epilogue has popped already, because the slot below the stack
 * pointer keeps the value. Those bytes are not in the slice (it begins at the stack pointer of the first frame), but
 * the register itself has the value again.
 */
static bool popped(const struct walk *walk, const struct scope_rule_value *value, uint64_t cfa)
{
	uint64_t below = walk->slice.base - (cfa + value->value);

	return value->kind == SCOPE_RULE_AT_CFA && below > 0 && below <= RED_ZONE_BYTES;
}

unsigned int scope_symbol_unwind_flag(int err)
{
	return err == -ENODATA ? SCOPE_UNWIND_CUT : SCOPE_UNWIND_BROKEN;
}

unsigned int scope_symbol_unwind_rule_step(struct walk *walk, const struct scope_rule *rule)
{
	unsigned int sp = walk->machine->sp, pc = walk->machine->pc;
	struct scope_frame caller = walk->frame;
	uint64_t cfa = 0, old_sp = 0;
	int err = value_get(walk, rule, &rule->cfa, 0, &cfa);

	if (err)
		return scope_symbol_unwind_flag(err);
	/* Stacks grow down, so a caller's frame is above. Only a signal handler may have another stack. */
	if (!rule->signal && (scope_symbol_frame_reg(&walk->frame, sp, &old_sp) || cfa < old_sp ||
			      (cfa == old_sp && walk->machine->call_pushes)))
		return SCOPE_UNWIND_BROKEN;
	if (rule->undefined >> rule->ra & 1)
		return SCOPE_UNWIND_COMPLETE;
	caller.valid &= ~rule->undefined;
	caller.reg[sp] = cfa;
	caller.valid |= 1ull << sp;
	for (unsigned int i = 0; i < rule->count; i++) {
		const struct scope_rule_value *value = &rule->value[i];

		err = value_get(walk, rule, value, cfa, &caller.reg[value->reg]);
		if (!err)
			caller.valid |= 1ull << value->reg;
		else if (value->reg == rule->ra)
			return scope_symbol_unwind_flag(err);
		else if (!popped(walk, value, cfa)) /* the register is lost, but the callers may not need it */
			caller.valid &= ~(1ull << value->reg);
	}
	if (scope_symbol_frame_reg(&caller, rule->ra, &caller.reg[pc]))
		return SCOPE_UNWIND_BROKEN;
	/* A frame that changes nothing would be its own caller, without end. */
	if (cfa == old_sp && caller.reg[pc] == walk->frame.reg[pc])
		return SCOPE_UNWIND_BROKEN;
	walk->frame = caller;
	walk->exact = rule->signal;
	return 0;
}

/* A step after a call through a bad pointer: the caller is found as at a function's entry. */
static unsigned int astray_step(struct walk *walk)
{
	const struct machine *machine = walk->machine;
	uint64_t sp = walk->frame.reg[machine->sp], pc = walk->frame.reg[30];
	int err = 0;

	if (machine->call_pushes)
		err = scope_symbol_slice_read(&walk->slice, sp, &pc);
	if (err || !scope_symbol_space_executable(walk->space, pc - 1))
		return SCOPE_UNWIND_BROKEN;
	walk->frame.reg[machine->pc] = pc;
	walk->frame.reg[machine->sp] = sp + (machine->call_pushes ? machine->word : 0);
	walk->exact = false;
	walk->flags |= SCOPE_UNWIND_GUESSED;
	return 0;
}

unsigned int scope_symbol_unwind_caller_check(const struct walk *walk)
{
	uint64_t pc = walk->frame.reg[walk->machine->pc];

	if (!pc)
		return SCOPE_UNWIND_COMPLETE;
	return scope_symbol_space_executable(walk->space, pc - !walk->exact) ? 0 : SCOPE_UNWIND_BROKEN;
}

int scope_symbol_unwind_rule(const struct walk *walk, struct scope_place *ret_place, const struct scope_rule **ret_rule)
{
	uint64_t pc = walk->frame.reg[walk->machine->pc] - !walk->exact;
	int err = scope_symbol_spaces_place(walk->spaces, walk->space, pc, ret_place);

	*ret_rule = NULL;
	if (!err && ret_place->linked)
		err = scope_symbol_image_rule(ret_place->file->image, ret_place->link, ret_rule);
	if (!err && *ret_rule && !(*ret_rule)->known)
		*ret_rule = NULL;
	return err;
}

bool scope_symbol_unwind_lacks_frame_pointer(const struct walk *walk, const struct scope_rule *rule)
{
	const struct machine *machine = walk->machine;

	return rule->cfa.kind == SCOPE_RULE_REGISTER && rule->cfa.from == machine->fp &&
	       walk->frame.reg[machine->fp] < walk->frame.reg[machine->sp];
}

/*
 * A step from the kernel's page of a 32-bit program, which makes its system calls. There ebp, edx
 * and ecx are above the stack pointer, then the return address
 * (arch/x86/entry/vdso/vdso32/system_call.S).
 */
static bool gate_step(struct walk *walk)
{
	const struct machine *machine = walk->machine;
	uint64_t sp = walk->frame.reg[machine->sp], fp, pc;
	struct scope_place place;

	if (scope_symbol_slice_read(&walk->slice, sp, &fp) ||
	    scope_symbol_slice_read(&walk->slice, sp + 3 * machine->word, &pc) ||
	    scope_symbol_spaces_place(walk->spaces, walk->space, pc - 1, &place) || !place.linked ||
	    !scope_symbol_image_after_call(place.file->image, place.link + 1))
		return false;
	walk->frame.reg[machine->pc] = pc;
	walk->frame.reg[machine->fp] = fp;
	walk->frame.reg[machine->sp] = sp + 4 * machine->word;
	walk->exact = false;
	return true;
}

/* A step for which the runtime of the process is read. Returns false if this finds no caller. */
static bool made_step(struct walk *walk, unsigned int *ret_end)
{
	const struct machine *machine = walk->machine;
	struct scope_native_frame frame = { .exact = walk->exact };
	enum scope_interpreter_left left;
	bool cut;

	if (!walk->space->made || machine->regs != SCOPE_REG_COUNT_X86_64)
		return false;
	frame.pc = walk->frame.reg[machine->pc];
	frame.sp = walk->frame.reg[machine->sp];
	if (walk->frame.valid >> machine->fp & 1)
		frame.fp = walk->frame.reg[machine->fp];
	left = scope_symbol_made_code_leave(walk->space->made, &walk->slice, &frame, &walk->functions, &cut);
	if (left == SCOPE_INTERPRETER_LEFT) {
		walk->frame.valid = 1ull << machine->fp | 1ull << machine->sp | 1ull << machine->pc;
		walk->frame.reg[machine->fp] = frame.fp;
		walk->frame.reg[machine->sp] = frame.sp;
		walk->frame.reg[machine->pc] = frame.pc;
		walk->exact = false;
		return true;
	}
	if (left == SCOPE_INTERPRETER_LEFT_BY_FRAME_POINTER && cut) {
		*ret_end = SCOPE_UNWIND_CUT;
		return true;
	}
	return false;
}

/*
 * A step from code of Go that has no frame, such as its comparisons of memory. Go programs without debugging information have no unwind tables,
 * and the frame pointer is the caller's there: a step by it would skip the caller.
 */
static bool go_leaf_step(struct walk *walk, const struct scope_place *place)
{
	const struct machine *machine = walk->machine;
	const uint64_t sp = walk->frame.reg[machine->sp];
	uint64_t pc;

	if (!walk->exact || !machine->call_pushes || !place->linked ||
	    !scope_symbol_image_go_leaf(place->file->image, place->link) ||
	    scope_symbol_slice_read(&walk->slice, sp, &pc) || !scope_symbol_space_executable(walk->space, pc - 1))
		return false;
	walk->frame.reg[machine->pc] = pc;
	walk->frame.reg[machine->sp] = sp + machine->word;
	walk->exact = false;
	return true;
}

/* 0, and *ret_end set to a flag if the walk ends; -ENOMEM. */
static int step(struct walk *walk, unsigned int *ret_end)
{
	const struct scope_rule *rule;
	struct scope_place place;
	int err = scope_symbol_unwind_rule(walk, &place, &rule);

	if (err == -ENOENT) { /* only the first address may be outside */
		walk->flags |= SCOPE_UNWIND_UNMAPPED;
		*ret_end = astray_step(walk);
		return 0;
	}
	if (err)
		return err;
	if (rule) {
		*ret_end = scope_symbol_unwind_rule_step(walk, rule);
		if (*ret_end == SCOPE_UNWIND_BROKEN && scope_symbol_unwind_lacks_frame_pointer(walk, rule))
			return scope_symbol_unwind_frame_step(walk, rule, ret_end);
		return 0;
	}
	if (walk->machine == &i386 && !strcmp(place.file->path, SCOPE_SPACE_GATE)) {
		if (gate_step(walk))
			return 0;
		return scope_symbol_unwind_scan(walk, NULL, ret_end);
	}
	if (go_leaf_step(walk, &place) || made_step(walk, ret_end))
		return 0;
	return scope_symbol_unwind_bare_step(walk, scope_symbol_file_is_made(place.file), ret_end);
}

/* 0; -EINVAL: the registers are not those of a known machine; -ENOMEM. */
static int walk_begin(struct walk *walk, const uint64_t *reg, unsigned int regs, const uint8_t *data, size_t bytes)
{
	bool narrow = false;
	int err = 0;

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (machines[i].regs == regs)
			walk->machine = &machines[i];
	}
	if (!walk->machine)
		return -EINVAL;
	if (regs == SCOPE_REG_COUNT_X86_64)
		err = scope_symbol_spaces_is_i386(walk->spaces, walk->space, &narrow);
	if (err)
		return err;
	if (narrow)
		walk->machine = &i386;
	for (unsigned int i = 0; i < walk->machine->regs; i++)
		walk->frame.reg[i] = narrow ? reg[wide_of_i386[i]] & UINT32_MAX : reg[i];
	walk->frame.valid = (1ull << walk->machine->regs) - 1;
	walk->frame.slice = &walk->slice;
	walk->slice = (struct scope_slice){ walk->frame.reg[walk->machine->sp], data, bytes, walk->machine->word };
	return 0;
}

/* Puts the functions of the last frame in place of its pc, the outer ones as their callers. Returns the number of addresses. */
static unsigned int put_functions(const struct walk *walk, uint64_t *ips, unsigned int max, unsigned int count)
{
	for (uint32_t i = 0; i < walk->functions.count && (!i || count < max); i++) {
		count += i > 0;
		ips[count - 1] = walk->functions.function[i] + (count > 1);
	}
	return count;
}

int scope_symbol_spaces_unwind(struct scope_spaces *spaces, const struct scope_space *space, const uint64_t *reg,
			       unsigned int regs, const uint8_t *data, size_t bytes, uint64_t *ret_ips,
			       unsigned int max, unsigned int *ret_count, unsigned int *ret_flags)
{
	struct walk walk = { .spaces = spaces, .space = space, .exact = true };
	unsigned int count = 0, end = 0;
	int err = walk_begin(&walk, reg, regs, data, bytes);
	if (err || !max)
		return err ? err : -EINVAL;
	for (;;) {
		/*
		 * Adds 1 if a signal interrupted the frame, so that all addresses but the first are looked up in the
		 * same way.
		 */
		ret_ips[count] = walk.frame.reg[walk.machine->pc] + (walk.exact && count);
		count++;
		walk.functions.count = 0;
		err = step(&walk, &end);
		if (err)
			return err;
		count = put_functions(&walk, ret_ips, max, count);
		if (!end) {
			end = scope_symbol_unwind_caller_check(&walk);
			walk.flags |= end & SCOPE_UNWIND_BROKEN ? SCOPE_UNWIND_UNMAPPED : 0;
		}
		if (!end && count == max)
			end = SCOPE_UNWIND_CUT;
		if (end)
			break;
	}
	*ret_count = count;
	*ret_flags = walk.flags | end;
	return 0;
}
