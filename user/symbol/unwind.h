/* SPDX-License-Identifier: GPL-2.0-only */
/* Steps from frame to frame in an address space. */
#ifndef SCOPE_SYMBOL_UNWIND_H
#define SCOPE_SYMBOL_UNWIND_H

#include "symbol/space.h"

/* See scope_symbols_unwind(). */
int scope_symbol_spaces_unwind(struct scope_spaces *spaces, const struct scope_space *space, const uint64_t *reg,
			       unsigned int regs, const uint8_t *data, size_t bytes, uint64_t *ret_ips,
			       unsigned int max, unsigned int *ret_count, unsigned int *ret_flags);

#endif
