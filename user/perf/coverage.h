/* SPDX-License-Identifier: GPL-2.0-only */
/* Which thread numbers the kernel lets through: a few ranges, and apart from them all that are newer. */
#ifndef SCOPE_PERF_COVERAGE_H
#define SCOPE_PERF_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The kernel takes a filter of at most a page of text, and never another one for the same event. So
 * the threads there are become few ranges, which may let others through as well. Threads that begin
 * later are young: they have numbers above newest until numbers start again from the lowest. As nobody
 * can tell beforehand whose these will be, all of them pass, on a way of their own, where the young of
 * others take no room from the target's threads. The reader drops what is not the target's.
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

/* Whose events: those in the ranges, or the young, who are above newest and in no range. */
enum scope_perf_age {
	SCOPE_PERF_KNOWN,
	SCOPE_PERF_YOUNG,
	SCOPE_PERF_AGES,
};

/* Sorts tids. The narrowest gaps between them are let through where ranges do not suffice. */
void scope_perf_coverage_make(uint32_t *tids, size_t count, uint32_t newest, struct scope_perf_coverage *ret_cover);

/* Does it pass, as known or young? */
bool scope_perf_coverage_has(const struct scope_perf_coverage *cover, uint32_t tid);

/* Does it as known? */
bool scope_perf_coverage_knows(const struct scope_perf_coverage *cover, uint32_t tid);

/*
 * The filter that lets an event pass if one of the fields (count of them) is known; or if none is and
 * one is young. As PERF_EVENT_IOC_SET_FILTER takes it; "(...)" in any case.
 */
void scope_perf_coverage_text(const struct scope_perf_coverage *cover, enum scope_perf_age age,
			      const char *const *field, size_t count, char text[SCOPE_PERF_FILTER_BYTES]);

#endif
