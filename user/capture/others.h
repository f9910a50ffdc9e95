/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of threads that are not traced, and took the CPU from those that are or woke them. */
#ifndef SCOPE_CAPTURE_OTHERS_H
#define SCOPE_CAPTURE_OTHERS_H

struct scope_others;
struct scope_subbuf;
struct scope_writer;

int scope_capture_others_create(struct scope_others **ret_others); /* 0 or -ENOMEM */
void scope_capture_others_destroy(struct scope_others *others);	   /* NULL is fine */

/* Notes such threads that a raw sub-buffer names for the first time. */
void scope_capture_others_note(struct scope_others *others, const struct scope_subbuf *subbuf);

/* Writes rows of those that were noted and still live, SCOPE_META_TASK of each. 0, or -errno of the writer. */
int scope_capture_others_write(struct scope_others *others, struct scope_writer *writer);

#endif
