/* SPDX-License-Identifier: GPL-2.0-only */
/* One ELF file as processes map it: its functions and unwind rules, read at their first use. */
#ifndef SCOPE_SYMBOL_IMAGE_H
#define SCOPE_SYMBOL_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbol/functions.h"
#include "symbol/line.h"
#include "symbol/options.h"
#include "symbol/rule.h"

#define SCOPE_IMAGE_ID_TEXT 129

struct scope_image;

/*
 * Owns fd from here on, also on failure. options (NULL: none) and path, below its root, say where
 * debug files are searched (debugfile.h). path is copied; what options point to is borrowed. 0,
 * -ENOMEM, -ENOEXEC: not a readable ELF file.
 */
int scope_symbol_image_create(int fd, const struct scope_symbol_options *options, const char *path,
			      struct scope_image **ret_image);
void scope_symbol_image_destroy(struct scope_image *image); /* NULL is fine */

/* Lower-case hex; "" if the file has none. */
const char *scope_symbol_image_build_id(const struct scope_image *image);

/*
 * is_go: true if Go's linker made the file, stripped or not. The other: true if its table of functions can be read,
 * too.
 */
bool scope_symbol_image_is_go(struct scope_image *image);
/* True if a function of Go has no frame at that link address, by the table of functions: the caller is as at its entry. */
bool scope_symbol_image_go_leaf(struct scope_image *image, uint64_t link);
bool scope_symbol_image_names_go(struct scope_image *image);

/* True if the file is a debug file: it has names, but no code and no unwind tables. */
bool scope_symbol_image_is_debug(const struct scope_image *image);

/*
 * Gets the number to add to a process's address for the link address, for a mapping at `start` of `bytes` bytes of the
 * file from `offset` on. Returns false if that mapping has no code of the file.
 */
bool scope_symbol_image_bias(const struct scope_image *image, uint64_t start, uint64_t offset, uint64_t bytes,
			     uint64_t *ret_bias);

/*
 * The offset in the file at which the function with that name begins, for a uprobe. Searches the symbol table of the
 * file or of its debug file for that symbol, then for one with that demangled name, then the program's messages. Of
 * several such functions it takes a global one, then the first. -ENOENT: there is no such function, or it has no place
 * in the file.
 */
int scope_symbol_image_offset(struct scope_image *image, const char *name, uint64_t *ret_offset);

/* True for code of 32-bit x86. */
bool scope_symbol_image_is_i386(const struct scope_image *image);

/*
 * True if a call instruction ends at a link address. Works for x86-64 and i386; false if the file does not have the
 * code.
 */
bool scope_symbol_image_after_call(const struct scope_image *image, uint64_t link);

/*
 * The bytes of the file at a link address, borrowed; NULL if the file does not have that many there. *ret_machine: as
 * in its ELF header.
 */
const uint8_t *scope_symbol_image_code(const struct scope_image *image, uint64_t link, uint64_t bytes,
				       unsigned *ret_machine);

/* The same for constants: those of a part of the file that is mapped and not written. */
const uint8_t *scope_symbol_image_constants(const struct scope_image *image, uint64_t link, uint64_t bytes);

/* Source places of a link address; see line.h. */
unsigned int scope_symbol_image_lines(struct scope_image *image, uint64_t link, struct scope_source_line *ret_line,
				      unsigned int max);

const void *scope_symbol_image_line_row(const struct scope_image *image, uint64_t link); /* see line.h, too */

/* 0, -ENOMEM. Borrowed from the image. */
int scope_symbol_image_functions(struct scope_image *image, const struct scope_file_functions **ret_functions);

/*
 * The function at a link address. messages: if the function has no symbol, searches its name in the program's messages;
 * it may also be a part of another function, which is returned instead (message_names.h). 0; -ENOENT: there is none;
 * -ENOMEM.
 */
int scope_symbol_image_function(struct scope_image *image, uint64_t link, bool messages,
				struct scope_file_function *ret_function);

/* 0, -ENOMEM. Borrowed from the image. */
int scope_symbol_image_rule(struct scope_image *image, uint64_t link, const struct scope_rule **ret_rule);

/* See scope_symbol_table_compile(). */
int scope_symbol_image_table(struct scope_image *image, void **ret_table, size_t *ret_bytes);

#endif
