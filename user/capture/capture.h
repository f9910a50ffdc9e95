/* SPDX-License-Identifier: GPL-2.0-only */
/* Capture a process from a source into a trace file. */
#ifndef SCOPE_CAPTURE_CAPTURE_H
#define SCOPE_CAPTURE_CAPTURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "proc/target.h"
#include "source/request.h"

struct scope_source;
struct scope_writer;

struct scope_capture_progress {
	uint64_t elapsed_ns;
	uint64_t duration_ns; /* 0: without limit */
	uint64_t records;
	uint64_t lost;
	uint64_t settled_ns; /* all events before this time are written */
	uint64_t bytes;	     /* bytes of the file (or of memory, in a flight recorder) so far */
};

enum scope_capture_end {
	SCOPE_CAPTURE_TIME,
	SCOPE_CAPTURE_INTERRUPT,
	SCOPE_CAPTURE_TARGET_GONE,
	SCOPE_CAPTURE_SIZE,  /* want() requested it */
	SCOPE_CAPTURE_GUARD, /* the overload guard stopped it: probes took too much of a CPU */
};

/* What to do with the file. */
enum scope_capture_want {
	SCOPE_WANT_NOTHING,
	SCOPE_WANT_CUT, /* call cut() */
	/*
	 * The same, for frequent cuts: names of the kernel and owners of ports are then read only once a minute,
	 * because a host has many.
	 */
	SCOPE_WANT_LOOK,
	SCOPE_WANT_END,
};

struct scope_capture_run;

struct scope_capture_stats {
	const struct scope_source *source;
	struct scope_target target;
	uint64_t begin_ns, end_ns; /* the window, CLOCK_MONOTONIC */
	struct scope_capture_counts counts;
	uint64_t stacks_given_up;  /* stacks that were not unwound */
	uint32_t tables_refused;   /* unwind tables that the module had no room for */
	uint32_t maps_refused;	   /* how often the module had no room for the mappings of a process */
	uint64_t unwinder_cpu_ns;  /* CPU time of the process that unwinds */
	uint32_t stack_highest_ns; /* the highest minimum duration of calls with a stack; 0: it was not chosen */
	enum scope_capture_end end;
};

/* Called about five times a second while the capture runs; context is the caller's. */
struct scope_capture_watch {
	void (*begun)(void *context, const struct scope_target *target); /* once; may be NULL */
	void (*progress)(void *context, const struct scope_capture_progress *progress);
	/* Called after each call of progress, when all events so far are written; may be NULL. */
	enum scope_capture_want (*want)(void *context);
	/* Called when names and maps are up to date. It may use the functions below for the files that it makes. */
	int (*cut)(void *context, struct scope_capture_run *run, struct scope_error *error);
	void *context;
};

/*
 * For cut(). write_fds: writes the present descriptors to the capture's writer, which puts them at the head of the next
 * file. end: writes the last metadata of a file. 0, -ENOMEM, or the writer's error.
 */
int scope_capture_write_fds(struct scope_capture_run *run);
int scope_capture_write_end(struct scope_capture_run *run, const char *reason, struct scope_writer *writer);

/* The defaults of capture/defaults.h for this machine, for process pid and 90 s. */
void scope_capture_options_init(struct scope_capture_options *options, uint32_t pid);
/*
 * The defaults for a flight recorder on `cpus` CPUs. It runs for weeks, so it takes fewer stacks, and its cost is
 * negligible.
 */
void scope_capture_options_flight(struct scope_capture_options *options, uint32_t cpus);

/*
 * Traces the process and writes sub-buffers, maps, descriptors, stacks of threads that do not run and all metadata; the
 * caller then finishes the writer. It ends when the time is up, *stop is set (by a signal handler), the target and its
 * followed descendants have ended, or the module's overload guard stopped it. Returns 0 with *ret_stats filled; or
 * -errno with error filled, which says what is wrong and what to do. Tracing is off in any case. If a write failed, the
 * writer does not hold a whole trace.
 *
 * watch may be NULL. Needs CAP_SYS_ADMIN or CAP_PERFMON, and root for the device and /proc.
 */
int scope_capture(const struct scope_source *source, const struct scope_capture_options *options,
		  struct scope_writer *writer, const volatile sig_atomic_t *stop,
		  const struct scope_capture_watch *watch, struct scope_error *error,
		  struct scope_capture_stats *ret_stats);

#endif
