// SPDX-License-Identifier: GPL-2.0-only
/* Finds the build-id note of an ELF file through libelf. */
#include "proc/buildid.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#define NOTES_BYTES_MAX (1u << 20)
#define BUILD_ID_BYTES_MAX ((SCOPE_BUILD_ID_TEXT - 1) / 2)

static int read_notes(Elf_Data *data, char ret_text[SCOPE_BUILD_ID_TEXT])
{
	size_t at = 0, next, name, bytes, i;
	GElf_Nhdr note;

	while ((next = gelf_getnote(data, at, &note, &name, &bytes)) > 0) {
		const char *base = data->d_buf;

		at = next;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp(base + name, "GNU", sizeof("GNU")) || !note.n_descsz || note.n_descsz > BUILD_ID_BYTES_MAX)
			continue;
		for (i = 0; i < note.n_descsz; i++)
			sprintf(ret_text + 2 * i, "%02x", (unsigned char)base[bytes + i]);
		return 0;
	}
	return -ENOENT;
}

int scope_proc_build_id_read(int fd, char ret_text[SCOPE_BUILD_ID_TEXT])
{
	int err = -ENOENT;
	GElf_Phdr segment;
	Elf_Data *data;
	size_t count, i;
	Elf *elf;

	elf_version(EV_CURRENT);
	/* Reads instead of mapping, because the file's owner may truncate it at the same time. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf)
		return -ENOENT;
	if (elf_kind(elf) != ELF_K_ELF || elf_getphdrnum(elf, &count))
		goto end;
	for (i = 0; i < count && err; i++) {
		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE ||
		    segment.p_filesz > NOTES_BYTES_MAX)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
					    segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data)
			err = read_notes(data, ret_text);
	}
end:
	elf_end(elf);
	return err;
}
