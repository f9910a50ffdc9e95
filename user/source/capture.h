/* SPDX-License-Identifier: GPL-2.0-only */
/* Capture a process from a source into a trace file. */
#ifndef SCOPE_SOURCE_CAPTURE_H
#define SCOPE_SOURCE_CAPTURE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <scope/control.h>

#include "base/error.h"
#include "source/target.h"

struct scope_probe;
struct scope_selection;
struct scope_source;
struct scope_writer;

#define SCOPE_STACK_BUDGET_DEFAULT UINT32_MAX /* half of stacks_per_second on every CPU */

/* Fill with scope_capture_options_init(), then change what should differ. */
struct scope_capture_options {
	uint32_t pid;	      /* of a process, or of one of its threads */
	const char *held;     /* the process waits to execute this program (source/launch.h); else NULL */
	/* more than that process, or not all of it; borrowed; NULL: that process */
	const struct scope_selection *selection;
	uint64_t duration_ns; /* 0: until the stop flag or the end of the target */
	bool follow;	      /* descendants too, those that live already included */
	enum scope_stack_mode stack_mode;
	uint32_t stack_bytes;
	uint32_t stack_min_ns; /* a call that took so long gets a stack; 0: every call */
	uint32_t stacks_per_second; /* syscall stacks, per CPU */
	uint32_t stack_budget; /* of all CPUs, to choose slow calls for (source/focus.h); 0: do not */
	uint8_t stack_syscalls[SCOPE_SYSCALL_MAX / 8];
	uint32_t sample_period_ns; /* 0: no samples */
	bool kernel_ips; /* samples tell where in the kernel they hit, less kernel_base; set by the capture */
	uint64_t kernel_base;
	uint32_t subbuf_bytes;
	uint32_t subbuf_count;
	uint8_t arg_counts[SCOPE_SYSCALL_MAX];
	bool block; /* requests to block devices */
	const struct scope_probe *probes; /* set when tracing begins; borrowed */
	uint32_t probe_count;
	uint32_t overhead_max; /* thousandths of a CPU that probes may take; 0: any share */
};

/* Has every call its stack, the short ones too? */
static inline bool scope_capture_all_stacks(const struct scope_capture_options *options)
{
	return options->stack_mode != SCOPE_STACK_NONE && !options->stack_min_ns;
}

struct scope_capture_progress {
	uint64_t elapsed_ns;
	uint64_t duration_ns; /* 0: without limit */
	uint64_t records;
	uint64_t lost;
	uint64_t settled_ns; /* all that happened before was written */
	uint64_t bytes; /* of file (or memory, in a flight recorder), so far */
};

enum scope_capture_end {
	SCOPE_CAPTURE_TIME,
	SCOPE_CAPTURE_INTERRUPT,
	SCOPE_CAPTURE_TARGET_GONE,
	SCOPE_CAPTURE_SIZE, /* want() said so */
	SCOPE_CAPTURE_GUARD, /* the module stopped it: probes took too much of a CPU */
};

/* What becomes of the file. */
enum scope_capture_want {
	SCOPE_WANT_NOTHING,
	SCOPE_WANT_CUT, /* call cut() */
	SCOPE_WANT_END,
};

struct scope_capture_run;


struct scope_capture_counts {
	uint64_t records;
	uint64_t lost[SCOPE_LOST_REASONS];
	uint64_t stacks;
	uint64_t stacks_skipped; /* over stacks_per_second */
	uint64_t stacks_absent;	 /* of calls whose sleep was thinned out or lost (source perf) */
	uint64_t stacks_lost;	 /* no room in the ring for stacks (source perf) */
	uint64_t filter_full; /* processes that could not be followed */
	uint64_t late; /* threads that were followed from a moment after their start on (source perf) */
	uint32_t processes;   /* traced at this moment; threads selected by themselves count too */
	uint64_t overwritten; /* flight mode: unread */
	uint64_t probe_ns;    /* in probes, 0: not known */
	bool guarded;	      /* stopped by the overload guard; the next three are of that */
	uint32_t guard_cpu, guard_share; /* CPU, and its thousandths */
	uint64_t run_ns;
};

struct scope_capture_stats {
	const struct scope_source *source;
	struct scope_target target;
	uint64_t begin_ns, end_ns; /* of the window, CLOCK_MONOTONIC */
	struct scope_capture_counts counts;
	uint32_t stack_highest_ns; /* calls had to last for a stack, at most; 0: not chosen */
	enum scope_capture_end end;
};

/* Called about five times a second while the capture runs; context is the caller's. */
struct scope_capture_watch {
	void (*begun)(void *context, const struct scope_target *target); /* once; may be NULL */
	void (*progress)(void *context, const struct scope_capture_progress *progress);
	/* Behind each progress, all events so far being written; may be NULL. */
	enum scope_capture_want (*want)(void *context);
	/* Names and maps being up to date. Uses the functions below on the files it makes. */
	int (*cut)(void *context, struct scope_capture_run *run, struct scope_error *error);
	void *context;
};

/*
 * For cut(). The descriptors as they are now belong at the head of a file: into the capture's own
 * writer, which puts them there. Its end belongs into the file. 0, -ENOMEM, the writer's error.
 */
int scope_capture_write_fds(struct scope_capture_run *run);
int scope_capture_write_end(struct scope_capture_run *run, const char *reason,
			    struct scope_writer *writer);

/* The defaults of source/defaults.h for this machine, for process pid and 90 s. */
void scope_capture_options_init(struct scope_capture_options *options, uint32_t pid);

/*
 * Traces the process and writes sub-buffers, maps, descriptors, stacks of standing threads and all
 * metadata; the caller then finishes the writer. Ends at the first of: the time is up, *stop is set
 * (by a signal handler), the target and whoever is followed are gone, the module's overload guard
 * stopped it. 0 with *ret_stats filled; or
 * -errno with error saying what is wrong and what to do, tracing being off again. Where a write
 * failed, what the writer holds is not a whole trace.
 *
 * watch may be NULL. Needs CAP_SYS_ADMIN or CAP_PERFMON, and root for the device and /proc.
 */
int scope_capture(const struct scope_source *source, const struct scope_capture_options *options,
		  struct scope_writer *writer, const volatile sig_atomic_t *stop,
		  const struct scope_capture_watch *watch, struct scope_error *error,
		  struct scope_capture_stats *ret_stats);

#endif
