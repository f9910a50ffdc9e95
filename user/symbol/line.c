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

/* Compilers other than gcc leave out the table by which libdwfl finds the unit of an address. */
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

/* A file's name is borrowed from the module, unless it cannot be shown. */
static const char *file_name(const char *file)
{
	return !file || scope_plain_is(file, SCOPE_PLAIN_NAME) ? file : "[unprintable]";
}

/* Source place of the call that was inlined. */
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

/* The scopes of an address: for inlined code, the functions it was inlined into. */
static int scopes_get(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **ret_scopes)
{
	Dwarf_Die *by_address = NULL;
	int depth = dwarf_getscopes(unit, address, &by_address);

	/* After an inlined one the scopes are those of its definition instead. */
	if (depth > 0)
		depth = dwarf_getscopes_die(&by_address[0], ret_scopes);
	free(by_address);
	return depth;
}

unsigned int scope_symbol_lines_find(Dwfl_Module *module, uint64_t link, struct scope_source_line *ret_line,
				     unsigned int max)
{
	struct scope_source_line line = { .function = "" };
	Dwarf_Die *scopes = NULL;
	unsigned int count = 0;
	Dwarf_Addr bias;
	Dwarf_Die *unit = unit_find(module, link, &bias);
	Dwarf_Line *row = unit ? dwarf_getsrc_die(unit, link - bias) : NULL;
	int depth;

	if (!row || dwarf_lineno(row, &line.line) || !line.line)
		return 0;
	line.file = file_name(dwarf_linesrc(row, NULL, NULL));
	depth = scopes_get(unit, link - bias, &scopes);
	for (int i = 0; i < depth && count < max; i++) {
		bool inlined = dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine;

		if (!inlined && dwarf_tag(&scopes[i]) != DW_TAG_subprogram)
			continue;
		if (!line.file || !inlined)
			break;
		name_write(&scopes[i], line.function);
		ret_line[count++] = line;
		line.function[0] = '\0';
		call_site(&scopes[i], &line);
	}
	free(scopes);
	if (line.file && count < max)
		ret_line[count++] = line;
	return count;
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
