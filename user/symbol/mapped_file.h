/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the file behind a mapping, and says why where it cannot be used. */
#ifndef SCOPE_SYMBOL_MAPPED_FILE_H
#define SCOPE_SYMBOL_MAPPED_FILE_H

#include "symbol/space.h"

/*
 * Sets file->image where the file that was mapped is still to be had: below the root of spaces, or
 * through map_files of the living process where it was replaced. A known build-id must agree.
 * Otherwise, and for a program without symbols, adds a problem. 0, -ENOMEM.
 */
int scope_symbol_file_open(struct scope_spaces *spaces, struct scope_file *file, const struct scope_trace_map *row);

/* Adds the problem that the trace says the file had, once. 0, -ENOMEM. */
int scope_symbol_file_note_problem(struct scope_spaces *spaces, struct scope_file *file);

#endif
