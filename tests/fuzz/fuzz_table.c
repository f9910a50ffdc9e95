// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as an unwind table: it is refused, or walks by it stay within their bounds. */
#include <stdbool.h>

#include "fuzz.h"
#include "../../kmod/unwind.h"

#define HEAD_BYTES 16 /* where the walk begins */

static const uint8_t *stack;
static size_t stack_bytes;
static unsigned int reads;

static bool read_word(u64 *to, u64 from)
{
	reads++;
	if (from > stack_bytes || stack_bytes - from < sizeof(*to))
		return false;
	memcpy(to, stack + from, sizeof(*to));
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
	/* Where the bytes would be a table but for its head, they are given one. */
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
	stack = (const uint8_t *)copy;
	stack_bytes = size;
	if (!scope_unwind_table_open(copy, size, NULL, &table)) {
		walk(&table, data, true);
		walk(&table, data, false);
	}
	free(copy);
	return 0;
}
