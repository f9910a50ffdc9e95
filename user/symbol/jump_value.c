// SPDX-License-Identifier: GPL-2.0-only
/*
 * Computes with symbols along the only way to a jump: of each register is noted what is known of its value. A table's
 * address may also be set before a loop; then all ways to the jump must set the same.
 */
#include "symbol/jump_value.h"

#define NONE UINT32_MAX
#define VALUES_MAX (2 * SCOPE_REGISTERS * (SCOPE_WAY_MAX + 1))

enum value_kind {
	VARIABLE, /* not known */
	NUMBER,
	SCALED,	 /* the value `index` * stride */
	ENTRY,	 /* 4 bytes at number + `index` * 4 */
	TARGET,	 /* base + such an entry */
	POINTER, /* 8 bytes at number + `index` * 8 */
};

struct value {
	enum value_kind kind;
	uint32_t id; /* of VARIABLE, ENTRY and POINTER: the same id is the same value */
	uint32_t index, stride;
	uint64_t number, base;
};

struct machine {
	struct value reg[SCOPE_REGISTERS];
	uint32_t values;	    /* ids given; those of the registers at the begin are their numbers */
	uint64_t limit[VALUES_MAX]; /* by id: the largest number it can be */
	struct scope_operand place; /* in memory, whose value is `placed`; kind NONE: there is none */
	struct value placed;
	uint32_t compared; /* id that was compared with a number; NONE */
	uint64_t with;
};

static struct value variable(struct machine *machine, uint64_t limit)
{
	const uint32_t id = machine->values++;

	machine->limit[id] = limit;
	return (struct value){ .kind = VARIABLE, .id = id };
}

static bool has_id(const struct value *value)
{
	return value->kind == VARIABLE || value->kind == ENTRY || value->kind == POINTER;
}

static void machine_init(struct machine *machine)
{
	*machine = (struct machine){ .compared = NONE };
	for (unsigned i = 0; i < SCOPE_REGISTERS; i++)
		machine->reg[i] = variable(machine, UINT64_MAX);
}

/* The value of a register, and as a number if that was set before the way. */
static struct value number_of(struct scope_ways *ways, const struct scope_way *way, struct machine *machine,
			      uint8_t reg)
{
	struct value *value = &machine->reg[reg];
	uint64_t number;

	if (value->kind == VARIABLE && value->id < SCOPE_REGISTERS &&
	    scope_symbol_ways_number(ways, way->node[way->length - 1], (uint8_t)value->id, &number))
		*value = (struct value){ .kind = NUMBER, .number = number };
	return *value;
}

/* Adds a term to an address: numbers, and one variable times a stride. */
static bool add_term(struct value *sum, const struct value *term, uint32_t scale)
{
	if (term->kind == NUMBER) {
		sum->number += term->number * scale;
		return true;
	}
	if (sum->stride || (!has_id(term) && term->kind != SCALED))
		return false;
	sum->stride = scale * (term->kind == SCALED ? term->stride : 1);
	sum->index = term->kind == SCALED ? term->index : term->id;
	return true;
}

/* The address of memory as a number and a variable times a stride. */
static bool address_of(struct scope_ways *ways, const struct scope_way *way, struct machine *machine,
		       const struct scope_operand *memory, struct value *ret_sum)
{
	struct value term;

	*ret_sum = (struct value){ .kind = SCALED, .number = memory->number };
	if (memory->kind != SCOPE_OPERAND_MEMORY)
		return false;
	if (memory->index != SCOPE_NO_REGISTER) {
		term = machine->reg[memory->index];
		if (memory->scale == 1)
			term = number_of(ways, way, machine, memory->index);
		if (!add_term(ret_sum, &term, memory->scale))
			return false;
	}
	if (memory->base != SCOPE_NO_REGISTER) {
		term = number_of(ways, way, machine, memory->base);
		return add_term(ret_sum, &term, 1);
	}
	return true;
}

