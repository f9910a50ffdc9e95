/* SPDX-License-Identifier: GPL-2.0-only */
/* The notes of an ELF file, through libelf. */
#ifndef SCOPE_PROC_ELF_NOTES_H
#define SCOPE_PROC_ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct scope_elf_note {
	uint32_t type;
	const char *owner; /* owner_bytes with its zero byte */
	size_t owner_bytes;
	const uint8_t *data;
	size_t bytes;
};

/*
 * Calls each() for the notes in the PT_NOTE segments of the file open at fd. If each() returns another value than 0,
 * the walk ends and returns it. Segments above 1 MiB are left out. Else returns 0, or -ENOENT: not an ELF file.
 */
int scope_proc_elf_notes(int fd, int (*each)(const struct scope_elf_note *note, void *context), void *context);

/* True for a note of that type and owner ("GNU"). */
bool scope_proc_elf_note_is(const struct scope_elf_note *note, uint32_t type, const char *owner);

#endif
