// SPDX-License-Identifier: GPL-2.0-only
/* Finds by DWARF the source place of an address, and the inlined calls that lead to it. */
#include "symbol/line.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "symbol/demangle.h"
#include "symbol/gotable.h"

#define DEPTH_MAX 64	 /* nested entries; compilers write fewer */
#define FUNCTIONS_MAX 32 /* inlined into each other */

/* Finds the unit of an address. Compilers other than gcc leave out the table that libdwfl uses for this. */
static Dwarf_Die *unit_find(Dwfl_Module *module, uint64_t link, Dwarf_Addr *ret_bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, link, ret_bias);

	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, ret_bias)))
		if (dwarf_haspc(unit, link - *ret_bias) > 0)
			return unit;
	return NULL;
}

static void name_write(Dwarf_Die *die, char name[SCOPE_LINE_NAME])
{
	Dwarf_Attribute attribute;
	const char *symbol = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
	const char *plain = dwarf_diename(die);
	char *demangled = NULL;

	if (symbol && !scope_symbol_demangle(symbol, &demangled))
		plain = demangled;
	if (!plain)
		plain = "?";
	scope_plain_put(name, SCOPE_LINE_NAME, plain, strlen(plain), SCOPE_PLAIN_NAME);
	free(demangled);
}

/* Returns the file's name, borrowed from the module, or a text for one that cannot be printed. */
static const char *file_name(const char *file)
{
	return !file || scope_plain_is(file, SCOPE_PLAIN_NAME) ? file : "[unprintable]";
}

/* The source place of the call that was inlined. */
static void call_site(Dwarf_Die *inlined, struct scope_source_line *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, number;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t count;

	line->file = NULL;
	line->line = 0;
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) ||
	    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) ||
	    !dwarf_diecu(inlined, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &count) || file >= count)
		return;
	line->file = file_name(dwarf_filesrc(files, file, NULL, NULL));
	line->line = (int)number;
}

/* True if an address may be in an entry: by its ranges, or because it has no ranges and its children may. */
static bool may_have(Dwarf_Die *die, Dwarf_Addr address)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_with_stmt:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_entry_point:
		return dwarf_haspc(die, address) > 0;
	}
	return false;
}

/*
 * The functions, below an entry, that contain an address: one, then those that were inlined into it, each within the
 * one before. dwarf_getscopes() and dwarf_getscopes_die() find the same, but walk over the whole unit.
 */
static unsigned int functions_find(Dwarf_Die *parent, Dwarf_Addr address, unsigned int depth, Dwarf_Die *ret_function,
				   unsigned int count)
{
	Dwarf_Die die;
	unsigned int found;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return count;
	do {
		if (!may_have(&die, address))
			continue;
		found = count;
		if (found < FUNCTIONS_MAX &&
		    (dwarf_tag(&die) == DW_TAG_subprogram || dwarf_tag(&die) == DW_TAG_inlined_subroutine))
			ret_function[found++] = die;
		found = functions_find(&die, address, depth + 1, ret_function, found);
		if (found > count)
			return found;
	} while (!dwarf_siblingof(&die, &die));
	return count;
}

static void note_latest(Dwarf_Die *function, Dwarf_Addr address, struct scope_line_function *latest)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t offset = 0;

	while ((offset = dwarf_ranges(function, offset, &base, &from, &to)) > 0)
		if (address >= from && address < to) {
			*latest = (struct scope_line_function){ from, to, *function };
			return;
		}
}

/* The same for a unit. */
static unsigned int functions_get(Dwarf_Die *unit, Dwarf_Addr address, struct scope_line_function *latest,
				  Dwarf_Die *ret_function)
{
	unsigned int count;

	if (address >= latest->from && address < latest->to) {
		ret_function[0] = latest->die;
		return functions_find(&latest->die, address, 0, ret_function, 1);
	}
	count = functions_find(unit, address, 0, ret_function, 0);
	if (count)
		note_latest(&ret_function[0], address, latest);
	return count;
}

unsigned int scope_symbol_lines_find(Dwfl_Module *module, uint64_t link, struct scope_line_function *latest,
				     struct scope_source_line *ret_line, unsigned int max)
{
	struct scope_source_line line = { .function = "" };
	Dwarf_Die function[FUNCTIONS_MAX];
	unsigned int count = 0;
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_find(module, link, &bias);
	Dwarf_Line *row = unit ? dwarf_getsrc_die(unit, link - bias) : NULL;

	if (!row || dwarf_lineno(row, &line.line) || !line.line)
		return 0;
	line.file = file_name(dwarf_linesrc(row, NULL, NULL));
	for (unsigned int i = functions_get(unit, link - bias, latest, function); i-- > 0 && count < max;) {
		if (!line.file || dwarf_tag(&function[i]) != DW_TAG_inlined_subroutine)
			break;
		name_write(&function[i], line.function);
		ret_line[count++] = line;
		line.function[0] = '\0';
		call_site(&function[i], &line);
	}
	if (line.file && count < max)
		ret_line[count++] = line;
	return count;
}

const void *scope_symbol_line_row(Dwfl_Module *module, uint64_t link)
{
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_find(module, link, &bias);

	return unit ? dwarf_getsrc_die(unit, link - bias) : NULL;
}

unsigned int scope_symbol_lines_of_go(const struct scope_go_table *table, uint64_t link,
				      struct scope_source_line *ret_line, unsigned int max)
{
	struct scope_go_line place;

	if (!max || scope_symbol_go_table_line(table, link, &place))
		return 0;
	*ret_line = (struct scope_source_line){ .file = file_name(place.file), .line = place.line };
	if (place.inlined)
		ret_line->function[0] = '?';
	return 1;
}
