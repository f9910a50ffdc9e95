/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions over all units of a trace by group and vector, without keeping any unit.
 *
 * Memory is bounded by distinct vectors and their calls, and does not depend on the number of units. What units with
 * one call histogram (unit/histogram.h) have in common is added up at the end.
 */
#ifndef SCOPE_UNIT_DISTRIBUTION_H
#define SCOPE_UNIT_DISTRIBUTION_H

#include "base/sketch.h"
#include "unit/log.h"
#include "unit/run.h"

/* How often units of one vector made one call; those that did not make it are left out. */
struct scope_distributions_call {
	uint16_t nr;
	struct scope_sketch count; /* of all units, after the end of the run */
};

#define SCOPE_DISTRIBUTIONS_CONNECTIONS                                                                                \
	2048 /* no rule: the first ones, for which the units of each connection are known */

/* The units of one group that have one vector. */
struct scope_distributions_row {
	uint64_t units;
	uint64_t asked;		   /* of them: took a client's request */
	uint64_t first;		   /* of them: are for the first request of a connection */
	uint64_t connection_units; /* of them: of the first SCOPE_DISTRIBUTIONS_CONNECTIONS connections … */
	uint64_t connection[SCOPE_DISTRIBUTIONS_CONNECTIONS / 64]; /* … which have a bit each */
	struct scope_sketch measure;				   /* ns, of closed units */
	struct scope_sketch run;				   /* ns on a CPU, of the same */
	struct scope_distributions_call *call;
	size_t calls, capacity;
};

/*
 * On a busy processor a thread waits for a time slice, 0.7 ms at least; on an idle one for its
 * wakeup, tens of microseconds.
 */
#define SCOPE_DISTRIBUTIONS_LONG_QUEUE_NS 500000

struct scope_distributions_group {
	struct scope_distributions_row *row; /* by id of the vector in the group's set */
	size_t rows, capacity;
	struct scope_sketch request_wall; /* ns, of closed request units */
	uint64_t units;
	uint64_t asked;		   /* of them: took a client's request */
	uint64_t busy_ns;	   /* on a CPU, asleep inside units, and in the run queue */
	uint64_t queue_ns;	   /* the last of these */
	uint64_t long_queue_ns;	   /* of queue_ns: in units of SCOPE_DISTRIBUTIONS_LONG_QUEUE_NS or more of it … */
	uint64_t long_queue_units; /* … the number of these units */
};

#define SCOPE_DISTRIBUTIONS_PENDING 8 /* no rule: a power of two */

/* Times of a unit that are not in their sketches yet, because these are being prefetched. */
struct scope_distributions_pending {
	uint32_t group, row;
	uint64_t measure_ns, run_ns;
};

struct scope_distributions {
	struct scope_distributions_group *group; /* as in scope_groups */
	size_t groups, group_capacity;
	/* These are of all groups together, and known after the end. */
	uint64_t units;
	uint64_t requests; /* those of clients, if a thread takes some; else work that threads pick up in other ways */
	bool asked;	   /* the former */
	double busy_ns, queue_ns, long_queue_ns;
	uint64_t long_queue_units;
	struct scope_unit_run *run;	     /* the run that found the units */
	struct scope_histograms *histograms; /* of those units: run's */
	struct scope_unit_log *log;	     /* all that it found */
	struct scope_unit_run *own_run;	     /* the same, if it created them; NULL: they belong to another */
	struct scope_unit_log *own_log;
	struct scope_distributor *distributor; /* until the end */
	uint64_t from_ns;		       /* only units and sleeps that ended then or later count */
	uint64_t until_ns;		       /* 0, or only units that ended before count */
	const bool *only;		       /* by thread: those whose units count; NULL: all */
	bool *own_only;			       /* the same, if it is freed with them; else NULL */
	uint64_t whole_begin_ns;	       /* begin of the whole timeline */
	struct scope_distributions_pending pending[SCOPE_DISTRIBUTIONS_PENDING]; /* a ring; empty after the end */
	unsigned first_pending, pendings;
};

/*
 * Call it after the end. True if the unit, which has ended, is one of those that scope_distributions.requests counts.
 */
static inline bool scope_unit_is_request(const struct scope_distributions *distributions, const struct scope_unit *unit)
{
	return unit->granularity == SCOPE_UNIT_REQUEST && !unit->open && (unit->asked || !distributions->asked);
}

/*
 * Takes events as they come; the results are complete after end. The pick-ups of a thread are
 * decided when it appears: if learner is not NULL by what it knows then, into pickups and groups.
 * listeners: NULL, or the listeners to all events. The arguments must outlive the result; trace is
 * the one that events are taken from.
 */
int scope_unit_distributions_begin(const struct scope_trace *trace, const struct scope_learner *learner,
				   struct scope_pickups *pickups, struct scope_groups *groups,
				   const struct scope_listeners *listeners,
				   struct scope_distributions **ret_distributions);
/*
 * From now on events also go to a learner, which the caller destroys before the distributions; it
 * is finished after their end. For threads without a decision when they appear one is guessed: see
 * scope_unit_pickups_guess().
 */
int scope_unit_distributions_learn(struct scope_distributions *distributions, struct scope_learner **ret_learner);
int scope_unit_distributions_feed(struct scope_distributions *distributions, const struct scope_event *const *event,
				  size_t count);
int scope_unit_distributions_end(struct scope_distributions *distributions);
/* Call it before the first event: marks accounts at this step, for scope_unit_distributions_part(). */
void scope_unit_distributions_remember(struct scope_distributions *distributions, uint64_t step_ns);
/*
 * Call it after the end, and once. Limits the distributions to units that ended from then on, and begins the
 * timeline's window there: at the first mark after that if accounts were marked, and timeline->from is that mark.
 * only: NULL, or a flag for each thread of the timeline that says if its units count; the distributions free it, even
 * after an error. How threads pick up work stays as learned from the whole trace, and sleeps are those of all
 * threads. 0 or -errno.
 */
int scope_unit_distributions_part(struct scope_distributions *distributions, const struct scope_groups *groups,
				  uint64_t from_ns, bool *only);
/* Do units of that thread count? */
static inline bool scope_unit_distributions_counts(const struct scope_distributions *distributions, uint32_t thread)
{
	return !distributions->only || distributions->only[thread];
}
/*
 * Call it after end: makes distributions of the units that ended before until_ns. The first ones
 * must outlive the result. 0 or -errno.
 */
int scope_unit_distributions_before(struct scope_distributions *distributions, const struct scope_groups *groups,
				    uint64_t until_ns, struct scope_distributions **ret_distributions);
/* Replays the log of its units, and of sleeps if it covers all units. See scope_unit_log_replay(). */
int scope_unit_distributions_replay(const struct scope_distributions *distributions, const struct scope_groups *groups,
				    const struct scope_unit_sink *sink);
/* The same from a place of the log on. */
int scope_unit_distributions_replay_from(const struct scope_distributions *distributions,
					 const struct scope_groups *groups, const struct scope_log_place *from,
					 const struct scope_unit_sink *sink);
/* One run through the trace; fills the groups' sets of vectors. The caller destroys. */
int scope_unit_distributions_run(struct scope_trace *trace, struct scope_pickups *pickups, struct scope_groups *groups,
				 const struct scope_listeners *listeners,
				 struct scope_distributions **ret_distributions);
void scope_unit_distributions_destroy(struct scope_distributions *distributions);

#endif
