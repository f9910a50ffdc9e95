// SPDX-License-Identifier: GPL-2.0-only
/* Compiles the call frame instructions of functions into rows in pages (scope/table.h). */
#include "symbol/unwind_table.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "symbol/cfi_functions.h"

#define HASH_SLOTS (2 * SCOPE_TABLE_RULES_MAX)
#define NONE_RULE 0u  /* the first two rules of every table */
#define OTHER_RULE 1u /* also used if there are too many rules */

struct row {
	uint64_t link;
	uint32_t rule;
};

struct builder {
	const struct scope_cfi_machine *machine;
	const struct scope_ranges *plt;
	struct scope_cfi_functions functions;
	struct row *row;
	size_t rows, row_room;
	struct scope_table_rule *rule;
	size_t rules, rule_room;
	uint32_t *slot; /* HASH_SLOTS: number of a rule + 1 */
	uint64_t limit; /* rows from here on belong to the next function */
};

/* ---- rows ---- */

static uint32_t hash_of(const struct scope_table_rule *rule)
{
	uint64_t word[2];

	memcpy(word, rule, sizeof(word));
	word[0] = (word[0] ^ word[1] * 0x9e3779b97f4a7c15ull) * 0xbf58476d1ce4e5b9ull;
	return (uint32_t)(word[0] >> 32) % HASH_SLOTS;
}

static int number_rule(struct builder *builder, const struct scope_table_rule *rule, uint32_t *ret_number)
{
	uint32_t at = hash_of(rule);

	for (; builder->slot[at]; at = (at + 1) % HASH_SLOTS) {
		if (!memcmp(&builder->rule[builder->slot[at] - 1], rule, sizeof(*rule))) {
			*ret_number = builder->slot[at] - 1;
			return 0;
		}
	}
	if (builder->rules == SCOPE_TABLE_RULES_MAX) {
		*ret_number = OTHER_RULE;
		return 0;
	}
	if (scope_grow(&builder->rule, &builder->rule_room, builder->rules + 1, sizeof(*rule)))
		return -ENOMEM;
	builder->rule[builder->rules++] = *rule;
	builder->slot[at] = (uint32_t)builder->rules;
	*ret_number = (uint32_t)builder->rules - 1;
	return 0;
}

static int put_row(void *context, uint64_t link, const struct scope_table_rule *rule)
{
	struct builder *builder = context;
	const struct row *last = builder->rows ? &builder->row[builder->rows - 1] : NULL;
	uint32_t number;
	int err = number_rule(builder, rule, &number);

	/* A section of jumps may overlap another section; rows must stay in order. */
	if (err || link >= builder->limit || (last && (last->rule == number || link < last->link)))
		return err;
	if (last && last->link == link) {
		builder->row[builder->rows - 1].rule = number;
		return 0;
	}
	if (builder->rows == SCOPE_TABLE_BYTES_MAX / sizeof(uint32_t))
		return -E2BIG;
	if (scope_grow(&builder->row, &builder->row_room, builder->rows + 1, sizeof(*builder->row)))
		return -ENOMEM;
	builder->row[builder->rows++] = (struct row){ link, number };
	return 0;
}

/*
 * Writes rows for addresses without an entry. Linkers write no entries for the jumps (.plt) of a static program: there
 * the rule is that of a function's entry.
 */
static int put_gap(struct builder *builder, uint64_t start, uint64_t end)
{
	const struct scope_table_rule none = { .cfa = SCOPE_CFA_NONE };
	const struct scope_table_rule entry = {
		.cfa = SCOPE_CFA_SP, .cfa_offset = 8, .ra = SCOPE_VALUE_AT_CFA, .ra_offset = -8
	};
	int err;

	builder->limit = end;
	err = put_row(builder, start, &none);
	for (size_t i = 0; !err && i < builder->plt->count; i++) {
		const struct scope_range *range = &builder->plt->range[i];

		if (range->end <= start || range->start >= end)
			continue;
		err = put_row(builder, range->start > start ? range->start : start, &entry);
		if (!err)
			err = put_row(builder, range->end, &none);
	}
	return err;
}

static int put_rows(struct builder *builder)
{
	uint64_t end;
	int err = 0;

	if (!builder->functions.count)
		return 0;
	end = builder->functions.function[0].start;
	if (builder->plt->count && builder->plt->range[0].start < end)
		end = builder->plt->range[0].start;
	for (size_t i = 0; !err && i < builder->functions.count; i++) {
		const struct scope_cfi_function *function = &builder->functions.function[i];
		const bool last = i + 1 == builder->functions.count;

		if (function->start > end)
			err = put_gap(builder, end, function->start);
		builder->limit = last || function[1].start > function->end ? function->end : function[1].start;
		if (!err)
			err = scope_symbol_cfi_run(builder->machine, function, put_row, builder);
		if (function->end > end)
			end = function->end;
		if (!last && function[1].start < end)
			end = function[1].start;
	}
	return err ? err : put_gap(builder, end, UINT64_MAX);
}

