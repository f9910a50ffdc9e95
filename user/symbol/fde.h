/* SPDX-License-Identifier: GPL-2.0-only */
/* Where functions begin and end according to the unwind tables, which stripping keeps. */
#ifndef SCOPE_SYMBOL_FDE_H
#define SCOPE_SYMBOL_FDE_H

#include <libelf.h>

#include "symbol/range.h"

/*
 * Adds the address range of every frame description entry of .eh_frame (LSB 5, section 10.6) to
 * *ranges, in link addresses, and sorts. Invalid entries are skipped; a file without the section
 * adds nothing. 0, -ENOMEM. Free with scope_symbol_ranges_free().
 */
int scope_symbol_fdes_read(Elf *elf, struct scope_ranges *ranges);

#endif
