/* SPDX-License-Identifier: GPL-2.0-only */
/* A capture while it runs: what its loop and the look at its target share. */
#ifndef SCOPE_CAPTURE_CAPTURE_INTERNAL_H
#define SCOPE_CAPTURE_CAPTURE_INTERNAL_H

#include "capture/capture.h"

struct scope_subbuf;

struct scope_capture_run {
	struct scope_capture_options options;
	const struct scope_capture_watch *watch;
	const volatile sig_atomic_t *stop;
	struct scope_writer *writer;
	struct scope_error *error;
	const struct scope_source *source;
	void *feed; /* the source's session */
	struct scope_proc *proc;
	struct scope_stopped_stacks *stopped;
	struct scope_unwinder *unwinder; /* NULL: stacks stay as they are */
	struct scope_new_processes *processes;
	struct scope_others *others;
	struct scope_proc_host *host;		 /* as tracing began */
	struct scope_kernel_names *kernel_names; /* NULL: none are asked for, or none can be had */
	struct scope_error no_kernel;		 /* why none can be had */
	struct scope_steer *steer;		 /* NULL: stacks stay as they are */
	struct scope_capture_stats stats;
	int pidfd;		     /* -1 where the kernel has none, or the target has ended */
	bool leader_gone;	     /* the target itself has ended; descendants may live */
	uint64_t look_ns;	     /* when to look for new names next: libraries come and go, and so do processes */
	struct scope_states *states; /* during a cut */
	bool deaf;		     /* the module's probes on system calls do not fire */
	uint64_t settled_ns;	     /* all that happened before is drained */
	bool ended;		     /* the source has stopped by itself, or its filter is empty */
	bool live;		     /* from the start on, until what came at the stop is drained */
	bool draining;		     /* the source is handing out sub-buffers */
	bool still_wanted;	     /* sub-buffers drained now hold the STATE of this moment */
};

/*
 * Fills in stats.target. A name or a group is worth tracing after the process that it meant at first has
 * ended. 0, or -errno with error filled.
 */
int scope_capture_find_target(struct scope_capture_run *capture);

/* Maps, names of threads, names of code made at run time: what is new of them. 0 or -errno. */
int scope_capture_write_names(struct scope_capture_run *capture);

/* Is it known where the kernel runs? Then samples say where in it they hit. 0 or -ENOMEM. */
int scope_capture_find_kernel(struct scope_capture_run *capture);

/*
 * Names of the kernel's functions that were hit; where they cannot be read any more there are none.
 * meanwhile: as scope_proc_kernel_names_write() takes it. 0 or -errno.
 */
int scope_capture_write_kernel(struct scope_capture_run *capture, int (*meanwhile)(void *context));

/*
 * Begins the unwinder, unless stacks are to stay as they are; nice: of its process. Before the source opens.
 * 0, or -errno with error filled. end: more than once is fine.
 */
int scope_capture_begin_unwinder(struct scope_capture_run *capture, int nice);
void scope_capture_end_unwinder(struct scope_capture_run *capture);

/* A sub-buffer into the file, through the unwinder where there is one. 0 or -errno, as all of these. */
int scope_capture_put(struct scope_capture_run *capture, const struct scope_subbuf *subbuf);

/* Writes what was unwound; waits for so long at most for what is under way. */
int scope_capture_pump(struct scope_capture_run *capture, unsigned int wait_ms);
bool scope_capture_all_written(const struct scope_capture_run *capture);

/* Names of what was hit are to be written; all: at the end of a file. */
void scope_capture_want_names(struct scope_capture_run *capture, bool all);

/* Waits until all is. meanwhile: while events still come, and then 2 s at most for names; NULL: none
 * come any more, and 20 s. */
int scope_capture_settle(struct scope_capture_run *capture, int (*meanwhile)(void *context));

/* Brings stats up to date. */
void scope_capture_count_unwound(struct scope_capture_run *capture);

/* What of the target could not be read, or was not, as metadata. 0 or -errno. */
int scope_capture_write_unread(const struct scope_capture_run *capture, struct scope_writer *writer);

/* Has the target ended, with all that is followed? Asked on every flush. */
bool scope_capture_target_gone(struct scope_capture_run *capture);

#endif