/* NONE_RULE and OTHER_RULE. */
static int put_first_rules(struct builder *builder)
{
	const struct scope_table_rule other = { .cfa = SCOPE_CFA_OTHER }, none = { .cfa = SCOPE_CFA_NONE };
	uint32_t number;
	int err = number_rule(builder, &none, &number);

	return err ? err : number_rule(builder, &other, &number);
}

/* ---- the table ---- */

/* Writes the rows, or only counts them if row is NULL. *ret_pages: the number of pages. */
static size_t fill_pages(const struct builder *builder, uint64_t start, uint32_t *first, uint32_t *row,
			 size_t *ret_pages)
{
	uint32_t rule = NONE_RULE;
	size_t count = 0, at = 0, page = 0;

	for (; at < builder->rows; page++) {
		const uint64_t begin = start + (uint64_t)page * SCOPE_TABLE_PAGE_BYTES;

		if (page == SCOPE_TABLE_PAGES_MAX)
			break;
		if (first)
			first[page] = (uint32_t)count;
		/* The row of the page's first address. */
		if (rule != NONE_RULE && builder->row[at].link > begin) {
			if (row)
				row[count] = rule;
			count++;
		}
		for (; at < builder->rows && builder->row[at].link - begin < SCOPE_TABLE_PAGE_BYTES; at++, count++) {
			rule = builder->row[at].rule;
			if (row)
				row[count] = (uint32_t)(builder->row[at].link - begin) << 16 | rule;
		}
	}
	if (first)
		first[page] = (uint32_t)count;
	*ret_pages = at < builder->rows ? SIZE_MAX : page;
	return count;
}

static int write_table(const struct builder *builder, void **ret_table, size_t *ret_bytes)
{
	const uint64_t first = builder->rows ? builder->row[0].link : 0;
	const uint64_t start = first & ~(uint64_t)(SCOPE_TABLE_PAGE_BYTES - 1);
	struct scope_table_header header = { .magic = SCOPE_TABLE_MAGIC,
					     .rules = (uint32_t)builder->rules,
					     .start = start };
	struct scope_table_rule *rule;
	size_t pages, rows, bytes;
	uint8_t *table;

	rows = fill_pages(builder, start, NULL, NULL, &pages);
	bytes = sizeof(header) + builder->rules * sizeof(*rule) + (pages + 1 + rows) * sizeof(uint32_t);
	if (pages == SIZE_MAX || bytes > SCOPE_TABLE_BYTES_MAX)
		return -E2BIG;
	table = calloc(1, bytes);
	if (!table)
		return -ENOMEM;
	header.pages = (uint32_t)pages;
	header.rows = (uint32_t)rows;
	header.bytes = (uint32_t)bytes;
	memcpy(table, &header, sizeof(header));
	rule = (struct scope_table_rule *)(table + sizeof(header));
	memcpy(rule, builder->rule, builder->rules * sizeof(*rule));
	fill_pages(builder, start, (uint32_t *)(rule + builder->rules), (uint32_t *)(rule + builder->rules) + pages + 1,
		   &pages);
	*ret_table = table;
	*ret_bytes = bytes;
	return 0;
}

static const struct scope_cfi_machine *machine_of(Elf *elf)
{
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(elf, &ehdr))
		return NULL;
	if (ehdr.e_machine == EM_X86_64 && ehdr.e_ident[EI_CLASS] == ELFCLASS64)
		return &scope_symbol_cfi_x86_64;
	return ehdr.e_machine == EM_AARCH64 ? &scope_symbol_cfi_arm64 : NULL;
}

int scope_symbol_table_compile(Elf *elf, const struct scope_ranges *plt, void **ret_table, size_t *ret_bytes)
{
	struct builder builder = { .machine = machine_of(elf), .plt = plt };
	int err;

	if (!builder.machine)
		return -ENOENT;
	err = scope_symbol_cfi_functions_read(elf, builder.machine, &builder.functions);
	if (err)
		return err;
	builder.slot = calloc(HASH_SLOTS, sizeof(*builder.slot));
	err = builder.slot ? put_first_rules(&builder) : -ENOMEM;
	if (!err)
		err = put_rows(&builder);
	if (!err)
		err = write_table(&builder, ret_table, ret_bytes);
	free(builder.functions.function);
	free(builder.row);
	free(builder.rule);
	free(builder.slot);
	return err;
}
