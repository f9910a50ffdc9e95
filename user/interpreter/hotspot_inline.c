// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds which methods the compiler inlined into a method, by the records that HotSpot keeps for the places at which a
 * thread may stop.
 *
 *   place in the code ─► PcDesc ─► scope: its method ─► the scope around: its method … ─► the method itself
 *
 * For other places the next record is used. Numbers have two encodings (utilities/unsigned5.hpp): the first up to
 * version 19, the second, which has no zero bytes, from version 20 on. The right encoding is the one that gives the
 * compiled method as the outermost.
 */
#include "interpreter/hotspot_code.h"

#define WORD 8
#define SCOPES_MAX (1u << 24)  /* no rule: bytes of records; more are invalid */
#define RECORDS_MAX (1u << 20) /* no rule */
#define LOW_CODES 192	       /* a smaller byte ends a number */
#define HIGH_BITS 6
#define NUMBER_BYTES 5

struct records {
	uint64_t pcs, scopes, methods;
	uint32_t count;
};

static bool read_offset(struct scope_memory *memory, uint64_t blob, uint64_t at, int32_t *ret_offset)
{
	return scope_interpreter_memory_get(memory, blob + at, ret_offset, sizeof(*ret_offset)) && *ret_offset > 0 &&
	       *ret_offset < (int32_t)SCOPES_MAX;
}

static bool find_records(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets, uint64_t blob,
			 struct records *ret_records)
{
	int32_t pcs, end, methods;

	if (!offsets->inlines || !read_offset(memory, blob, offsets->blob_pcs, &pcs) ||
	    !read_offset(memory, blob, offsets->blob_pcs_end, &end) ||
	    !read_offset(memory, blob, offsets->blob_methods, &methods) ||
	    !scope_interpreter_memory_word(memory, blob + offsets->blob_scopes, &ret_records->scopes) || end < pcs)
		return false;
	ret_records->pcs = blob + (uint64_t)pcs;
	ret_records->count = (uint32_t)(end - pcs) / (uint32_t)offsets->pc_size;
	ret_records->methods = blob + (uint64_t)methods;
	return ret_records->count < RECORDS_MAX;
}

/* The scope of the first record that is not before the place. 0: none. */
static int32_t find_scope(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets,
			  const struct records *records, int64_t place)
{
	uint32_t low = 0, high = records->count;
	int32_t at, scope;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (!scope_interpreter_memory_get(memory, records->pcs + middle * offsets->pc_size + offsets->pc_place,
						  &at, sizeof(at)))
			return 0;
		if (at < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low < records->count &&
			       scope_interpreter_memory_get(memory,
							    records->pcs + low * offsets->pc_size + offsets->pc_scope,
							    &scope, sizeof(scope))
		       ? scope
		       : 0;
}

/* excess: number that is subtracted from each byte. */
static bool read_number(struct scope_memory *memory, uint64_t *at, unsigned excess, uint32_t *ret_number)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < NUMBER_BYTES; i++) {
		uint8_t byte;

		if (!scope_interpreter_memory_get(memory, (*at)++, &byte, 1) || byte < excess)
			return false;
		sum += (uint32_t)(byte - excess) << i * HIGH_BITS;
		if (byte < LOW_CODES)
			break;
	}
	*ret_number = sum;
	return true;
}

static bool follow(struct scope_memory *memory, const struct records *records, uint32_t scope, unsigned excess,
		   uint64_t method, struct scope_left_functions *functions)
{
	functions->count = 0;
	while (scope && scope < SCOPES_MAX && functions->count < SCOPE_LEFT_FUNCTIONS) {
		uint64_t at = records->scopes + scope;
		uint32_t outer, number;

		if (!read_number(memory, &at, excess, &outer) || !read_number(memory, &at, excess, &number) ||
		    !number ||
		    !scope_interpreter_memory_word(memory, records->methods + (uint64_t)(number - 1) * WORD,
						   &functions->function[functions->count++]))
			return false;
		scope = outer;
	}
	return !scope && functions->count && functions->function[functions->count - 1] == method;
}

void scope_interpreter_hotspot_inlined(struct scope_memory *memory, const struct scope_hotspot_offsets *offsets,
				       uint64_t blob, uint64_t pc, uint64_t method,
				       struct scope_left_functions *ret_functions)
{
	struct records records;
	uint64_t begin;
	int32_t scope;

	if (find_records(memory, offsets, blob, &records) &&
	    scope_interpreter_memory_word(memory, blob + offsets->blob_begin, &begin) && pc >= begin) {
		scope = find_scope(memory, offsets, &records, (int64_t)(pc - begin));
		if (scope > 0 && (follow(memory, &records, (uint32_t)scope, 0, method, ret_functions) ||
				  follow(memory, &records, (uint32_t)scope, 1, method, ret_functions)))
			return;
	}
	ret_functions->count = 1;
	ret_functions->function[0] = method;
}
