/* SPDX-License-Identifier: GPL-2.0-only */
/* The entries of what `perf script` prints: a line of an event, and those of its stack. */
#ifndef SCOPE_IMPORT_PERF_ENTRY_H
#define SCOPE_IMPORT_PERF_ENTRY_H

#include "base/lines.h"
#include "import/build.h"

#define SCOPE_PERF_TEXT_NAME 64 /* of a name of a thread, with what is escaped in it */
#define SCOPE_PERF_TEXT_BAD 1	/* an entry cannot be read; that was noted, and it is to be skipped */

/* One line with its frames. */
struct scope_perf_entry {
	char comm[SCOPE_COMM_BYTES];
	uint32_t tid, tgid, cpu; /* tgid 0: the line does not say */
	uint64_t time_ns;
	char event[64];
	char *fields; /* in text, to its end */
	char *text;
	struct scope_import_frame frame[SCOPE_IMPORT_FRAMES];
	char *frame_text[SCOPE_IMPORT_FRAMES];
	unsigned frames;
};

struct scope_perf_text {
	struct scope_lines *lines;
	struct scope_import *import;
	uint64_t entry; /* line that the entry begins in */
	bool again;	/* the line was read and not used */
	uint64_t left_out;
};

/* The name of a thread from `bytes` of text, cut to what comm holds. */
void scope_import_perf_name(const char *text, size_t bytes, char comm[SCOPE_COMM_BYTES]);

/* Notes that the entry cannot be read, and why. SCOPE_PERF_TEXT_BAD, or -errno. */
int scope_import_perf_fail(const struct scope_perf_text *reader, const char *what);

/*
 * 1 and an event with its frames, 0 at the end, -errno. *ret_bad: it cannot be read, and is noted. A frame that
 * cannot be read spoils its entry; the frames after it are skipped.
 */
int scope_import_perf_next(struct scope_perf_text *reader, struct scope_perf_entry *entry, bool *ret_bad);

#endif
