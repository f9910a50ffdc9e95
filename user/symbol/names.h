/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of addresses that were hit, for a trace that needs no file of its target any more.
 *
 * An address is kept by its file and its offset there, so that other names of the same build can take its place.
 */
#ifndef SCOPE_SYMBOL_NAMES_H
#define SCOPE_SYMBOL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbol.h"

/* Notes the frames of a stack, as scope_symbols_unwind() gives them. 0 or -ENOMEM. */
int scope_symbol_names_note(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *ip, unsigned int count);

/*
 * The payload of the next frame that is to be written (trace/format.h: FILE, PLACES) of what was noted and
 * not given yet; it takes as long as reading the symbols of a file, and those of a few addresses. all: of files that programs
 * have mapped and were not in, too, how many functions they have. limit_ns: after so long no
 * further address is looked up; 0: no limit. buffer: SCOPE_NAMES_ROOM bytes. 1; 0: there is none; -ENOMEM.
 */
#define SCOPE_NAMES_ROOM 65536u
int scope_symbol_names_next(struct scope_symbols *symbols, bool all, uint64_t limit_ns, uint8_t *buffer,
			    uint16_t *ret_type, size_t *ret_bytes);

#endif
