// SPDX-License-Identifier: GPL-2.0-only
/* From the entries of .eh_frame and .debug_frame to rows in pages (scope/table.h). */
#include "symbol/unwind_table.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "symbol/cfi.h"

/* Instructions of a CIE are executed for each function, so a file cannot have many; real ones have 10 bytes. */
#define INITIAL_BYTES_MAX 256u
#define EXPANDED_BYTES_MAX (256u << 20) /* of a compressed section */
#define HASH_SLOTS (2 * SCOPE_TABLE_RULES_MAX)
#define NONE_RULE 0u  /* the first two of every table */
#define OTHER_RULE 1u /* also if there are too many rules */

struct section {
	const uint8_t *data;
	size_t bytes;
	uint64_t address;
	bool eh; /* .eh_frame, not .debug_frame */
};

/* What a CIE says. */
struct common {
	size_t offset; /* of it in the section */
	bool known;
	uint8_t encoding; /* of addresses in its FDEs */
	bool augmented;	  /* FDEs have augmentation data */
	struct scope_cfi_function function;
};

struct row {
	uint64_t link;
	uint32_t rule;
};

struct builder {
	const struct scope_cfi_machine *machine;
	const struct scope_ranges *plt;
	struct scope_cfi_function *function;
	size_t functions, function_room;
	struct row *row;
	size_t rows, row_room;
	struct scope_table_rule *rule;
	size_t rules, rule_room;
	uint32_t *slot; /* HASH_SLOTS: number of a rule + 1 */
	uint64_t limit; /* rows from here on belong to the next function */
};

/* ---- entries ---- */

static uint64_t pointer(struct scope_cfi_bytes *bytes, uint8_t encoding)
{
	const uint8_t format = encoding & 0x0f;
	uint64_t value;

	switch (format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return scope_symbol_cfi_fixed(bytes, 8);
	case DW_EH_PE_udata4:
		return scope_symbol_cfi_fixed(bytes, 4);
	case DW_EH_PE_udata2:
		return scope_symbol_cfi_fixed(bytes, 2);
	case DW_EH_PE_sdata4:
		value = scope_symbol_cfi_fixed(bytes, 4);
		return (uint64_t)(int64_t)(int32_t)value;
	case DW_EH_PE_sdata2:
		value = scope_symbol_cfi_fixed(bytes, 2);
		return (uint64_t)(int64_t)(int16_t)value;
	case DW_EH_PE_uleb128:
		return scope_symbol_cfi_uleb(bytes);
	case DW_EH_PE_sleb128:
		return (uint64_t)scope_symbol_cfi_sleb(bytes);
	}
	bytes->bad = true;
	return 0;
}

/* The data after an augmentation that begins with z. */
static void read_augmentation(struct common *common, const char *letter, struct scope_cfi_bytes data)
{
	common->known = true;
	for (; *letter; letter++) {
		if (*letter == 'S')
			common->function.signal = true;
		else if (*letter == 'R')
			common->encoding = (uint8_t)scope_symbol_cfi_fixed(&data, 1);
		else if (*letter == 'P')
			pointer(&data, (uint8_t)scope_symbol_cfi_fixed(&data, 1));
		else if (*letter == 'L')
			scope_symbol_cfi_fixed(&data, 1);
		else if (*letter != 'B')
			common->known = false;
	}
	common->known &= !data.bad;
}

