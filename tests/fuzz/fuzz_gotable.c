// SPDX-License-Identifier: GPL-2.0-only
/* Damaged tables of Go's functions, of each version. */
#include "fuzz.h"
#include "../unit/go_table.h"
#include "symbol/goname.h"
#include "symbol/gotable.h"

#define EDIT_BYTES 4 /* where (2), how (1), what (1) */

static void edit(struct go_bytes *table, const uint8_t *data)
{
	uint16_t where;

	memcpy(&where, data, sizeof(where));
	where %= table->bytes;
	switch (data[2] % 3) {
	case 0:
		table->data[where] ^= data[3];
		break;
	case 1:
		table->data[where] = data[3];
		break;
	default:
		memset(table->data + where, data[3], table->bytes - where < 4 ? table->bytes - where : 4);
	}
}

static void look(const struct scope_go_table *table)
{
	struct scope_go_function function;
	struct scope_go_line line;
	size_t budget = 1 << 20;
	uint64_t value = 0;

	for (size_t i = 0; i < table->count && !scope_symbol_go_table_function(table, i, &budget, &function); i++) {
		if (strlen(function.name) != function.name_bytes)
			fuzz_die("a name with an end inside, or none");
		value += scope_symbol_go_name_is_library(function.name) + scope_symbol_go_name_is_idle(function.name);
	}
	for (uint64_t link = GO_TEXT - 1; link < GO_TEXT + 0x90; link += 7) {
		if (!scope_symbol_go_table_line(table, link, &line))
			value += strlen(line.file) + line.line;
	}
	__asm__ volatile("" : : "r"(value));
}

/* The first byte selects the version, and whether the input is a list of changes or the table itself. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct scope_go_table table;
	struct go_bytes made;
	uint8_t *copy;
	size_t size;

	if (!bytes)
		return 0;
	go_table_make(data[0] % GO_VERSIONS, &made);
	for (size_t i = 1; i + EDIT_BYTES <= bytes && i < 8 * EDIT_BYTES; i += EDIT_BYTES)
		edit(&made, data + i);
	size = data[0] & 0x80 ? bytes - 1 : made.bytes;
	copy = malloc(size + !size); /* of exactly that size, so that an access past its end is seen */
	if (!copy)
		fuzz_die("no memory");
	memcpy(copy, data[0] & 0x80 ? data + 1 : made.data, size);
	if (!scope_symbol_go_table_init(copy, size, &table)) {
		if (table.relative && !table.text)
			table.text = GO_TEXT;
		look(&table);
	}
	free(copy);
	return 0;
}
