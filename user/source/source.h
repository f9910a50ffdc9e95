/* SPDX-License-Identifier: GPL-2.0-only */
/* What a capture asks of the place its events come from. */
#ifndef SCOPE_SOURCE_SOURCE_H
#define SCOPE_SOURCE_SOURCE_H

#include "base/error.h"
#include "source/request.h"

struct scope_stack_change;
struct scope_subbuf;

struct scope_source_notice {
	enum scope_notice notice; /* as is what follows (scope/control.h) */
	uint32_t cpu;
	uint64_t value;
};

/*
 * All functions return 0 or -errno unless said otherwise; those that take an error fill it (NULL is
 * fine). feed is the source's own session, made by open(). Calls come in the order open, start, any
 * number of flush, drain, progress and count, stop, drain, count, close; close may come at any time
 * and ends tracing.
 */
struct scope_source {
	const char *name;  /* for --source, and in the trace's metadata */
	const char *lacks; /* what it cannot give, as the rest of "It cannot give ..."; "" */

	/* Can it be used here and by this user? Changes nothing that outlives the call. */
	int (*check)(struct scope_error *error);
	int (*open)(const struct scope_capture_options *options, uint32_t tgid, struct scope_error *error,
		    void **ret_feed);
	/*
	 * Tracing begins, with a STATE record for every thread traced. stop writes these again, and
	 * the drain behind it hands out all there is.
	 */
	int (*start)(void *feed, struct scope_error *error);
	int (*stop)(void *feed, struct scope_error *error);
	void (*close)(void *feed);

	/* For poll(): readable while it is worth to drain. */
	int (*fd)(const void *feed);
	/* The next drain hands out all that happened before this call. */
	int (*flush)(void *feed);
	/* Calls take() for every sub-buffer that is ready; another value than 0 ends it, and is it. */
	int (*drain)(void *feed, int (*take)(const struct scope_subbuf *subbuf, void *context), void *context);
	/*
	 * Between start and stop: calls take() for sub-buffers of their own, with a STATE record at this
	 * moment of every thread traced, marked as those at the stop are. NULL: only a session beside
	 * this one, that starts and stops, can tell.
	 */
	int (*states)(void *feed, int (*take)(const struct scope_subbuf *subbuf, void *context), void *context);
	/* Cheap; ret_lost has SCOPE_LOST_REASONS entries. */
	void (*progress)(const void *feed, uint64_t *ret_records, uint64_t *ret_lost);
	int (*count)(void *feed, struct scope_error *error, struct scope_capture_counts *ret_counts);

	/* Changes which calls get stacks, and the samples (control/probe.h). NULL: it cannot. */
	int (*stacks)(void *feed, const struct scope_stack_change *change, struct scope_error *error);
	/* They are taken in any case, and so are samples: a stretch without them would save nothing. */
	bool stacks_always;

	/* So many were taken so far, of whomever. NULL: of traced threads alone, which sub-buffers tell. */
	uint64_t (*samples)(const void *feed);

	/* NULL: none. What the user should know of this session once it is open, or "". */
	const char *(*note)(const void *feed);

	/* NULL where it says nothing by itself. For poll(): readable when hear() has something; or -1. */
	int (*hear_fd)(const void *feed);
	/* 1 and *ret_notice filled, 0 where nothing came. */
	int (*hear)(void *feed, struct scope_source_notice *ret_notice);
};

#endif
