/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watches one capture after another: decides when the flight recorder's data is analysed, and responds to the results.
 *
 * It is the judge of the recorder (recorder/recorder.h). A trace is analysed SCOPE_WATCH_EVERY_NS after the one before,
 * or later if this would take more than 1/400 of a CPU. A target that differs from its last minute (recorder/unusual.h)
 * is analysed sooner, with at most a fifth of a CPU. The trace of an incident is written after_ns after the incident
 * was found.
 */
#ifndef SCOPE_WATCH_WATCH_H
#define SCOPE_WATCH_WATCH_H

#include <signal.h>

#include "analysis/analysis.h"
#include "capture/capture.h"
#include "recorder/recorder.h"
#include "watch/incident.h"

#define SCOPE_WATCH_EVERY_NS 10000000000ull

struct scope_watch;

struct scope_watch_options {
	uint64_t span_ns; /* of the flight recorder */
	uint64_t after_ns;
	uint64_t min_interval_ns;
	bool outside;	    /* see scope_watch_judge_create() */
	const char *known;  /* a file, see scope_watch_seen_read_known(); NULL: none */
	const char *listen; /* see scope_export_http_create(); NULL: nobody asks */
	/* NULL, or called with each analysis that succeeded, in a child process. */
	void (*analysed)(void *context, const struct scope_analysis *analysis);
	void *analysed_context;
	struct scope_watch_response response;
};

/* options is borrowed. stop: set by a signal. 0, or -errno with error filled. */
int scope_watch_create(const struct scope_watch_options *options, const volatile sig_atomic_t *stop,
		       struct scope_error *error, struct scope_watch **ret_watch);
/* Waits up to 90 s for the responses to incidents. NULL is fine. */
void scope_watch_destroy(struct scope_watch *watch);

/* For the options of a recorder; belongs to the watch. */
const struct scope_recorder_judge *scope_watch_judge_of(struct scope_watch *watch);

/*
 * Call begun when a capture has begun, progress with its state several times a second, and the third while there is no
 * capture.
 */
void scope_watch_begun(struct scope_watch *watch, const struct scope_target *target);
void scope_watch_progress(struct scope_watch *watch, const struct scope_capture_progress *now,
			  const struct scope_recorder_flight *flight);
void scope_watch_idle(struct scope_watch *watch);

#endif
