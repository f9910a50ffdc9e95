/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the file of a mapping, or says why it cannot be used. */
#ifndef SCOPE_SYMBOL_MAPPED_FILE_H
#define SCOPE_SYMBOL_MAPPED_FILE_H

#include "symbol/space.h"

/*
 * Sets file->image if the file that was mapped still exists: below the root of spaces, or through
 * map_files of the living process if it was replaced. A known build-id must match. Otherwise, and
 * for a program without symbols, adds a problem. 0, -ENOMEM.
 */
int scope_symbol_file_open(struct scope_spaces *spaces, struct scope_file *file, const struct scope_trace_map *row);

/* Adds the problem that the file had according to the trace, once. 0, -ENOMEM. */
int scope_symbol_file_note_problem(struct scope_spaces *spaces, struct scope_file *file);

#endif
