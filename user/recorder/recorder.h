/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording: writes its capture to one file, to several in turn, or to files of a flight recorder. */
#ifndef SCOPE_RECORDER_RECORDER_H
#define SCOPE_RECORDER_RECORDER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "capture/capture.h"
#include "recorder/trigger.h"
#include "source/source.h"

#define SCOPE_RECORDER_COOL_NS 60000000000ull

enum scope_recorder_order {
	SCOPE_RECORDER_ORDER_NOTHING,
	SCOPE_RECORDER_ORDER_COPY, /* to a descriptor, for the judge alone */
	SCOPE_RECORDER_ORDER_FILE,
};

/*
 * Decides in place of triggers when a flight recorder writes. look() is called several times a second, and after the
 * capture has ended (ended) repeatedly until it orders nothing.
 */
struct scope_recorder_judge {
	/* trigger: which one fired, "" none. FILE: sets ret_why, 128 bytes; COPY: *ret_fd, which stays the judge's. */
	enum scope_recorder_order (*look)(void *context, const char *trigger, bool ended, char *ret_why, int *ret_fd);
	/*
	 * The size of a COPY: the newest sub-buffers, about copy_bytes uncompressed bytes and at least copy_ns. So the
	 * time to analyse it is bounded at any rate of events.
	 */
	uint64_t copy_bytes, copy_ns;
	/* The order was carried out. error: why it could not be, NULL: it was. */
	void (*copied)(void *context, const struct scope_error *error);
	void (*written)(void *context, const char *path, const struct scope_error *error);
	void *context;
};

struct scope_recorder_options {
	const char *output;		 /* the file; if there are several, what their names begin with */
	uint64_t max_bytes;		 /* of a file; 0: no limit */
	uint32_t keep;			 /* how many files stay; 0: all, and without flight there is one */
	uint64_t flight_ns;		 /* 0: no flight recorder */
	uint64_t flight_bytes;		 /* of memory for it */
	int level;			 /* of zstd, 0: off */
	uint64_t cool_ns;		 /* pause after a trigger, in which others are ignored */
	struct scope_triggers *triggers; /* NULL: none */
	const char *const
		*beside; /* ends of the names of files that belong to a file of `keep`, the last is NULL; NULL: none */
	const struct scope_recorder_judge *judge; /* of a flight recorder; NULL: triggers and its end write files */
};

/* The state of the flight recorder. */
struct scope_recorder_flight {
	double covered_s, wanted_s;
	double possible_s; /* for how long the memory is enough at the rate of the covered time; 0: unknown */
	uint64_t held_bytes;
};

struct scope_recorder_watch {
	void (*begun)(void *context, const struct scope_target *target);
	/* flight: NULL if it is not a flight recorder. */
	void (*progress)(void *context, const struct scope_capture_progress *progress,
			 const struct scope_recorder_flight *flight);
	/* A sentence for the user: a file was written, or could not be. */
	void (*say)(void *context, const char *text);
	void *context;
};

struct scope_recorder_result {
	struct scope_capture_stats stats;
	char path[4096]; /* of the last file */
	uint64_t bytes;	 /* of it */
	uint32_t files;
	bool special; /* it is not a regular file, but a device, a FIFO or standard output */
};

/*
 * Captures until the time is up, *stop is set or the target ends. Files are complete, even if an error ended the
 * capture. *snapshot, set by a signal, makes a flight recorder write a file. 0; or -errno with error filled, which says
 * what is wrong and which part was kept.
 */
int scope_recorder_run(const struct scope_recorder_options *options, const struct scope_source *source,
		       const struct scope_capture_options *capture, const volatile sig_atomic_t *stop,
		       volatile sig_atomic_t *snapshot, const struct scope_recorder_watch *watch,
		       struct scope_error *error, struct scope_recorder_result *ret_result);

#endif