/* LSB 5, section 10.6.1.1.1; DWARF 5, section 6.4.1. */
static void read_common(const struct builder *builder, struct scope_cfi_bytes entry, struct common *common)
{
	const uint64_t version = scope_symbol_cfi_fixed(&entry, 1);
	const char *augmentation = (const char *)entry.at;
	uint64_t bytes, ra;
	const uint8_t *data;

	if (entry.bad || !memchr(augmentation, '\0', (size_t)(entry.end - entry.at)))
		return;
	scope_symbol_cfi_skip(&entry, strlen(augmentation) + 1);
	if (version == 4) {
		/* Bytes of an address, and of a segment. */
		if (scope_symbol_cfi_fixed(&entry, 1) != 8 || scope_symbol_cfi_fixed(&entry, 1))
			return;
	} else if (version != 1 && version != 3) {
		return;
	}
	common->function.code_align = scope_symbol_cfi_uleb(&entry);
	common->function.data_align = scope_symbol_cfi_sleb(&entry);
	ra = version == 1 ? scope_symbol_cfi_fixed(&entry, 1) : scope_symbol_cfi_uleb(&entry);
	if (ra != builder->machine->ra)
		return;
	common->encoding = DW_EH_PE_absptr;
	common->augmented = augmentation[0] == 'z';
	if (common->augmented) {
		bytes = scope_symbol_cfi_uleb(&entry);
		data = scope_symbol_cfi_skip(&entry, bytes);
		if (!data)
			return;
		read_augmentation(common, augmentation + 1, (struct scope_cfi_bytes){ data, data + bytes, false });
	} else {
		common->known = !augmentation[0];
	}
	common->function.initial = entry.at;
	common->function.initial_bytes = (size_t)(entry.end - entry.at);
	common->known &= !entry.bad && common->function.initial_bytes <= INITIAL_BYTES_MAX;
}

/* One entry: after its length field. false: it makes no sense, or the section ends here. */
static bool next_entry(struct scope_cfi_bytes *at, struct scope_cfi_bytes *ret_entry)
{
	const uint64_t bytes = scope_symbol_cfi_fixed(at, 4);
	const uint8_t *data;

	if (!bytes || bytes >= 0xfffffff0)
		return false;
	data = scope_symbol_cfi_skip(at, bytes);
	*ret_entry = (struct scope_cfi_bytes){ data, data ? data + bytes : NULL, false };
	return data;
}

/* offset: of a CIE in the section. */
static void find_common(const struct builder *builder, const struct section *section, uint64_t offset,
			struct common *common)
{
	struct scope_cfi_bytes at = { section->data, section->data + section->bytes, false }, entry;
	uint64_t id;

	if (common->offset == offset)
		return;
	*common = (struct common){ .offset = offset };
	if (!scope_symbol_cfi_skip(&at, offset) || !next_entry(&at, &entry))
		return;
	id = scope_symbol_cfi_fixed(&entry, 4);
	if (id == (section->eh ? 0 : 0xffffffff))
		read_common(builder, entry, common);
}

static int add_function(struct builder *builder, const struct section *section, struct scope_cfi_bytes entry,
			const struct common *common)
{
	struct scope_cfi_function function = common->function;
	const uint64_t place = section->address + (uint64_t)(entry.at - section->data);
	uint64_t size;

	function.start = pointer(&entry, common->encoding);
	if ((common->encoding & 0x70) == DW_EH_PE_pcrel)
		function.start += place;
	else if (common->encoding & 0x70)
		return 0;
	size = pointer(&entry, common->encoding & 0x0f);
	function.end = function.start + size;
	if (common->augmented)
		scope_symbol_cfi_skip(&entry, scope_symbol_cfi_uleb(&entry));
	/* At 0 are functions that the linker removed. */
	if (entry.bad || common->encoding & DW_EH_PE_indirect || !function.start || function.end <= function.start)
		return 0;
	function.code = entry.at;
	function.code_bytes = (size_t)(entry.end - entry.at);
	if (scope_grow(&builder->function, &builder->function_room, builder->functions + 1, sizeof(function)))
		return -ENOMEM;
	builder->function[builder->functions++] = function;
	return 0;
}

