/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Collects the names of recorded addresses, so that a report needs no file of the target any more.
 *
 * An address is kept as a file and an offset, so that better names of the same build can replace its name.
 */
#ifndef SCOPE_SYMBOL_NAMES_H
#define SCOPE_SYMBOL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/symbol.h"

/*
 * Notes the frames of a stack, as given by scope_symbols_unwind(). The mappings of some of them may be added later. 0 or
 * -ENOMEM.
 */
int scope_symbol_names_note(struct scope_symbols *symbols, uint32_t tgid, const uint64_t *ip, unsigned int count);

/*
 * Makes the payload of the next frame (trace/format.h: FILE, PLACES, or META with loops) from addresses that were noted
 * and not written yet. One call reads the symbols of one file and looks up a few addresses. all: also count the
 * functions of files that are mapped but were not hit, and find loops. limit_ns: after this time no further address is
 * looked up; 0: no limit. buffer: SCOPE_NAMES_ROOM bytes. 1; 0: there is no frame; -ENOMEM.
 */
#define SCOPE_NAMES_ROOM 65536u
int scope_symbol_names_next(struct scope_symbols *symbols, bool all, uint64_t limit_ns, uint8_t *buffer,
			    uint16_t *ret_type, size_t *ret_bytes);

#endif
