/* SPDX-License-Identifier: GPL-2.0-only */
/* One run through events that finds the units in them. It keeps none: see unit/units.h. */
#ifndef SCOPE_UNIT_RUN_H
#define SCOPE_UNIT_RUN_H

#include "timeline/listeners.h"
#include "unit/retry.h"
#include "unit/spin.h"
#include "unit/unit.h"

/* What a thread was doing when the window ended. */
struct scope_unit_thread {
	bool many;		  /* took requests from more than one client */
	bool tasked;		  /* its process has tasks, which go on in any of its threads */
	bool owes;		  /* in a request unit, and that client has no answer yet */
	uint64_t usual_futex;	  /* address where most of its futex sleeps were; 0: none */
	uint64_t idle_ns;	  /* in pick-ups, waiting for work */
	uint64_t last_call_ns;	  /* last return of a call that was its own; 0: it made none */
	uint32_t signals;	  /* whose handlers have interrupted it since, with other calls (unit/handlers.h) */
	struct scope_spin spin;	  /* the longest made of calls */
	struct scope_retry retry; /* at the end of the window */
	uint64_t quiet_run_ns,
		quiet_asleep_ns; /* since then: on a CPU; asleep, outside calls or in one it did not leave */
};

/* Requests that event loops had taken and not answered as the window ended, a second or more after they came. */
#define SCOPE_UNANSWERED_KEPT 64 /* no rule: as many are kept */
struct scope_unanswered {
	uint32_t requests;
	uint64_t first_ns; /* when the first of them came; 0: there is none */
	struct scope_unanswered_request {
		uint32_t tgid;
		uint64_t came_ns;
	} kept[SCOPE_UNANSWERED_KEPT]; /* the first ones that were found */
};

struct scope_unit_run {
	const struct scope_groups *groups;   /* the caller's */
	struct scope_histograms *histograms; /* of the units that it reports */
	struct scope_timeline *timeline;
	struct scope_unit_thread *thread; /* by index; set by end, as the next two are complete then */
	size_t threads;
	struct scope_unanswered unanswered;
	uint64_t discarded;		    /* units cut by a loss */
	uint64_t stacks;		    /* in the trace, of any kind */
	struct scope_unit_builder *builder; /* until end */
};

/* What a run reads and uses. All of it must outlive the run. */
struct scope_unit_source {
	const struct scope_trace *trace; /* that events are taken from */
	const struct scope_groups *groups;
	const struct scope_pickups *pickups;
	const struct scope_listeners *listeners; /* NULL: none */
};

/* The sink is copied. 0 or -errno; the caller destroys. */
int scope_unit_run_create(const struct scope_unit_source *source, const struct scope_unit_sink *sink,
			  struct scope_unit_run **ret_run);
/* From now on events also go to the learner, which shares run->timeline. */
void scope_unit_run_learn(struct scope_unit_run *run, struct scope_learner *learner);
/* Passes every unit of the events to the sink, the last ones by end. */
int scope_unit_run_feed(struct scope_unit_run *run, const struct scope_event *const *event, size_t count);
int scope_unit_run_end(struct scope_unit_run *run);
void scope_unit_run_destroy(struct scope_unit_run *run); /* NULL is fine */

#endif
