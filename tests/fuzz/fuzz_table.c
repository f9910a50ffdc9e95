// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as an unwind table: the table is refused, or walks that use it stay within their bounds. Most inputs that
 * it makes itself are well-formed tables whose rules lead anywhere; every fourth is then damaged.
 */
#include <stdbool.h>

#include "fuzz.h"
#include "../../kmod/unwind.h"

#define HEAD_BYTES 16 /* where the walk begins */
#define RULES_MOST 8
#define PAGES_MOST 16
#define ROWS_MOST 40 /* of a page */
#define TABLE_MOST                                                                                                     \
	(sizeof(struct scope_table_header) + RULES_MOST * sizeof(struct scope_table_rule) +                            \
	 (PAGES_MOST + 1 + PAGES_MOST * ROWS_MOST) * sizeof(uint32_t))

static const uint8_t *stack;
static size_t stack_bytes;
static unsigned int reads;
static bool small; /* every word of the stack is a place in the table and in the stack, so that walks continue */

static bool read_word(u64 *to, u64 from)
{
	reads++;
	if (from > stack_bytes || stack_bytes - from < sizeof(*to))
		return false;
	memcpy(to, stack + from, sizeof(*to));
	if (small)
		*to %= 2048;
	return true;
}

static u64 plain(u64 word)
{
	return word;
}

static void walk(const struct scope_unwind_table *table, const uint8_t *data, bool call_pushes)
{
	const struct scope_unwind_machine machine = { read_word, plain, call_pushes };
	struct {
		struct scope_unwind_maps maps;
		struct scope_unwind_map map[1];
	} space = { .maps.count = 1 };
	struct scope_unwind_frame frame = { .exact = true, .has_fp = true, .has_link = !call_pushes };
	u32 count = 0;
	u8 ended;
	u64 *ip = malloc(64 * sizeof(*ip));

	memcpy(&frame.pc, data, 4);
	memcpy(&frame.sp, data + 4, 2);
	memcpy(&frame.fp, data + 6, 2);
	memcpy(&frame.link, data + 8, 4);
	space.maps.map[0] = (struct scope_unwind_map){ .end = UINT64_MAX, .table = table };
	reads = 0;
	if (!scope_unwind_walk(&machine, &space.maps, &frame, ip, 64, &count, &ended) && (!count || count > 64))
		fuzz_die("more addresses than there is room for");
	if (reads > 3 * 64)
		fuzz_die("more reads than a walk may make");
	free(ip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct scope_unwind_table table;
	uint64_t *copy;
	size_t size;

	if (bytes < HEAD_BYTES)
		return 0;
	size = bytes - HEAD_BYTES;
	copy = malloc(size + !size);
	if (!copy)
		fuzz_die("no memory");
	memcpy(copy, data + HEAD_BYTES, size);
	/* If only the header of a table is missing, the bytes get one. */
	if (size >= sizeof(struct scope_table_header) && data[15] & 1) {
		struct scope_table_header *head = (void *)copy;

		head->magic = SCOPE_TABLE_MAGIC;
		head->bytes = (uint32_t)size;
		head->rules = head->rules % 8 + 1;
		head->pages %= 4;
		head->zero = 0;
		head->start &= ~(uint64_t)(SCOPE_TABLE_PAGE_BYTES - 1);
		if (size >= sizeof(*head) + head->rules * 16 + (head->pages + 1) * 4)
			head->rows = (uint32_t)(size - sizeof(*head) - head->rules * 16 - (head->pages + 1) * 4) / 4;
	}
	small = data[14] & 1;
	stack = (const uint8_t *)copy;
	stack_bytes = size;
	if (!scope_unwind_table_open(copy, size, NULL, &table)) {
		walk(&table, data, true);
		walk(&table, data, false);
	}
	free(copy);
	return 0;
}

static uint32_t any(uint64_t *seed, uint32_t below)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33) % below;
}

static int32_t any_offset(uint64_t *seed, uint32_t usual)
{
	return any(seed, 4) ? (int32_t)any(seed, usual) - (int32_t)usual / 2
			    : (int32_t)(any(seed, UINT32_MAX) << any(seed, 2));
}

static struct scope_table_rule any_rule(uint64_t *seed)
{
	return (struct scope_table_rule){
		.cfa = (uint8_t)any(seed, SCOPE_CFA_KINDS),
		.fp = (uint8_t)any(seed, SCOPE_VALUE_KINDS),
		.ra = (uint8_t)any(seed, SCOPE_VALUE_KINDS),
		.flags = any(seed, 4) ? 0 : SCOPE_RULE_SIGNAL,
		.cfa_offset = any_offset(seed, 256),
		.fp_offset = any_offset(seed, 256),
		.ra_offset = any_offset(seed, 64),
	};
}

/* Makes a well-formed table of at most TABLE_MOST bytes. Returns the number of bytes. */
static size_t any_table(uint64_t *seed, uint8_t *to)
{
	const uint32_t rules = 1 + any(seed, RULES_MOST), pages = 1 + any(seed, PAGES_MOST);
	struct scope_table_header head = { .magic = SCOPE_TABLE_MAGIC, .rules = rules, .pages = pages };
	uint32_t first[PAGES_MOST + 1], row[PAGES_MOST * ROWS_MOST], page, at;
	uint8_t *end = to + sizeof(head);

	for (uint32_t i = 0; i < rules; i++, end += sizeof(struct scope_table_rule)) {
		struct scope_table_rule rule = any_rule(seed);

		memcpy(end, &rule, sizeof(rule));
	}
	for (page = 0; page < pages; page++) {
		first[page] = head.rows;
		at = 0;
		for (uint32_t left = any(seed, ROWS_MOST + 1); left && at < SCOPE_TABLE_PAGE_BYTES; left--) {
			row[head.rows++] = at << 16 | any(seed, rules);
			at += 1 + any(seed, 3000);
		}
	}
	first[pages] = head.rows;
	memcpy(end, first, (pages + 1) * sizeof(*first));
	end += (pages + 1) * sizeof(*first);
	memcpy(end, row, head.rows * sizeof(*row));
	end += head.rows * sizeof(*row);
	head.bytes = (uint32_t)(end - to);
	memcpy(to, &head, sizeof(head));
	return head.bytes;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned int seed)
{
	uint64_t state = seed;
	uint32_t pc;
	uint8_t i;

	if (room < HEAD_BYTES + TABLE_MOST || !any(&state, 8))
		return LLVMFuzzerMutate(data, bytes, room);
	for (i = 0; i < HEAD_BYTES; i++)
		data[i] = (uint8_t)any(&state, 256);
	pc = any(&state, PAGES_MOST * SCOPE_TABLE_PAGE_BYTES);
	memcpy(data, &pc, sizeof(pc));
	/* Within the bytes of the table, which are the stack. */
	data[5] &= 3;
	data[7] &= 3;
	data[HEAD_BYTES - 1] = 0;
	bytes = HEAD_BYTES + any_table(&state, data + HEAD_BYTES);
	return any(&state, 4) ? bytes : LLVMFuzzerMutate(data, bytes, room);
}
