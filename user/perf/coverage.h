/* SPDX-License-Identifier: GPL-2.0-only */
/* The thread numbers that the kernel's filter passes: a few ranges, and separately all newer ones. */
#ifndef SCOPE_PERF_COVERAGE_H
#define SCOPE_PERF_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The kernel takes a filter of at most a page of text, and no second filter for the same event. So the existing threads
 * become a few ranges, which may contain other threads as well. Threads that begin later are young: they have numbers
 * above `newest` until numbers start again from the lowest. It is not known in advance which of these will be the
 * target's. So the filter passes all of them, in separate events and rings, where young threads of other processes take
 * no room from the target's threads. The reader drops events of other processes.
 */
#define SCOPE_PERF_RANGES_MAX 16
#define SCOPE_PERF_FILTER_BYTES 4096

struct scope_perf_coverage {
	struct {
		uint32_t first, last;
	} range[SCOPE_PERF_RANGES_MAX];
	uint32_t ranges;
	uint32_t newest;
};

/* KNOWN: threads in the ranges. YOUNG: threads with numbers above `newest` that are in no range. */
enum scope_perf_age {
	SCOPE_PERF_KNOWN,
	SCOPE_PERF_YOUNG,
	SCOPE_PERF_AGES,
};

/* Sorts tids. If there are not enough ranges, the narrowest gaps between tids are included, too. */
void scope_perf_coverage_make(uint32_t *tids, size_t count, uint32_t newest, struct scope_perf_coverage *ret_cover);

/* True if the filter passes the thread, as known or young. */
bool scope_perf_coverage_has(const struct scope_perf_coverage *cover, uint32_t tid);

/* True if the filter passes the thread as known. */
bool scope_perf_coverage_knows(const struct scope_perf_coverage *cover, uint32_t tid);

/*
 * The filter text for PERF_EVENT_IOC_SET_FILTER, always in brackets. For known threads it passes an event if one of its
 * `count` fields is known; for young ones if no field is known and one is young.
 */
void scope_perf_coverage_text(const struct scope_perf_coverage *cover, enum scope_perf_age age,
			      const char *const *field, size_t count, char text[SCOPE_PERF_FILTER_BYTES]);

#endif
