/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the names of untraced threads that took the CPU from traced ones, or woke them. */
#ifndef SCOPE_CAPTURE_OTHERS_H
#define SCOPE_CAPTURE_OTHERS_H

struct scope_others;
struct scope_subbuf;
struct scope_writer;

int scope_capture_others_create(struct scope_others **ret_others); /* 0 or -ENOMEM */
void scope_capture_others_destroy(struct scope_others *others);	   /* NULL is fine */

/* Notes the threads of this kind that occur in a raw sub-buffer for the first time. */
void scope_capture_others_note(struct scope_others *others, const struct scope_subbuf *subbuf);

/* Writes rows of those that were noted and still live, SCOPE_META_TASK of each. 0, or -errno of the writer. */
int scope_capture_others_write(struct scope_others *others, struct scope_writer *writer);

#endif
