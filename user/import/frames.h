/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses for functions that are known only by name, because another tool resolved them. Each
 * function gets a separate range, and a row of the trace that names it.
 */
#ifndef SCOPE_IMPORT_FRAMES_H
#define SCOPE_IMPORT_FRAMES_H

#include "trace/writer.h"

struct scope_frames;

int scope_import_frames_create(struct scope_writer *writer, struct scope_frames **ret_frames);
void scope_import_frames_destroy(struct scope_frames *frames); /* NULL is fine */

/* An address inside that function. Writes its row when it is first met. 0 or -errno. */
int scope_import_frames_address(struct scope_frames *frames, const char *name, const char *module,
				uint64_t *ret_address);

#endif
