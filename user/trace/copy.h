/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies a trace frame by frame and changes some of the frames. */
#ifndef SCOPE_TRACE_COPY_H
#define SCOPE_TRACE_COPY_H

#include "trace/trace.h"
#include "trace/writer.h"

/* Each function gets a frame's content and writes its replacement. 0 or -errno, which ends the copy. */
struct scope_trace_editor {
	int (*subbuf)(void *context, const struct scope_subbuf *subbuf);
	int (*memory)(void *context, const struct scope_trace_memory *memory);
	void *context;
};

/*
 * Copies all frames in the order of the file, except INDEX and END, which the writer makes. Metadata is copied byte by
 * byte. A damaged frame is left out. 0, -ENOMEM, or what the editor or the writer returned.
 */
int scope_trace_copy(struct scope_trace *trace, struct scope_writer *writer, const struct scope_trace_editor *editor);

#endif
