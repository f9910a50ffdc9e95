// SPDX-License-Identifier: GPL-2.0-only
/* Finds Go's table of functions in an ELF file, and the address of the code that the table describes. */
#include "symbol/gofile.h"

#include <errno.h>
#include <gelf.h>
#include <string.h>

#define CANDIDATES_MAX 16 /* places that look like a table, or point to it */

/* Words of moduledata, from Go 1.18 on (runtime/symtab.go); the first points to the table. */
#define MODULE_MIN_PC 20
#define MODULE_MAX_PC 21
#define MODULE_TEXT 22

/* The file as it is mapped. */
struct file {
	Elf *elf;
	const uint8_t *data;
	size_t bytes, segments;
};

/* A loaded part of the file, limited to the file's bytes. */
struct part {
	const uint8_t *data;
	size_t bytes;
	uint64_t link;
};

static bool segment_get(const struct file *file, size_t index, bool code, struct part *ret_part)
{
	GElf_Phdr phdr;

	if (!gelf_getphdr(file->elf, (int)index, &phdr) || phdr.p_type != PT_LOAD || !(phdr.p_flags & PF_X) == code ||
	    phdr.p_offset > file->bytes || phdr.p_filesz > file->bytes - phdr.p_offset)
		return false;
	*ret_part = (struct part){ file->data + phdr.p_offset, phdr.p_filesz, phdr.p_vaddr };
	return true;
}

static const char *section_name(Elf *elf, Elf_Scn *scn, size_t names, GElf_Shdr *ret_shdr)
{
	return gelf_getshdr(scn, ret_shdr) ? elf_strptr(elf, names, ret_shdr->sh_name) : NULL;
}

bool scope_symbol_go_file_is(Elf *elf)
{
	static const char *const own[] = { ".go.buildinfo", ".note.go.buildid", ".gopclntab",
					   ".data.rel.ro.gopclntab" };
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name = section_name(elf, scn, names, &shdr);

		for (size_t i = 0; name && i < sizeof(own) / sizeof(*own); i++)
			if (!strcmp(name, own[i]))
				return true;
	}
	return false;
}

/* The section of the table. */
static bool section_find(const struct file *file, struct part *ret_part)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t names;

	if (elf_getshdrstrndx(file->elf, &names))
		return false;
	while ((scn = elf_nextscn(file->elf, scn))) {
		const char *name = section_name(file->elf, scn, names, &shdr);

		if (!name || (strcmp(name, ".gopclntab") && strcmp(name, ".data.rel.ro.gopclntab")) ||
		    shdr.sh_type == SHT_NOBITS || shdr.sh_flags & SHF_COMPRESSED || shdr.sh_offset > file->bytes ||
		    shdr.sh_size > file->bytes - shdr.sh_offset)
			continue;
		*ret_part = (struct part){ file->data + shdr.sh_offset, shdr.sh_size, shdr.sh_addr };
		return true;
	}
	return false;
}

/* The value that a relocation writes at a link address; 0: there is none. */
static uint64_t relocated(const struct file *file, uint64_t link)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(file->elf, scn))) {
		Elf_Data *data = gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA ? elf_getdata(scn, NULL) : NULL;
		GElf_Rela rela;

		for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
			if (rela.r_offset == link && !GELF_R_SYM(rela.r_info))
				return (uint64_t)rela.r_addend;
	}
	return 0;
}

static uint64_t word_of(const uint8_t *data, unsigned int word)
{
	uint64_t value = 0;

	for (unsigned int i = 0; i < word; i++)
		value |= (uint64_t)data[i] << 8 * i;
	return value;
}

/* The word at a link address once the file is loaded; 0: not known. */
static uint64_t word_at(const struct file *file, uint64_t link, unsigned int word)
{
	uint64_t value = 0;

	for (size_t i = 0; !value && i < file->segments; i++) {
		struct part part;

		if (segment_get(file, i, false, &part) && link >= part.link && link - part.link <= part.bytes &&
		    part.bytes - (link - part.link) >= word)
			value = word_of(part.data + (link - part.link), word);
	}
	return value ? value : relocated(file, link);
}

