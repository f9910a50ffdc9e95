/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of functions that Go's linker leaves in every program, stripped or not: .gopclntab.
 *
 * It begins with a magic number, of which there are four. All numbers are little-endian here.
 *
 *   magic u32 | 0 u8 | 0 u8 | quantum u8 | word u8 | count word | ...
 *
 *   0xfffffffb, Go 1.2 to 1.15       rows follow; all offsets count from the start of the table
 *   0xfffffffa, Go 1.16 and 1.17     files, names, units, file names, pc tables, rows: one word each
 *   0xfffffff0, Go 1.18 and 1.19     the same with the address of the code after files; rows of u32
 *   0xfffffff1, from Go 1.20 on      as before; from 1.26 on the address of the code is 0
 *
 * A row is {start, offset of the function's head}; one more row has only the end of the code. Starts
 * are addresses, or count from the address of the code. A head is {start, name, two u32 not read here,
 * stack depths, files, lines, number of further pc tables, from 1.16 on the unit, from 1.20 on the first line,
 * four bytes not read here, the further pc tables}, u32 all but the start of older tables. A pc table is pairs of {change of value zigzag, bytes of code /
 * quantum}, LEB128, up to a change of 0.
 */
#ifndef SCOPE_SYMBOL_GOTABLE_H
#define SCOPE_SYMBOL_GOTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrows the bytes of the table. */
struct scope_go_table {
	const uint8_t *data;
	size_t bytes;
	bool parts;    /* from Go 1.16 on: offsets count from parts of the table */
	bool relative; /* from Go 1.18 on: starts count from text */
	bool lined;    /* from Go 1.20 on: heads have the first line */
	uint8_t quantum, word;
	uint64_t text;			       /* link address; 0: it is not in the table */
	size_t count;			       /* of functions */
	size_t rows, names, units, files, pcs; /* where these parts begin */
};

struct scope_go_function {
	const char *name; /* terminated; part of the table */
	size_t name_bytes;
	uint64_t start, end; /* link addresses */
};

#define SCOPE_GO_TEXT_AT(word) (8 + 2 * (size_t)(word)) /* offset of `text` in the table, if starts are relative */

/* True if a table may begin with these bytes. Reads 8 of them. */
bool scope_symbol_go_table_begins(const uint8_t *data);

/*
 * bytes: length of the table, or up to the end of the data that holds it. 0; -EBADMSG: it is not a table, or damaged.
 */
int scope_symbol_go_table_init(const uint8_t *data, size_t bytes, struct scope_go_table *ret_table);

/*
 * Where function `index` begins; index == count: where the last one ends. Counted from text if addresses are
 * relative.
 */
uint64_t scope_symbol_go_table_start(const struct scope_go_table *table, size_t index);

/*
 * Gets the function with this index, which is below count. *budget: bytes of names that may still
 * be read; it decreases. 0; -EBADMSG: the row is not valid, or the budget is used up.
 */
int scope_symbol_go_table_function(const struct scope_go_table *table, size_t index, size_t *budget,
				   struct scope_go_function *ret_function);

/*
 * How many bytes a function has on the stack at a link address, without the return address; 0: it has no frame there. 0; -ENOENT: no function
 * has this address; -EBADMSG.
 */
int scope_symbol_go_table_depth(const struct scope_go_table *table, uint64_t link, uint32_t *ret_bytes);

/* A place in the source. */
struct scope_go_line {
	const char *file; /* terminated; part of the table */
	int line;
	bool inlined; /* it belongs to another function, which was inlined there (from Go 1.16 on) */
};

/* The source place of a link address. -ENOENT: no function has this address; -EBADMSG: the table is damaged. */
int scope_symbol_go_table_line(const struct scope_go_table *table, uint64_t link, struct scope_go_line *ret_line);

#endif