static int read_functions(struct builder *builder, const struct section *section)
{
	struct scope_cfi_bytes at = { section->data, section->data + section->bytes, false }, entry;
	struct common common = { .offset = SIZE_MAX };
	int err = 0;

	while (!err && at.at < at.end && next_entry(&at, &entry)) {
		const size_t here = (size_t)(entry.at - section->data);
		const uint64_t id = scope_symbol_cfi_fixed(&entry, 4);

		if (entry.bad || id == (section->eh ? 0 : 0xffffffff))
			continue;
		find_common(builder, section, section->eh ? here - id : id, &common);
		if (common.known)
			err = add_function(builder, section, entry, &common);
	}
	return err;
}

static int by_start(const void *left, const void *right)
{
	const struct scope_cfi_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* The shortest last: it is the one that counts. The rest of the order makes it the same each time. */
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->code < b->code ? -1 : a->code > b->code;
}

/*
 * Adds the functions that .eh_frame does not have. A program that is built without it has that of the C library's start
 * files all the same.
 */
static int read_others(struct builder *builder, const struct section *section)
{
	const size_t known = builder->functions;
	size_t kept = known, at;
	int err = read_functions(builder, section);

	if (err)
		return err;
	qsort(builder->function, known, sizeof(*builder->function), by_start);
	qsort(builder->function + known, builder->functions - known, sizeof(*builder->function), by_start);
	at = 0;
	for (size_t i = known; i < builder->functions; i++) {
		const struct scope_cfi_function other = builder->function[i];

		while (at < known && builder->function[at].end <= other.start)
			at++;
		if (at == known || builder->function[at].start > other.start)
			builder->function[kept++] = other;
	}
	builder->functions = kept;
	return 0;
}

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

	/* A section of jumps may overlap another one: rows stay in order. */
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

/* Addresses without an entry. Linkers write none for the jumps (.plt) of a static program: they are as at a function's entry. */
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

	if (!builder->functions)
		return 0;
	end = builder->function[0].start;
	if (builder->plt->count && builder->plt->range[0].start < end)
		end = builder->plt->range[0].start;
	for (size_t i = 0; !err && i < builder->functions; i++) {
		const struct scope_cfi_function *function = &builder->function[i];
		const bool last = i + 1 == builder->functions;

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

/* Writes the rows, or with row NULL only counts them. *ret_pages: counted. */
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
		/* The row that the page begins in. */
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

/* Go compresses what debuggers alone read. False: it cannot be read. */
static bool expand(Elf_Scn *scn, const GElf_Shdr *shdr)
{
	GElf_Chdr chdr;

	if (!(shdr->sh_flags & SHF_COMPRESSED))
		return true;
	return gelf_getchdr(scn, &chdr) && chdr.ch_size <= EXPANDED_BYTES_MAX && elf_compress(scn, 0, 0) >= 0;
}

static bool find_section(Elf *elf, const char *wanted, struct section *ret_section)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		Elf_Data *data;

		if (!name || strcmp(name, wanted) || shdr.sh_type == SHT_NOBITS || !expand(scn, &shdr))
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			return false;
		*ret_section =
			(struct section){ data->d_buf, data->d_size, shdr.sh_addr, !strcmp(wanted, ".eh_frame") };
		return true;
	}
	return false;
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
	struct section section;
	int err = 0;

	if (!builder.machine)
		return -ENOENT;
	if (find_section(elf, ".eh_frame", &section))
		err = read_functions(&builder, &section);
	if (!err && find_section(elf, ".debug_frame", &section))
		err = read_others(&builder, &section);
	builder.slot = calloc(HASH_SLOTS, sizeof(*builder.slot));
	if (!err && !builder.slot)
		err = -ENOMEM;
	if (!err) {
		if (builder.functions)
			qsort(builder.function, builder.functions, sizeof(*builder.function), by_start);
		err = put_first_rules(&builder);
	}
	if (!err)
		err = put_rows(&builder);
	if (!err)
		err = write_table(&builder, ret_table, ret_bytes);
	free(builder.function);
	free(builder.row);
	free(builder.rule);
	free(builder.slot);
	return err;
}