/* True if all functions of the table are in code of the file when its text is at that address. */
static bool fits(const struct file *file, const struct scope_go_table *table, uint64_t text)
{
	const uint64_t from = text + scope_symbol_go_table_start(table, 0);
	const uint64_t to = text + scope_symbol_go_table_start(table, table->count);
	struct part part;

	for (size_t i = 0; from < to && i < file->segments; i++)
		if (segment_get(file, i, true, &part) && from >= part.link && to - part.link <= part.bytes)
			return true;
	return false;
}

/* True if the runtime's list (moduledata) is at this link address, which points to the table. */
static bool is_module(const struct file *file, const struct scope_go_table *table, uint64_t link, uint64_t *ret_text)
{
	const unsigned int word = table->word;
	const uint64_t text = word_at(file, link + MODULE_TEXT * word, word);

	*ret_text = text;
	return text && fits(file, table, text) &&
	       word_at(file, link + MODULE_MIN_PC * word, word) == text + scope_symbol_go_table_start(table, 0) &&
	       word_at(file, link + MODULE_MAX_PC * word, word) ==
		       text + scope_symbol_go_table_start(table, table->count);
}

/* The address of the code, by the runtime's list, which a word of data or a relocation points to. */
static uint64_t module_text(const struct file *file, const struct scope_go_table *table, uint64_t link)
{
	unsigned int candidates = 0;
	Elf_Scn *scn = NULL;
	struct part part;
	GElf_Shdr shdr;
	uint64_t text;

	for (size_t i = 0; i < file->segments; i++) {
		if (!segment_get(file, i, false, &part))
			continue;
		for (size_t at = 0; at + table->word <= part.bytes; at += table->word)
			if (word_of(part.data + at, table->word) == link &&
			    (is_module(file, table, part.link + at, &text) || ++candidates > CANDIDATES_MAX))
				return candidates > CANDIDATES_MAX ? 0 : text;
	}
	while ((scn = elf_nextscn(file->elf, scn))) {
		Elf_Data *data = gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_RELA ? elf_getdata(scn, NULL) : NULL;
		GElf_Rela rela;

		for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
			if ((uint64_t)rela.r_addend == link && !GELF_R_SYM(rela.r_info) &&
			    (is_module(file, table, rela.r_offset, &text) || ++candidates > CANDIDATES_MAX))
				return candidates > CANDIDATES_MAX ? 0 : text;
	}
	return 0;
}

/* Reads the table that begins at that place, and finds the address of its code. */
static bool table_take(const struct file *file, const struct part *part, struct scope_go_table *ret_table)
{
	struct scope_go_table table;

	if (scope_symbol_go_table_init(part->data, part->bytes, &table))
		return false;
	if (!table.relative) {
		*ret_table = table;
		return fits(file, &table, 0);
	}
	if (!table.text)
		table.text = relocated(file, part->link + SCOPE_GO_TEXT_AT(table.word));
	if (!table.text || !fits(file, &table, table.text))
		table.text = module_text(file, &table, part->link);
	*ret_table = table;
	return table.text;
}

/* Without a section, finds the table by its magic number, at an address where a linker would put it. */
static bool magic_find(const struct file *file, struct scope_go_table *ret_table)
{
	unsigned int candidates = 0;
	struct part part;

	for (size_t i = 0; i < file->segments; i++) {
		if (!segment_get(file, i, false, &part))
			continue;
		for (size_t at = -part.link % 8; at < part.bytes && part.bytes - at >= 8; at += 8) {
			const struct part rest = { part.data + at, part.bytes - at, part.link + at };

			if (!scope_symbol_go_table_begins(rest.data))
				continue;
			if (table_take(file, &rest, ret_table))
				return true;
			if (++candidates == CANDIDATES_MAX)
				return false;
		}
	}
	return false;
}

/* True if the file has lost its list of sections, which would show whether it is Go's. */
static bool is_bare(Elf *elf)
{
	size_t sections;

	return elf_getshdrnum(elf, &sections) || !sections;
}

int scope_symbol_go_file_table(Elf *elf, struct scope_go_table *ret_table)
{
	struct file file = { .elf = elf };
	struct part part;

	file.data = (const uint8_t *)elf_rawfile(elf, &file.bytes);
	if (!file.data || elf_getphdrnum(elf, &file.segments))
		return -ENOENT;
	if (section_find(&file, &part) && table_take(&file, &part, ret_table))
		return 0;
	return (is_bare(elf) || scope_symbol_go_file_is(elf)) && magic_find(&file, ret_table) ? 0 : -ENOENT;
}
