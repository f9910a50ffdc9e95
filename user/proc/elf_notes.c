// SPDX-License-Identifier: GPL-2.0-only
/* Reads the notes of an ELF file. */
#include "proc/elf_notes.h"

#include <errno.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#define NOTES_BYTES_MAX (1u << 20)

static int each_in(Elf_Data *data, int (*each)(const struct scope_elf_note *note, void *context), void *context)
{
	size_t at = 0, next, name, bytes;
	GElf_Nhdr head;
	int result = 0;

	while (!result && (next = gelf_getnote(data, at, &head, &name, &bytes)) > 0) {
		const uint8_t *base = data->d_buf;
		const struct scope_elf_note note = {
			.type = head.n_type,
			.owner = (const char *)base + name,
			.owner_bytes = head.n_namesz,
			.data = base + bytes,
			.bytes = head.n_descsz,
		};

		at = next;
		result = each(&note, context);
	}
	return result;
}

int scope_proc_elf_notes(int fd, int (*each)(const struct scope_elf_note *note, void *context), void *context)
{
	GElf_Phdr segment;
	size_t count = 0;
	int result = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	/* Reads instead of mapping, because the file's owner may truncate it at the same time. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return -ENOENT;
	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count))
		result = -ENOENT;
	for (size_t i = 0; i < count && !result; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE ||
		    segment.p_filesz > NOTES_BYTES_MAX)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
					    segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data)
			result = each_in(data, each, context);
	}
	elf_end(elf);
	return result;
}

bool scope_proc_elf_note_is(const struct scope_elf_note *note, uint32_t type, const char *owner)
{
	return note->type == type && note->owner_bytes == strlen(owner) + 1 &&
	       !memcmp(note->owner, owner, note->owner_bytes);
}