static bool same_place(const struct scope_operand *a, const struct scope_operand *b)
{
	return a->kind == b->kind && a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->number == b->number;
}

static uint64_t limit_of(const struct scope_operand *operand)
{
	return operand->bytes == 1 ? UINT8_MAX : UINT64_MAX;
}

/* The value in memory: an entry of a table, or a variable that the next look there finds again. */
static struct value load(struct scope_ways *ways, const struct scope_way *way, struct machine *machine,
			 const struct scope_operand *memory)
{
	struct value value, sum;

	if (memory->kind != SCOPE_OPERAND_MEMORY)
		return variable(machine, UINT64_MAX);
	if (same_place(&machine->place, memory))
		return machine->placed;
	value = variable(machine, limit_of(memory));
	if (address_of(ways, way, machine, memory, &sum) && sum.number && sum.stride == memory->bytes &&
	    (sum.stride == sizeof(uint32_t) || sum.stride == sizeof(uint64_t))) {
		sum.kind = sum.stride == sizeof(uint32_t) ? ENTRY : POINTER;
		sum.id = value.id;
		value = sum;
	}
	machine->place = *memory;
	machine->placed = value;
	return value;
}

static struct value value_of(struct scope_ways *ways, const struct scope_way *way, struct machine *machine,
			     const struct scope_operand *operand)
{
	struct value value;

	if (operand->kind == SCOPE_OPERAND_NUMBER)
		return (struct value){ .kind = NUMBER, .number = operand->number };
	if (operand->kind != SCOPE_OPERAND_REGISTER || operand->reg == SCOPE_NO_REGISTER)
		return load(ways, way, machine, operand);
	value = machine->reg[operand->reg];
	if (has_id(&value) && machine->limit[value.id] > limit_of(operand))
		machine->limit[value.id] = limit_of(operand);
	return value;
}

static struct value sum_of(struct scope_ways *ways, const struct scope_way *way, struct machine *machine,
			   const struct scope_operation *operation)
{
	const struct scope_operand *to = &operation->to, *from = &operation->from;
	struct value a, b;

	if (to->kind != SCOPE_OPERAND_REGISTER || from->kind != SCOPE_OPERAND_REGISTER ||
	    to->reg == SCOPE_NO_REGISTER || from->reg == SCOPE_NO_REGISTER)
		return variable(machine, UINT64_MAX);
	a = machine->reg[to->reg];
	b = machine->reg[from->reg];
	if (a.kind == ENTRY)
		b = number_of(ways, way, machine, from->reg);
	else if (b.kind == ENTRY)
		a = number_of(ways, way, machine, to->reg);
	if (a.kind == ENTRY && b.kind == NUMBER)
		return (struct value){ .kind = TARGET, .index = a.index, .number = a.number, .base = b.number };
	if (b.kind == ENTRY && a.kind == NUMBER)
		return (struct value){ .kind = TARGET, .index = b.index, .number = b.number, .base = a.number };
	return variable(machine, UINT64_MAX);
}

/* The value that an operation puts into `to`. */
static struct value result_of(struct scope_ways *ways, const struct scope_way *way, struct machine *machine,
			      const struct scope_operation *operation)
{
	struct value value;

	switch (operation->kind) {
	case SCOPE_OPERATION_MOVE:
		return value_of(ways, way, machine, &operation->from);
	case SCOPE_OPERATION_ADDRESS:
		if (!address_of(ways, way, machine, &operation->from, &value))
			break;
		if (!value.stride)
			return (struct value){ .kind = NUMBER, .number = value.number };
		if (!value.number)
			return (struct value){ .kind = SCALED, .index = value.index, .stride = value.stride };
		break;
	case SCOPE_OPERATION_ADD:
		return sum_of(ways, way, machine, operation);
	case SCOPE_OPERATION_AND:
		if (operation->from.kind == SCOPE_OPERAND_NUMBER)
			return variable(machine, operation->from.number);
		break;
	default:
		break;
	}
	return variable(machine, UINT64_MAX);
}

