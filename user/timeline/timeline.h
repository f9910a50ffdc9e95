/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Turns the events of a trace into states, calls and waits of its threads, and keeps an account of
 * every thread's time.
 *
 * Accounting identity: run + run queue + blocked by class + unknown = wall, per thread. A call that
 * blocks is reported twice, at entry and at return; one that has not returned stays in
 * thread->open.
 */
#ifndef SCOPE_TIMELINE_TIMELINE_H
#define SCOPE_TIMELINE_TIMELINE_H

#include <stdbool.h>

#include "timeline/cpus.h"
#include "timeline/fds.h"
#include "timeline/devices.h"
#include "timeline/losses.h"
#include "timeline/past.h"
#include "timeline/thread.h"
#include "trace/trace.h"

/* A stretch in the run queue. Its parts say what ran in this time on the CPU that the thread waited for. */
struct scope_queued {
	uint32_t thread;
	uint64_t begin_ns, end_ns;
	uint64_t own_ns;    /* traced threads */
	uint64_t taken_ns;  /* threads that are not traced; the rest of the time the CPU was idle */
	uint32_t taker_tid; /* the last of them that is known; 0: none */
};

/* All calls may be NULL. A negative return ends the run and is returned to its caller. */
struct scope_timeline_ops {
	/*
	 * Called after a call: returns the roles of calls that are only counted from now on, a bit
	 * each (thread->plain), until another event than such calls and stacks happens to the
	 * thread. Calls that show something new about a descriptor, or took something from a
	 * client's socket, are not plain. The listener may use bits of no role itself.
	 */
	uint32_t (*plain_roles)(void *user, uint32_t thread);
	/*
	 * Called at the return of such a call. Returns true if it handled the call: then no other function is called. The account is
	 * as it was after the last other call.
	 */
	bool (*plain)(void *user, const struct scope_thread *thread, const struct scope_event *event,
		      enum scope_timeline_call_role role);
	/* The thread's account is at enter_ns, or at the return. */
	int (*enter)(void *user, const struct scope_thread *thread, const struct scope_open_call *call);
	int (*exit)(void *user, const struct scope_thread *thread, const struct scope_open_call *call, int64_t ret,
		    uint64_t exit_ns);
	int (*wait)(void *user, const struct scope_wait *wait);
	/* The thread came to a CPU. */
	int (*queued)(void *user, const struct scope_queued *queued);
	/*
	 * From begin to end the thread was in one state, thread->run, which ends now, or the window
	 * ends. BLOCKED: thread->wait, disk and iowait say what for. These stretches follow one
	 * another without a gap, from first_ns to the thread's end.
	 */
	int (*stay)(void *user, const struct scope_thread *thread, uint64_t begin_ns, uint64_t end_ns);
	/* A request to a block device was issued, or is done. UINT32_MAX: of a thread that is not known. */
	int (*block)(void *user, uint32_t thread, const struct scope_event *event);
	/* From begin to end the thread was in a memory stall of that kind (timeline/thread.h). */
	int (*stall)(void *user, uint32_t thread, uint8_t kind, uint64_t begin_ns, uint64_t end_ns);
	/* COUNTERS, HARDIRQ or SOFTIRQ: what it counted, and for how long interrupts took its CPU until now. */
	int (*counted)(void *user, uint32_t thread, const struct scope_event *event);
	/* What it received by the call that has just returned asks for that kind of request. Not called for kind 0. */
	int (*request)(void *user, uint32_t thread, uint32_t kind);
	/* The connection that the call opened which has just returned has this peer. */
	int (*peer)(void *user, uint32_t thread, const struct scope_event *event);
	/* The thread left its CPU, asleep or preempted; its account is at now. */
	int (*leave)(void *user, uint32_t thread, uint64_t now_ns);
	/* Any stack; belongs to the call that has just returned, or to a sample. */
	int (*stack)(void *user, uint32_t thread, const struct scope_event *event);
	/*
	 * A snapshot: the functions of an interpreter that the thread is in now; thread->run says whether it runs or sleeps. Or where
	 * tasks of its process wait (SCOPE_STACK_TASKS).
	 */
	int (*snapshot)(void *user, uint32_t thread, const struct scope_event *event);
	/* Events of the thread before this time may be missing. */
	int (*lost)(void *user, uint32_t thread, uint64_t now_ns);
	int (*state)(void *user, uint32_t thread, const struct scope_event *event);
	/* The thread ended. */
	int (*end)(void *user, uint32_t thread, uint64_t now_ns);
};

/* For how long a CPU ran threads of one sort. */
struct scope_timeline {
	struct scope_threads *threads;
	struct scope_fds *fds;
	uint64_t begin_ns, end_ns; /* of the window: from the metadata, else first and last event */
	uint64_t last_ns;	   /* of the events so far */
	uint64_t events, lost;
	uint64_t false_wakeups;		 /* sleeps that were merged with the sleep before */
	bool wakes;			 /* a waking was recorded */
	uint64_t unrecorded;		 /* times a thread was on a processor without a recorded switch */
	const struct scope_trace *trace; /* whose rows name threads and descriptors */
	size_t fds_known;		 /* rows of descriptors as it began */
	struct scope_cpus cpus;
	struct scope_devices devices;
	double stall_ns[SCOPE_STALL_KINDS]; /* of all threads together */
	uint32_t kinds_seen;		    /* SCOPE_EVENTS_COUNTERS and above: a record of them was seen */
	struct scope_losses losses;
	uint64_t mark_ns; /* when the next mark of past or losses is due */
	struct scope_past past;
	const struct scope_past_mark *from; /* of past: begin of the window; NULL: the accounts' begin */
};

int scope_timeline_create(const struct scope_trace *trace, struct scope_timeline **ret_timeline);
void scope_timeline_destroy(struct scope_timeline *timeline);

/* Call it after the last event of scope_timeline_take() (timeline/take.h): ends the accounts at the window's end. */
int scope_timeline_finish(struct scope_timeline *timeline, const struct scope_timeline_ops *ops, void *user);

/* True if the trace was recorded with that bit of SCOPE_EVENTS_*: it says so, or an event shows it. */
bool scope_timeline_records(const struct scope_timeline *timeline, uint32_t events);

/* All events lost: by the marks in the trace, or by the kernel's count if that is larger. */
uint64_t scope_timeline_lost(const struct scope_timeline *timeline);

/*
 * For a trace that grew during the pass: true if the result would be the same with all rows present
 * at the start. Threads that no event names get their names from rows.
 */
bool scope_timeline_holds(const struct scope_timeline *timeline);

/* Rewinds the trace and runs through all of it. The accounts end at the window's end. */
int scope_timeline_run(struct scope_timeline *timeline, struct scope_trace *trace, const struct scope_timeline_ops *ops,
		       void *user);

#endif
