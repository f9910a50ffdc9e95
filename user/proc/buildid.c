// SPDX-License-Identifier: GPL-2.0-only
/* Finds the build-id note of an ELF file. */
#include "proc/buildid.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>

#include "proc/elf_notes.h"

#define BUILD_ID_BYTES_MAX ((SCOPE_BUILD_ID_TEXT - 1) / 2)

/* Returns 1 for the note, and its text. */
static int take_build_id(const struct scope_elf_note *note, void *context)
{
	char *text = context;

	if (!scope_proc_elf_note_is(note, NT_GNU_BUILD_ID, "GNU") || !note->bytes || note->bytes > BUILD_ID_BYTES_MAX)
		return 0;
	for (size_t i = 0; i < note->bytes; i++)
		sprintf(text + 2 * i, "%02x", note->data[i]);
	return 1;
}

int scope_proc_build_id_read(int fd, char ret_text[SCOPE_BUILD_ID_TEXT])
{
	return scope_proc_elf_notes(fd, take_build_id, ret_text) == 1 ? 0 : -ENOENT;
}
