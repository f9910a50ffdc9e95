// SPDX-License-Identifier: GPL-2.0-only
/* Reads the functions of .eh_frame and .debug_frame, with their call frame instructions. */
#include "symbol/cfi_functions.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* Instructions of a CIE are executed for each function, so a file cannot have many; real ones have 10 bytes. */
#define INITIAL_BYTES_MAX 256u
#define EXPANDED_BYTES_MAX (256u << 20) /* the most bytes that a compressed section may expand to */

struct section {
	const uint8_t *data;
	size_t bytes;
	uint64_t address;
	bool eh; /* .eh_frame, not .debug_frame */
};

/* The values of a CIE. */
struct common {
	size_t offset; /* of the CIE in the section */
	bool known;
	uint8_t encoding; /* of addresses in its FDEs */
	bool augmented;	  /* FDEs have augmentation data */
	struct scope_cfi_function function;
};

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
static void read_common(const struct scope_cfi_machine *machine, struct scope_cfi_bytes entry, struct common *common)
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
	if (ra != machine->ra)
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

/* One entry, after its length field. Returns false if the entry is invalid, or the section ends here. */
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
static void find_common(const struct scope_cfi_machine *machine, const struct section *section, uint64_t offset,
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
		read_common(machine, entry, common);
}

static int add_function(struct scope_cfi_functions *functions, const struct section *section,
			struct scope_cfi_bytes entry, const struct common *common)
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
	if (scope_grow(&functions->function, &functions->capacity, functions->count + 1, sizeof(function)))
		return -ENOMEM;
	functions->function[functions->count++] = function;
	return 0;
}

static int read_functions(const struct scope_cfi_machine *machine, const struct section *section,
			  struct scope_cfi_functions *functions)
{
	struct scope_cfi_bytes at = { section->data, section->data + section->bytes, false }, entry;
	struct common common = { .offset = SIZE_MAX };
	int err = 0;

	while (!err && at.at < at.end && next_entry(&at, &entry)) {
		const size_t here = (size_t)(entry.at - section->data);
		const uint64_t id = scope_symbol_cfi_fixed(&entry, 4);

		if (entry.bad || id == (section->eh ? 0 : 0xffffffff))
			continue;
		find_common(machine, section, section->eh ? here - id : id, &common);
		if (common.known)
			err = add_function(functions, section, entry, &common);
	}
	return err;
}

static int by_start(const void *left, const void *right)
{
	const struct scope_cfi_function *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/*
	 * The shortest comes last: it is the one that is used. The rest of the comparison only makes the order unique.
	 */
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return a->code < b->code ? -1 : a->code > b->code;
}

/*
 * Adds the functions that .eh_frame does not have. A program that is built without it still has that of the C
 * library's start files.
 */
static int read_others(const struct scope_cfi_machine *machine, const struct section *section,
		       struct scope_cfi_functions *functions)
{
	const size_t known = functions->count;
	size_t kept = known, at;
	int err = read_functions(machine, section, functions);

	if (err)
		return err;
	qsort(functions->function, known, sizeof(*functions->function), by_start);
	qsort(functions->function + known, functions->count - known, sizeof(*functions->function), by_start);
	at = 0;
	for (size_t i = known; i < functions->count; i++) {
		const struct scope_cfi_function other = functions->function[i];

		while (at < known && functions->function[at].end <= other.start)
			at++;
		if (at == known || functions->function[at].start > other.start)
			functions->function[kept++] = other;
	}
	functions->count = kept;
	return 0;
}

/* Decompresses a section: Go compresses what only debuggers read. Returns false if it cannot be read. */
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

int scope_symbol_cfi_functions_read(Elf *elf, const struct scope_cfi_machine *machine,
				    struct scope_cfi_functions *ret_functions)
{
	struct scope_cfi_functions functions = { NULL, 0, 0 };
	struct section section;
	int err = 0;

	if (find_section(elf, ".eh_frame", &section))
		err = read_functions(machine, &section, &functions);
	if (!err && find_section(elf, ".debug_frame", &section))
		err = read_others(machine, &section, &functions);
	if (err) {
		free(functions.function);
		return err;
	}
	if (functions.count)
		qsort(functions.function, functions.count, sizeof(*functions.function), by_start);
	*ret_functions = functions;
	return 0;
}
