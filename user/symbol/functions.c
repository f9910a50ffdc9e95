// SPDX-License-Identifier: GPL-2.0-only
/* Makes one table of functions from a file's symbols, aliases, split parts, Go's table and unwind ranges. */
#include "symbol/functions.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "symbol/fde.h"
#include "symbol/libc_part.h"

struct symbol {
	uint64_t start, size;
	uint64_t limit; /* end of its section, 0: unknown */
	const char *name;
	size_t bytes; /* length of the name, without a version */
	size_t plain; /* length of the name without the mark of a part that the compiler split off */
	unsigned int underscores;
	bool local, weak;
	uint32_t function; /* its index in the table that is being made */
};

struct symbols {
	struct symbol *symbol;
	size_t count, capacity;
};

/* Parts and variants of a function have its name, a dot, and one of these. */
static const char *const part_marks[] = { "cold", "part", "isra", "constprop", "lto_priv", "llvm" };

/* Bytes of the name of the whole function. A mark is followed by '.', or by nothing (cold). */
static size_t plain_bytes(const char *name, size_t bytes)
{
	for (size_t i = 1; i + 1 < bytes; i++) {
		if (name[i] != '.')
			continue;
		for (size_t m = 0; m < sizeof(part_marks) / sizeof(*part_marks); m++) {
			size_t mark = strlen(part_marks[m]);

			if (i + 1 + mark <= bytes && !memcmp(name + i + 1, part_marks[m], mark) &&
			    (i + 1 + mark == bytes || name[i + 1 + mark] == '.'))
				return i;
		}
	}
	return bytes;
}

static int symbol_add(struct symbols *symbols, Dwfl_Module *module, int index)
{
	GElf_Sym sym;
	GElf_Addr address;
	GElf_Word section;
	GElf_Shdr shdr;
	Elf *elf = NULL;
	struct symbol added = { 0 };
	const char *name = dwfl_module_getsym_info(module, index, &sym, &address, &section, &elf, NULL);
	int type = GELF_ST_TYPE(sym.st_info);

	if (!name || !*name || section == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC))
		return 0;
	if (scope_grow(&symbols->symbol, &symbols->capacity, symbols->count + 1, sizeof(*symbols->symbol)))
		return -ENOMEM;
	if (elf && section < SHN_LORESERVE && gelf_getshdr(elf_getscn(elf, section), &shdr))
		added.limit = shdr.sh_addr + shdr.sh_size;
	added.start = address;
	added.size = sym.st_size;
	added.name = name;
	added.bytes = strcspn(name, "@");
	added.plain = plain_bytes(name, added.bytes);
	added.underscores = strspn(name, "_");
	added.local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;
	added.weak = GELF_ST_BIND(sym.st_info) == STB_WEAK;
	if (added.bytes)
		symbols->symbol[symbols->count++] = added;
	return 0;
}

static int compare_name(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);

	return order ? order : a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

/* Orders by address; among symbols with one address the name to keep comes first. */
static int compare_address(const void *left, const void *right)
{
	const struct symbol *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->local != b->local)
		return a->local ? 1 : -1;
	if (a->underscores != b->underscores)
		return a->underscores < b->underscores ? -1 : 1;
	if (a->weak != b->weak)
		return a->weak ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return memcmp(a->name, b->name, a->bytes);
}

static int compare_plain(const void *left, const void *right)
{
	const struct symbol *a = *(struct symbol *const *)left, *b = *(struct symbol *const *)right;
	int order = compare_name(a->name, a->plain, b->name, b->plain);
	bool a_part = a->plain < a->bytes, b_part = b->plain < b->bytes;

	if (order)
		return order;
	if (a_part != b_part)
		return a_part ? 1 : -1; /* whole functions come before their parts */
	return a->start < b->start ? -1 : a->start > b->start;
}

/* Keeps one symbol for each address. A symbol without a size gets the bytes up to the next one. */
static void symbols_settle(struct symbols *symbols, const struct scope_ranges *fdes)
{
	size_t kept = 0;

	if (symbols->count)
		qsort(symbols->symbol, symbols->count, sizeof(*symbols->symbol), compare_address);
	for (size_t i = 0; i < symbols->count; i++) {
		struct symbol *symbol = &symbols->symbol[i];

		if (kept && symbols->symbol[kept - 1].start == symbol->start) {
			if (!symbols->symbol[kept - 1].size)
				symbols->symbol[kept - 1].size = symbol->size;
			continue;
		}
		symbols->symbol[kept++] = *symbol;
	}
	symbols->count = kept;
	for (size_t i = 0; i < kept; i++) {
		struct symbol *symbol = &symbols->symbol[i];
		const struct scope_range *fde = scope_symbol_ranges_find(fdes, symbol->start);
		uint64_t end = fde ? fde->end : symbol->limit;

		if (symbol->size)
			continue;
		if (i + 1 < kept && (!end || symbols->symbol[i + 1].start < end))
			end = symbols->symbol[i + 1].start;
		symbol->size = end > symbol->start ? end - symbol->start : 1;
	}
}

static int function_add(struct scope_file_functions *functions, const char *name, size_t bytes, uint64_t start,
			uint64_t size)
{
	if (scope_grow(&functions->function, &functions->capacity, functions->count + 1, sizeof(*functions->function)))
		return -ENOMEM;
	functions->function[functions->count++] =
		(struct scope_file_function){ name, bytes, start, size, false, false };
	return 0;
}

