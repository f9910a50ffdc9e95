// SPDX-License-Identifier: GPL-2.0-only
/* Reads the ranges of frame description entries from .eh_frame. */
#include "symbol/fde.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

struct section {
	Elf_Data *data;
	uint64_t address;
	const unsigned char *ident;
	Dwarf_Off cie; /* whose pointer encoding is known */
	uint8_t encoding;
};

static bool section_find(Elf *elf, struct section *ret)
{
	Elf_Scn *scn = NULL;
	size_t names;

	ret->ident = (const unsigned char *)elf_getident(elf, NULL);
	if (!ret->ident || elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name;

		if (!gelf_getshdr(scn, &shdr))
			continue;
		name = elf_strptr(elf, names, shdr.sh_name);
		if (!name || strcmp(name, ".eh_frame") || shdr.sh_type == SHT_NOBITS)
			continue;
		ret->address = shdr.sh_addr;
		ret->data = elf_rawdata(scn, NULL);
		return ret->data && ret->data->d_buf;
	}
	return false;
}

static unsigned int pointer_bytes(uint8_t encoding)
{
	switch (encoding & 0x07) { /* the size, without the sign bit */
	case DW_EH_PE_udata2:
		return 2;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
		return 8;
	default:
		return 0; /* LEB128: not used for code addresses */
	}
}

/* The letter R of the augmentation says how the FDEs write their addresses. */
static bool cie_encoding(const Dwarf_CIE *cie, uint8_t *ret_encoding)
{
	const uint8_t *data = cie->augmentation_data;
	const uint8_t *end = data ? data + cie->augmentation_data_size : NULL;

	*ret_encoding = DW_EH_PE_absptr;
	if (cie->augmentation[0] != 'z')
		return cie->augmentation[0] == '\0';
	for (const char *letter = cie->augmentation + 1; *letter; letter++) {
		if (*letter == 'S' || *letter == 'B')
			continue;
		if (data >= end)
			return false;
		if (*letter == 'R') {
			*ret_encoding = *data;
			return true;
		}
		if (*letter == 'P')
			data += pointer_bytes(*data);
		else if (*letter != 'L')
			return false;
		data++;
	}
	return true;
}

static bool encoding_find(struct section *section, Dwarf_Off cie)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (cie == section->cie)
		return true;
	if (dwarf_next_cfi(section->ident, section->data, true, cie, &next, &entry) || !dwarf_cfi_cie_p(&entry) ||
	    !cie_encoding(&entry.cie, &section->encoding))
		return false;
	section->cie = cie;
	return true;
}

static uint64_t pointer_read(const uint8_t *at, uint8_t encoding)
{
	uint64_t value = 0;
	unsigned int bytes = pointer_bytes(encoding);

	memcpy(&value, at, bytes); /* both machines known here are little-endian */
	if (encoding & DW_EH_PE_signed && bytes < 8 && value >> (8 * bytes - 1))
		value |= ~0ull << 8 * bytes;
	return value;
}

static int fde_add(struct section *section, const Dwarf_FDE *fde, struct scope_ranges *ranges)
{
	uint64_t start, size;
	unsigned int bytes;

	if (!encoding_find(section, fde->CIE_pointer))
		return 0;
	bytes = pointer_bytes(section->encoding);
	if (!bytes || fde->end - fde->start < 2 * (ptrdiff_t)bytes)
		return 0;
	start = pointer_read(fde->start, section->encoding);
	size = pointer_read(fde->start + bytes, section->encoding & 0x07);
	if ((section->encoding & 0x70) == DW_EH_PE_pcrel)
		start += section->address + (fde->start - (const uint8_t *)section->data->d_buf);
	else if (section->encoding & 0x70)
		return 0;
	if (!start || start + size < start)
		return 0; /* a function that the linker removed */
	return scope_symbol_ranges_add(ranges, start, start + size, 0);
}

int scope_symbol_fdes_read(Elf *elf, struct scope_ranges *ranges)
{
	struct section section = { .cie = ~0ull };
	Dwarf_Off offset = 0;
	int err = 0;

	if (!section_find(elf, &section))
		return 0;
	while (!err && offset != (Dwarf_Off)-1) {
		Dwarf_CFI_Entry entry;
		Dwarf_Off next;
		int got = dwarf_next_cfi(section.ident, section.data, true, offset, &next, &entry);

		if (got > 0 || (got < 0 && (next == (Dwarf_Off)-1 || next <= offset)))
			break;
		if (!got && !dwarf_cfi_cie_p(&entry))
			err = fde_add(&section, &entry.fde, ranges);
		offset = next;
	}
	scope_symbol_ranges_sort(ranges);
	return err;
}
