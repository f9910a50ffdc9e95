/* SPDX-License-Identifier: GPL-2.0-only */
/* Evaluates the DWARF expressions that call frame information holds. */
#ifndef SCOPE_SYMBOL_EXPRESSION_H
#define SCOPE_SYMBOL_EXPRESSION_H

#include <elfutils/libdw.h>

#include "symbol/frame.h"

/*
 * DWARF 5 section 2.5, without branches, calls and types, which compilers do not use there. cfa is
 * what DW_OP_call_frame_cfa gives. 0; -ENODATA: memory beyond the slice; -EFAULT: memory below it
 * or a lost register; -EINVAL: an operation that is not supported, or a bad stack.
 */
int scope_symbol_expression_evaluate(const Dwarf_Op *op, size_t count, const struct scope_frame *frame, uint64_t cfa,
				     uint64_t *ret_value);

#endif
