// SPDX-License-Identifier: GPL-2.0-only
/* Reads the version of a Go program, and finds one of its functions. */
#include "symbol/goprogram.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#include "symbol/gofile.h"

#define INFO_MAGIC "\xff Go buildinf:"
#define INFO_FLAGS 15	       /* offset of a byte */
#define INFO_INLINE 2	       /* a flag, from Go 1.18 on: the version itself follows, not its address */
#define INFO_VERSION 32	       /* offset of the version's length; the version follows (debug/buildinfo/buildinfo.go) */
#define NAMES_MAX (256u << 20) /* bytes of names that are read */

static void read_version(Elf *elf, char version[SCOPE_GO_VERSION_BYTES])
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;

	version[0] = '\0';
	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;
		const Elf_Data *data = name && !strcmp(name, ".go.buildinfo") ? elf_getdata(scn, NULL) : NULL;
		const uint8_t *bytes = data ? data->d_buf : NULL;
		size_t length;

		if (!bytes || data->d_size <= INFO_VERSION || memcmp(bytes, INFO_MAGIC, strlen(INFO_MAGIC)) ||
		    !(bytes[INFO_FLAGS] & INFO_INLINE))
			continue;
		/* A varint; longer versions have more than one byte. */
		length = bytes[INFO_VERSION];
		if (length >= SCOPE_GO_VERSION_BYTES || INFO_VERSION + 1 + length > data->d_size)
			return;
		memcpy(version, bytes + INFO_VERSION + 1, length);
		version[length] = '\0';
		return;
	}
}

static uint64_t find_first(Elf *elf)
{
	size_t count;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (gelf_getphdr(elf, (int)i, &phdr) && phdr.p_type == PT_LOAD)
			return phdr.p_vaddr - phdr.p_offset;
	return 0;
}

int scope_symbol_go_program_read(Elf *elf, const char *function, const char *other,
				 struct scope_go_program *ret_program)
{
	struct scope_go_program program = { .first = find_first(elf) };
	struct scope_go_table table;
	size_t budget = NAMES_MAX;

	if (!scope_symbol_go_file_is(elf) || scope_symbol_go_file_table(elf, &table))
		return -ENOENT;
	read_version(elf, program.version);
	for (size_t i = 0; i < table.count && !(program.start && program.other_start); i++) {
		struct scope_go_function row;

		if (scope_symbol_go_table_function(&table, i, &budget, &row))
			break;
		if (!strcmp(row.name, function)) {
			program.start = row.start;
			program.end = row.end;
		} else if (!strcmp(row.name, other)) {
			program.other_start = row.start;
			program.other_end = row.end;
		}
	}
	*ret_program = program;
	return 0;
}
