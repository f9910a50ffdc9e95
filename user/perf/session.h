/* SPDX-License-Identifier: GPL-2.0-only */
/* A session of the perf source, as perf.c (the source), in_order.c (records) and session.c (which threads are traced) share it. */
#ifndef SCOPE_PERF_SESSION_H
#define SCOPE_PERF_SESSION_H

#include "perf/events.h"
#include "perf/pack.h"
#include "perf/state.h"

#define SCOPE_PERF_JOINED_MAX 1024 /* threads that come in one drain; further ones get no STATE */

enum scope_perf_moment {
	SCOPE_PERF_MOMENT_NONE,
	SCOPE_PERF_MOMENT_START,
	SCOPE_PERF_MOMENT_STOP,
};

/* A session of the perf source. */
struct scope_perf_session {
	struct scope_capture_options options; /* stacks: the mode that was chosen last */
	uint32_t slice_bytes;		      /* size of slices at the start */
	uint32_t tgid;
	struct scope_perf_events events;
	struct scope_perf_coverage cover;
	struct scope_perf_tasks *tasks;
	struct scope_perf_pack *pack;
	struct scope_perf_clock clock;
	struct scope_perf_next {
		uint64_t time_ns;
		struct scope_perf_cpu *cpu;
	} * heap; /* CPUs that have a record, the earliest first; has room for all CPUs */
	size_t waiting;
	enum scope_perf_moment moment; /* STATE records that the next drain writes */
	bool flush, uncovered;
	uint64_t grouped_ns; /* when members of groups were last looked for; 0: tracing has not begun */
	uint32_t join[SCOPE_PERF_JOINED_MAX]; /* threads that came since the last join, whose STATE is to be written */
	uint32_t joined;
	uint64_t buried_ns; /* when threads that ended without a record were last searched */
	uint64_t late;	    /* number of threads whose beginning is not recorded */
	uint64_t young_ns;  /* when a young thread of the target last came or went; 0: none did */
	uint64_t young_records,
		covered_ns; /* records of young threads since the filters were last made; when these were made */
	uint64_t newest_ns; /* when newest was the newest thread; 0: not looked up for the next filters */
	uint32_t newest;
	uint64_t thinned_ns;		   /* when stacks were last thinned out */
	uint64_t stacks_come, stacks_lost; /* in rings for stacks, since the size of slices changed */
	uint64_t samples;		   /* that came, of all threads */
	uint64_t counting_ns, counted_ns;  /* with options.memory: when counts were first (since boot) and last read */
	bool slices_stay; /* longer slices were too much for the rings, so the size at the start stays */
	int broken;	  /* -errno: events for stacks could not be opened again */
	/* Where sub-buffers go while a drain is at work. */
	int (*take)(const struct scope_subbuf *subbuf, void *context);
	void *taker;
};

/* ---- in_order.c ---- */

/* Packs all records up to the time. 0, -ENOMEM, or the result of session->take(). */
int scope_perf_session_until(struct scope_perf_session *session, uint64_t horizon_ns);

/* ---- session.c: 0, -ENOMEM or what packing returned ---- */

/*
 * Adds the thread, or one more reason for it; context is the session. A thread that is added during tracing gets its
 * STATE.
 */
int scope_perf_session_join(uint32_t tgid, uint32_t tid, uint8_t by, void *context);

/* Writes STATE records of all threads, or of those that were added during tracing. */
int scope_perf_session_put_states(struct scope_perf_session *session);
int scope_perf_session_put_late_states(struct scope_perf_session *session);

/*
 * The same as at the stop, but written to separate sub-buffers; context is the session. Tracing continues, so registers
 * that only its events have are not known.
 */
int scope_perf_session_states(void *context, int (*take)(const struct scope_subbuf *subbuf, void *context),
			      void *taker);

/* Reads what each thread counted, for options.memory; all records up to that time are packed. */
int scope_perf_session_count(struct scope_perf_session *session, uint64_t time_ns);

/* Finds the threads that entered the selected control groups, and those that left. */
int scope_perf_session_follow_groups(struct scope_perf_session *session);

/* Ends the threads that have ended without a record, because it was lost. */
int scope_perf_session_end_gone(struct scope_perf_session *session);

/*
 * Young threads of the target. The first function notes for each record if such a thread comes or goes. The second
 * returns true if there were any since that time. The third makes new filters if many events of young threads were
 * read: then the target's young threads become known, and older threads of other processes are no longer young.
 */
void scope_perf_session_watch_young(struct scope_perf_session *session, const struct scope_perf_record *record);
bool scope_perf_session_had_young(const struct scope_perf_session *session, uint64_t since_ns);
int scope_perf_session_age(struct scope_perf_session *session);

/*
 * Call it after a record: notes a thread that the kernel's filter does not pass, or one that took a selected name.
 * known: it was traced before, or the record is no COMM.
 */
void scope_perf_session_watch_child(struct scope_perf_session *session, const struct scope_perf_record *record);
void scope_perf_session_watch_name(struct scope_perf_session *session, const struct scope_perf_record *record,
				   bool known);

/* The first function computes the coverage of all threads; the second opens the events again with it. */
int scope_perf_session_cover(struct scope_perf_session *session);
int scope_perf_session_cover_again(struct scope_perf_session *session);

#endif