/*
 * Gives each symbol its function. A part belongs to the whole function of its name, if there is exactly one. If there
 * are several (static ones of different sources) or none, the part is a separate function. Then its name loses the
 * mark, too, except f.cold without f, which may be a name as written (Go).
 */
static int functions_make(struct scope_file_functions *functions, struct symbols *symbols)
{
	struct symbol **by_name = calloc(symbols->count + 1, sizeof(struct symbol *));
	int err = by_name ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < symbols->count; i++)
		by_name[i] = &symbols->symbol[i];
	if (!err && symbols->count)
		qsort(by_name, symbols->count, sizeof(struct symbol *), compare_plain);
	for (size_t i = 0, end; !err && i < symbols->count; i = end) {
		size_t whole = 0;

		for (end = i; end < symbols->count; end++) {
			struct symbol *symbol = by_name[end];
			size_t bytes = symbol->plain;

			if (compare_name(by_name[i]->name, by_name[i]->plain, symbol->name, symbol->plain))
				break;
			whole += symbol->plain == symbol->bytes;
			if (whole == 1 && end > i) {
				symbol->function = by_name[i]->function;
				continue;
			}
			if (!whole && symbol->name[symbol->bytes - 1] == 'd') /* …cold */
				bytes = symbol->bytes;
			symbol->function = functions->count;
			err = function_add(functions, symbol->name, bytes, symbol->start, symbol->size);
			if (err)
				break;
		}
	}
	free(by_name);
	return err;
}

/*
 * Adds a function if none of the first `first` ranges, which are sorted, covers its start. New ranges are appended
 * after them.
 */
static int gap_add(struct scope_file_functions *functions, size_t first, const char *name, size_t bytes,
		   const struct scope_range *gap)
{
	const struct scope_ranges sorted = { .range = functions->ranges.range, .count = first };
	int err;

	if (gap->start >= gap->end || scope_symbol_ranges_find(&sorted, gap->start))
		return 0;
	err = scope_symbol_ranges_add(&functions->ranges, gap->start, gap->end, functions->count);
	return err ? err : function_add(functions, name, bytes, gap->start, gap->end - gap->start);
}

/* Adds the functions of Go's table that have no symbol, up to the first invalid row. */
static int go_add(struct scope_file_functions *functions, const struct scope_go_table *go)
{
	const size_t first = functions->ranges.count;
	struct scope_go_function function;
	/* Few functions of a program share a name, so names need at most about this many bytes. */
	size_t budget = 2 * go->bytes;
	uint64_t end = 0;
	int err = 0;

	for (size_t i = 0; !err && i < go->count; i++) {
		struct scope_range range;

		if (scope_symbol_go_table_function(go, i, &budget, &function) || function.start < end)
			break;
		end = function.end;
		range = (struct scope_range){ function.start, function.end, function.end, 0 };
		err = gap_add(functions, first, function.name, function.name_bytes, &range);
	}
	scope_symbol_ranges_sort(&functions->ranges);
	return err;
}

static int ranges_make(struct scope_file_functions *functions, const struct symbols *symbols,
		       const struct scope_go_table *go, const struct scope_ranges *fdes)
{
	size_t first;
	int err = 0;

	for (size_t i = 0; !err && i < symbols->count; i++)
		err = scope_symbol_ranges_add(&functions->ranges, symbols->symbol[i].start,
					      symbols->symbol[i].start + symbols->symbol[i].size,
					      symbols->symbol[i].function);
	scope_symbol_ranges_sort(&functions->ranges);
	if (!err && go)
		err = go_add(functions, go);
	functions->named = functions->count;
	first = functions->ranges.count;
	for (size_t i = 0; !err && i < fdes->count; i++)
		if (!i || fdes->range[i - 1].start != fdes->range[i].start)
			err = gap_add(functions, first, NULL, 0, &fdes->range[i]);
	scope_symbol_ranges_sort(&functions->ranges);
	return err;
}

int scope_symbol_file_functions_read(Dwfl_Module *module, Elf *elf, const struct scope_go_table *go,
				     struct scope_file_functions *ret)
{
	struct scope_file_functions functions = { 0 };
	struct scope_ranges fdes = { 0 };
	struct symbols symbols = { 0 };
	int count = dwfl_module_getsymtab(module);
	int err = scope_symbol_fdes_read(elf, &fdes);

	for (int i = 1; !err && i < count; i++)
		err = symbol_add(&symbols, module, i);
	if (!err) {
		symbols_settle(&symbols, &fdes);
		err = functions_make(&functions, &symbols);
	}
	if (!err)
		err = ranges_make(&functions, &symbols, go, &fdes);
	free(symbols.symbol);
	scope_symbol_ranges_free(&fdes);
	if (err) {
		scope_symbol_file_functions_free(&functions);
		return err;
	}
	if (!go)
		scope_symbol_libc_part_mark(&functions);
	*ret = functions;
	return 0;
}

void scope_symbol_file_functions_free(struct scope_file_functions *functions)
{
	free(functions->function);
	scope_symbol_ranges_free(&functions->ranges);
	*functions = (struct scope_file_functions){ 0 };
}

const struct scope_file_function *scope_symbol_file_functions_find(const struct scope_file_functions *functions,
								   uint64_t link)
{
	const struct scope_range *range = scope_symbol_ranges_find(&functions->ranges, link);

	return range ? &functions->function[range->value] : NULL;
}
