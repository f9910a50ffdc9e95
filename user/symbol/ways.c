// SPDX-License-Identifier: GPL-2.0-only
/* Follows the ways through a function back, and finds what they set. */
#include "symbol/ways.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define STEPS_MAX 10000000 /* instructions that are visited in a function to find what was set; this takes 50 ms */

uint32_t scope_symbol_ways_find(const struct scope_ways *ways, uint64_t at)
{
	uint32_t low = 0, high = ways->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (ways->instruction[middle].at < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ways->count && ways->instruction[low].at == at ? low : NONE;
}

static uint32_t jump_of(const struct scope_ways *ways, uint32_t node)
{
	const struct scope_instruction *instruction = &ways->instruction[node];

	return instruction->jumps && instruction->target != UINT64_MAX
		       ? scope_symbol_ways_find(ways, instruction->target)
		       : NONE;
}

/* Notes that `node` leads to `to`. fill: its place is known; otherwise it is counted. */
static void lead(struct scope_ways *ways, uint32_t node, uint32_t to, bool fill)
{
	if (to >= ways->count)
		return;
	if (fill)
		ways->from[ways->first[to + 1]++] = node;
	else
		ways->first[to + 2]++;
}

/* first[i + 1] is where the next one that leads to i goes, and at last where those of i + 1 begin. */
static void find_sources(struct scope_ways *ways, const struct scope_jump *jump, size_t jumps, bool fill)
{
	for (uint32_t i = 0; i < ways->count; i++) {
		if (ways->instruction[i].falls)
			lead(ways, i, i + 1, fill);
		lead(ways, i, jump_of(ways, i), fill);
	}
	for (size_t i = 0; i < jumps; i++)
		lead(ways, jump[i].from, jump[i].to, fill);
	for (uint32_t i = 0; i < ways->count + 1 && !fill; i++)
		ways->first[i + 1] += ways->first[i];
}

int scope_symbol_ways_know(struct scope_ways *ways, const struct scope_jump *jump, size_t jumps, bool assume)
{
	uint32_t *from = calloc(2 * (size_t)ways->count + jumps, sizeof(*from));

	if (!from)
		return -ENOMEM;
	free(ways->from);
	ways->from = from;
	ways->assume = assume;
	memset(ways->first, 0, ((size_t)ways->count + 2) * sizeof(*ways->first));
	find_sources(ways, jump, jumps, false);
	find_sources(ways, jump, jumps, true);
	for (uint32_t i = 0; i < ways->count; i++)
		ways->open[i] = ways->instruction[i].jumps && ways->instruction[i].target == UINT64_MAX;
	for (size_t i = 0; i < jumps; i++)
		ways->open[jump[i].from] = false;
	return 0;
}

/* The number that a register has after an instruction that writes it. */
static bool number_set(const struct scope_operation *operation, uint8_t reg, uint64_t *ret_number)
{
	const struct scope_operand *from = &operation->from;

	if (operation->to.kind != SCOPE_OPERAND_REGISTER || operation->to.reg != reg)
		return false;
	*ret_number = from->number;
	if (operation->kind == SCOPE_OPERATION_MOVE)
		return from->kind == SCOPE_OPERAND_NUMBER;
	return operation->kind == SCOPE_OPERATION_ADDRESS && from->kind == SCOPE_OPERAND_MEMORY &&
	       from->base == SCOPE_NO_REGISTER && from->index == SCOPE_NO_REGISTER;
}

/* Puts an instruction on the stack if it was not there. Returns the depth of the stack. */
static uint32_t visit(struct scope_ways *ways, uint32_t node, uint32_t depth)
{
	if (ways->seen[node])
		return depth;
	ways->seen[node] = true;
	ways->stack[depth] = node;
	return depth + 1;
}

/* What leads to an instruction; if nothing else does, the jumps that are known only at run time. */
static uint32_t visit_sources(struct scope_ways *ways, uint32_t node, uint32_t depth, bool *open)
{
	for (uint32_t i = ways->first[node]; i < ways->first[node + 1]; i++)
		depth = visit(ways, ways->from[i], depth);
	if (ways->first[node] == ways->first[node + 1] && !ways->assume && !*open) {
		*open = true;
		for (uint32_t i = 0; i < ways->count; i++)
			if (ways->open[i])
				depth = visit(ways, i, depth);
	}
	return depth;
}

bool scope_symbol_ways_number(struct scope_ways *ways, uint32_t node, uint8_t reg, uint64_t *ret_number)
{
	bool open = false, found = false;
	uint32_t depth;
	uint64_t number;

	if (!node)
		return false;
	memset(ways->seen, 0, ways->count);
	depth = visit_sources(ways, node, 0, &open);
	while (depth) {
		const uint32_t at = ways->stack[--depth];

		if (++ways->steps > STEPS_MAX)
			return false;
		if (ways->operation[at].writes & (1u << reg)) {
			if (!number_set(&ways->operation[at], reg, &number) || (found && number != *ret_number))
				return false;
			*ret_number = number;
			found = true;
			continue;
		}
		if (!at)
			return false; /* set by the caller */
		depth = visit_sources(ways, at, depth, &open);
	}
	return found;
}

void scope_symbol_ways_only(const struct scope_ways *ways, uint32_t node, struct scope_way *ret_way)
{
	ret_way->length = 0;
	ret_way->jumped[0] = false;
	while (ret_way->length < SCOPE_WAY_MAX) {
		const uint32_t *first = &ways->first[node];
		uint32_t before;

		ret_way->node[ret_way->length++] = node;
		if (!node || first[1] - first[0] != 1 || ret_way->length == SCOPE_WAY_MAX)
			break;
		before = ways->from[first[0]];
		ret_way->jumped[ret_way->length] = before + 1 != node || !ways->instruction[before].falls;
		node = before;
	}
}

static int read_operations(struct scope_ways *ways, unsigned machine, const uint8_t *code)
{
	struct scope_decoder *decoder;
	const int err = scope_symbol_decoder_create(machine, &decoder);

	if (err)
		return err;
	for (uint32_t i = 0; i < ways->count; i++) {
		const struct scope_instruction *one = &ways->instruction[i];

		/* One that is not read again could be anything. */
		if (!scope_symbol_decoder_operation(decoder, code + (one->at - ways->instruction[0].at), one->bytes,
						    one->at, &ways->operation[i]))
			ways->operation[i] = (struct scope_operation){ .writes = UINT16_MAX, .stores = true };
	}
	scope_symbol_decoder_destroy(decoder);
	return 0;
}

int scope_symbol_ways_create(unsigned machine, const uint8_t *code, const struct scope_instruction *instruction,
			     uint32_t count, struct scope_ways *ret_ways)
{
	*ret_ways = (struct scope_ways){ .instruction = instruction, .count = count };
	ret_ways->operation = calloc(count, sizeof(*ret_ways->operation));
	ret_ways->first = calloc((size_t)count + 2, sizeof(*ret_ways->first));
	ret_ways->open = calloc(count, sizeof(*ret_ways->open));
	ret_ways->stack = calloc(count, sizeof(*ret_ways->stack));
	ret_ways->seen = calloc(count, sizeof(*ret_ways->seen));
	if (!ret_ways->operation || !ret_ways->first || !ret_ways->open || !ret_ways->stack || !ret_ways->seen)
		return -ENOMEM;
	return read_operations(ret_ways, machine, code);
}

void scope_symbol_ways_free(struct scope_ways *ways)
{
	free(ways->operation);
	free(ways->first);
	free(ways->from);
	free(ways->open);
	free(ways->stack);
	free(ways->seen);
}
