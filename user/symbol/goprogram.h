/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads from the file of a Go program, stripped or not, the version of its runtime, and where a function is. */
#ifndef SCOPE_SYMBOL_GOPROGRAM_H
#define SCOPE_SYMBOL_GOPROGRAM_H

#include <libelf.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_GO_VERSION_BYTES 32

struct scope_go_program {
	char version[SCOPE_GO_VERSION_BYTES]; /* "go1.19.8"; "": a version before 1.18 */
	uint64_t start, end;		      /* link addresses of the function; 0, 0: no function has that name */
	uint64_t other_start, other_end;      /* the same for the other function */
	uint64_t first;			      /* link address of the part that is mapped from offset 0 of the file */
};

/* 0; -ENOENT: Go's linker did not make the file, or its table of functions cannot be read. */
int scope_symbol_go_program_read(Elf *elf, const char *function, const char *other,
				 struct scope_go_program *ret_program);

#endif
