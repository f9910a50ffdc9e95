/* SPDX-License-Identifier: GPL-2.0-only */
/* The state of a running capture, shared by its loop and the code that reads its target. */
#ifndef SCOPE_CAPTURE_CAPTURE_INTERNAL_H
#define SCOPE_CAPTURE_CAPTURE_INTERNAL_H

#include "capture/capture.h"
#include "capture/spare.h"

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
	struct scope_unwinder *unwinder;   /* NULL: stacks stay as they are */
	struct scope_snapshots *snapshots; /* NULL: none are taken */
	struct scope_new_processes *processes;
	struct scope_others *others;
	struct scope_proc_backlog *backlog; /* NULL: the kernel cannot be asked */
	struct scope_proc_port_owners *port_owners;
	struct scope_proc_host *host;		 /* counters of the host since tracing began */
	struct scope_kernel_names *kernel_names; /* NULL: not requested, or not available */
	struct scope_error no_kernel;		 /* why there are no names of the kernel */
	struct scope_request_kinds *kinds;	 /* NULL: what programs receive is not recorded */
	struct scope_steer *steer;		 /* NULL: stacks stay as they are */
	size_t fds_left_out; /* processes whose descriptors were not read, because of their number */
	struct scope_capture_stats stats;
	int pidfd;		     /* -1 if the kernel has none, or the target has ended */
	bool leader_gone;	     /* the target itself has ended; descendants may live */
	uint64_t host_ns;	     /* when the tables of the host were last read, for a cut */
	uint64_t look_ns;	     /* time of the next search for new names, because libraries and processes change */
	struct scope_states *states; /* during a cut */
	bool probes_silent;	     /* the module's probes on system calls do not fire */
	uint64_t settled_ns;	     /* all events before this time are drained */
	bool ended;		     /* the source has stopped by itself, or its filter is empty */
	bool live;		     /* from the start until the events of the stop are drained */
	struct scope_spare spare;    /* CPU time for work that can wait */
	bool draining;		     /* a drain is running */
	bool states_wanted;	     /* the sub-buffers of this drain have new STATE records */
	struct {
		uint64_t stacks, rows;	   /* values at the last look */
		uint64_t next_ns, wait_ns; /* time of the next look, and how long after the last */
	} unmapped;
};

/*
 * Sets the error after the writer or a read of /proc failed; it is the writer's message if there is one. Returns err.
 */
int scope_capture_failed(struct scope_capture_run *capture, int err);

/* Runs until the time is up, the stop flag is set, or the target has ended. 0, or -errno with error filled. */
int scope_capture_until_end(struct scope_capture_run *capture);

/*
 * Fills in stats.target. If a name or a group is traced, tracing continues after the first process that it selected has
 * ended. 0, or -errno with error filled.
 */
int scope_capture_find_target(struct scope_capture_run *capture);

/* Writes new maps, names of threads and names of code made at run time. 0 or -errno. */
int scope_capture_write_names(struct scope_capture_run *capture);
/* Writes the present descriptors that were not written before. 0, -ENOMEM, or the writer's error. */
int scope_capture_add_fds(struct scope_capture_run *capture);

/*
 * Writes which processes listen at addresses of this host, if this was not written before. 0, -ENOMEM, or the writer's
 * error.
 */
int scope_capture_write_port_owners(struct scope_capture_run *capture);

/* Finds the kernel's load address; if it is known, samples get their kernel address. 0 or -ENOMEM. */
int scope_capture_find_kernel(struct scope_capture_run *capture);

/*
 * Writes the names of the kernel's functions that were hit, if they can still be read. while_waiting: see
 * scope_proc_kernel_names_write(). 0 or -errno.
 */
int scope_capture_write_kernel(struct scope_capture_run *capture, int (*while_waiting)(void *context));

/*
 * begin: starts the unwinder, unless stacks stay unchanged; nice: the nice value of its process. Call it before the
 * source opens. 0, or -errno with error filled. end: may be called more than once.
 */
int scope_capture_begin_unwinder(struct scope_capture_run *capture, int nice);
void scope_capture_end_unwinder(struct scope_capture_run *capture);

/*
 * Writes a sub-buffer to the file, through the unwinder if there is one. Like all of these functions returns 0 or
 * -errno.
 */
int scope_capture_put(struct scope_capture_run *capture, const struct scope_subbuf *subbuf);

/* Writes unwound sub-buffers; waits up to wait_ms for those that are being unwound. */
int scope_capture_pump(struct scope_capture_run *capture, unsigned int wait_ms);
bool scope_capture_all_written(const struct scope_capture_run *capture);

/* Requests the names of recorded addresses; all: for the end of a file. */
void scope_capture_want_names(struct scope_capture_run *capture, bool all);

/* Waits, for half a second at most, until the module has the unwind tables of all mapped files. 0 or -errno. */
int scope_capture_give_tables(struct scope_capture_run *capture);

/*
 * due: the time of the next check for code without a known mapping in the module; UINT64_MAX: never. unmapped: does the
 * check if it is time, and returns true if there was such code. The records in the rings show the process, so the rings
 * are flushed then.
 */
uint64_t scope_capture_unmapped_due_ns(const struct scope_capture_run *capture);
bool scope_capture_unmapped(struct scope_capture_run *capture, uint64_t now);

/*
 * Waits until everything is written. while_waiting: events still come, and the wait for names is 2 s at most. NULL: no
 * more events come, and the wait is 20 s at most.
 */
int scope_capture_settle(struct scope_capture_run *capture, int (*while_waiting)(void *context));

/*
 * Writes the names of the addresses that came while a file's names were written, such as those of threads that do not
 * run. Waits at most 0.1 s, in which no events are drained. 0 or -errno.
 */
int scope_capture_name_rest(struct scope_capture_run *capture);

/* Writes as metadata how many stacks the module walked, and why it copied others. 0 or -errno. */
int scope_capture_write_walks(const struct scope_capture_run *capture);

/* Brings stats up to date. */
void scope_capture_count_unwound(struct scope_capture_run *capture);

/* Writes as metadata what could not be read of the target. 0 or -errno. */
int scope_capture_write_unread(const struct scope_capture_run *capture, struct scope_writer *writer);

/* ---- drain.c; 0 or -errno ---- */

/* Checks the probes that were set at run time. Call it often. */
void scope_capture_watch_probes(struct scope_capture_run *capture, uint64_t now);

/*
 * Drains everything that is ready. It does nothing inside another drain: a wait for a reader calls this, and may itself
 * be part of a drain.
 */
int scope_capture_drain(struct scope_capture_run *capture);

/* The same for callbacks, so that rings do not fill during long work: context is the capture. */
int scope_capture_keep_up(void *context);

/* Drains the new STATE records, and the stacks to which they point, before the threads run again. */
int scope_capture_drain_states(struct scope_capture_run *capture);

/* Writes names and maps to which the drained records refer for the first time. */
int scope_capture_write_named(struct scope_capture_run *capture);

/*
 * Flushes the rings, drains them, and writes to the file, so that a recorder that is killed loses only events after the
 * last such step.
 */
int scope_capture_flush_and_drain(struct scope_capture_run *capture);

/* True if the target and all followed processes have ended. Called on every flush. */
bool scope_capture_target_gone(struct scope_capture_run *capture);

#endif
