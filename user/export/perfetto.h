/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a Perfetto trace other than the kernel's events: tracks with requests and findings, and stacks.
 *
 * All their packets belong to one sequence, which the first packet of scope_export_perfetto_tracks() begins.
 */
#ifndef SCOPE_EXPORT_PERFETTO_H
#define SCOPE_EXPORT_PERFETTO_H

#include "analysis/analysis.h"
#include "export/protobuf.h"

/* Each thread gets a track for its requests; each finding gets a track below one with the verdict. */
void scope_export_perfetto_tracks(FILE *stream, struct scope_timeline *timeline, const struct scope_analysis *analysis);

/*
 * Writes requests of clients, and the slow rounds of other threads, as slices of their threads' tracks. The names of
 * slow ones begin with "slow" and contain the finding that explains them; Perfetto chooses colours by name. 0 or
 * -errno.
 */
int scope_export_perfetto_diagnosis(FILE *stream, const struct scope_analysis *analysis);

/* Begins a packet of the sequence at a time; 0: a packet without a time, such as one with only names. */
void scope_export_perfetto_begin(struct scope_export_message *packet, uint64_t time_ns);

/* Writes an event on the track of a thread's requests, with the text of its stack. */
void scope_export_perfetto_mark(FILE *stream, uint32_t thread, uint64_t time_ns, const char *name, const char *stack);

struct scope_export_stacks;

/* symbols are borrowed. 0 or -ENOMEM. */
int scope_export_perfetto_stacks_create(FILE *stream, struct scope_symbols *symbols,
					struct scope_export_stacks **ret_stacks);
void scope_export_perfetto_stacks_destroy(struct scope_export_stacks *stacks); /* NULL is fine */

/* Writes a sample as that of a profiler, and the stack after a long call as a mark with its text. 0 or -ENOMEM. */
int scope_export_perfetto_stacks_write(struct scope_export_stacks *stacks, struct scope_timeline *timeline,
				       const struct scope_event *event);

#endif
