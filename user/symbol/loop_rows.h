/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The loops around recorded addresses, as rows of a trace's metadata, so that a report which is made without the traced
 * files has the same loops.
 *
 *	loops			1: loops were searched
 *	loops.FILE.START	of a function, by its FILE row and link address: for each address that was hit
 *				OFFSET:HEADS or OFFSET:HEADS:LINE:FIRST:LAST, blanks between them
 *
 * OFFSET: of the address in the file. HEADS: numbers of the loops around it, the innermost first, commas between them;
 * loops of a function have different numbers. LINE: which of the address's lines (PLACES) is in the function that has
 * all of the innermost loop; FIRST and LAST: the lines of the loop in its source file.
 */
#ifndef SCOPE_SYMBOL_LOOP_ROWS_H
#define SCOPE_SYMBOL_LOOP_ROWS_H

#include "symbol/source_loop.h"

/*
 * Makes the next row from addresses that were noted (symbol/names.h), as the payload of a META frame with at most
 * `room` bytes. One call reads the code and the lines of one function. 1; 0: there is no further row; -ENOMEM.
 */
int scope_symbol_loop_rows_next(struct scope_symbols *symbols, uint8_t *buffer, size_t room, size_t *ret_bytes);

/* Like scope_symbols_loop(), but uses only the trace. *ret_known: the trace has loops. 0 or -ENOMEM. */
int scope_symbol_loop_rows_find(struct scope_symbols *symbols, const struct scope_code_address *at, size_t count,
				bool *ret_inside, struct scope_source_loop *ret_loop, bool *ret_known);

/* True if, according to the trace, the address is in a loop of its function. *ret_known as above. */
bool scope_symbol_loop_rows_has(struct scope_symbols *symbols, const struct scope_code_address *at, bool *ret_known);

#endif