static void compare(struct scope_ways *ways, const struct scope_way *way, struct machine *machine,
		    const struct scope_operation *operation)
{
	struct value value;

	machine->compared = NONE;
	if (operation->from.kind != SCOPE_OPERAND_NUMBER)
		return;
	value = value_of(ways, way, machine, &operation->to);
	if (!has_id(&value))
		return;
	machine->compared = value.id;
	machine->with = operation->from.number;
}

/* What a jump by a comparison says of the number that was compared, if it was or was not taken. */
static void limit(struct machine *machine, enum scope_operation_kind kind, bool jumped)
{
	const bool at_most = jumped ? kind == SCOPE_OPERATION_IF_AT_MOST : kind == SCOPE_OPERATION_IF_ABOVE;
	const bool less = jumped ? kind == SCOPE_OPERATION_IF_BELOW : kind == SCOPE_OPERATION_IF_AT_LEAST;
	const uint64_t most = machine->with - less;

	if (machine->compared == NONE || (!at_most && !less) || (less && !machine->with))
		return;
	if (most < machine->limit[machine->compared])
		machine->limit[machine->compared] = most;
}

/* Registers and places of which nothing is known after an operation. */
static void forget(struct machine *machine, const struct scope_operation *operation)
{
	const struct scope_operand *place = &machine->place;

	for (unsigned i = 0; i < SCOPE_REGISTERS; i++)
		if (operation->writes & (1u << i)) {
			machine->reg[i] = variable(machine, UINT64_MAX);
			if (place->base == i || place->index == i)
				machine->place.kind = SCOPE_OPERAND_NONE;
		}
	if (operation->stores)
		machine->place.kind = SCOPE_OPERAND_NONE;
}

static void step(struct scope_ways *ways, const struct scope_way *way, struct machine *machine, uint32_t number)
{
	const struct scope_operation *operation = &ways->operation[way->node[number]];
	const struct scope_operand *to = &operation->to;
	struct value result;

	if (operation->kind >= SCOPE_OPERATION_IF_ABOVE) {
		limit(machine, operation->kind, way->jumped[number]);
		return;
	}
	if (operation->kind == SCOPE_OPERATION_COMPARE || operation->kind == SCOPE_OPERATION_SUBTRACT)
		compare(ways, way, machine, operation);
	else if (operation->kind != SCOPE_OPERATION_MOVE && operation->kind != SCOPE_OPERATION_ADDRESS &&
		 !ways->instruction[way->node[number]].padding)
		machine->compared = NONE;
	if (operation->kind == SCOPE_OPERATION_COMPARE || operation->kind == SCOPE_OPERATION_EXTEND)
		return;
	result = result_of(ways, way, machine, operation);
	forget(machine, operation);
	if (operation->kind == SCOPE_OPERATION_OTHER)
		return;
	if (to->kind == SCOPE_OPERAND_REGISTER && to->reg != SCOPE_NO_REGISTER) {
		machine->reg[to->reg] = result;
	} else if (to->kind == SCOPE_OPERAND_MEMORY && operation->kind == SCOPE_OPERATION_MOVE) {
		machine->place = *to;
		machine->placed = result;
	}
}

bool scope_symbol_jump_value(struct scope_ways *ways, uint32_t jump, struct scope_jump_value *ret_value)
{
	struct machine machine;
	struct scope_way way;
	struct value value;

	scope_symbol_ways_only(ways, jump, &way);
	machine_init(&machine);
	for (uint32_t i = way.length; i-- > 1;)
		step(ways, &way, &machine, i);
	value = value_of(ways, &way, &machine, &ways->operation[jump].to);
	if (value.kind != TARGET && value.kind != POINTER)
		return false;
	*ret_value = (struct scope_jump_value){
		.table = value.number,
		.base = value.base,
		.most = machine.limit[value.index],
		.bytes = value.kind == POINTER ? sizeof(uint64_t) : sizeof(uint32_t),
	};
	return true;
}
