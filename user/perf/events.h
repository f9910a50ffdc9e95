/* SPDX-License-Identifier: GPL-2.0-only */
/* Open the events of every CPU, with one ring for each. */
#ifndef SCOPE_PERF_EVENTS_H
#define SCOPE_PERF_EVENTS_H

#include "base/error.h"
#include "perf/coverage.h"
#include "perf/parse.h"
#include "perf/ring.h"
#include "source/request.h"

/* Losses are told by the next record that finds room: there is one after so long. */
#define SCOPE_PERF_LIFE_NS 10000000u

#define SCOPE_PERF_GENERATIONS 4

/* One event of one CPU. */
struct scope_perf_event {
	struct scope_perf_id id;
	int fd;
};

/*
 * One ring. Every CPU has one for events and one for stacks, which are large and must not take the room
 * of events; and both again for the young, of whom there may be many that are not the target's.
 */
struct scope_perf_cpu {
	uint32_t cpu;
	bool stacks; /* what is lost there are stacks alone */
	enum scope_perf_age age;
	int owner; /* descriptor of the event that the ring belongs to */
	struct scope_perf_ring ring;
	struct scope_perf_event event[SCOPE_PERF_KINDS];
	size_t events;
	/* Of present events, then of those before, whose records may be in the ring still. */
	struct scope_perf_id id[SCOPE_PERF_GENERATIONS * SCOPE_PERF_KINDS];
	size_t ids;
	uint32_t seen;	       /* kinds of which present events have told something, a bit each */
	uint64_t last_ns;      /* time of the last record read */
	uint64_t blocks;       /* stacks of sleeping threads that the ring gave since the last thinning */
	uint64_t blocks_every; /* such a stack is taken at one of so many sleeps */
};

struct scope_perf_events {
	struct scope_perf_layout layout;
	uint32_t tracepoint[SCOPE_PERF_KINDS];
	struct scope_perf_cpu *cpu; /* a ring of the young stands behind that of the known */
	size_t cpus;		    /* rings */
	int epoll;		    /* readable when a ring is a quarter full */
	uint32_t sample_cost_ns;    /* a sample holds a thread up for so long; 0: not known */
	char note[512];		    /* what is less than asked for, and why; "" */
};

/*
 * Opens all, disabled, for the threads that cover lets through. 0, or -errno with the remedy. Close
 * with scope_perf_events_close() in either case.
 */
int scope_perf_events_open(struct scope_perf_events *events, const struct scope_capture_options *options,
			   const struct scope_perf_coverage *cover, struct scope_error *error);

/* A zeroed one, or one that is half open, is fine. */
void scope_perf_events_close(struct scope_perf_events *events);

void scope_perf_events_enable(struct scope_perf_events *events, bool on);

/*
 * Called now and then, elapsed_ns after the last time: where a CPU took too many stacks of threads
 * that go to sleep, it takes them at fewer of the sleeps from here on; where few, at all again.
 */
void scope_perf_events_limit_stacks(struct scope_perf_events *events, uint64_t elapsed_ns);

/* Samples come so far apart from now on. */
void scope_perf_events_period(struct scope_perf_events *events, uint64_t period_ns);

/*
 * Puts events of another cover in the place of the present ones: the kernel takes no second filter for
 * an event. The new ones are on before the old ones go, so nothing is lost; what both tell is told apart
 * by scope_perf_events_is_duplicate(). Where they cannot be opened, the old ones stay.
 */
int scope_perf_events_recover(struct scope_perf_events *events, const struct scope_capture_options *options,
			      const struct scope_perf_coverage *cover, struct scope_error *error);

/* Also of the events that take stacks alone, where options ask for another length of them. */
int scope_perf_events_resize_stacks(struct scope_perf_events *events, const struct scope_capture_options *options,
				    const struct scope_perf_coverage *cover, struct scope_error *error);

/*
 * Was the event told already, by the event that came in the place of the one it is of? Called for each
 * record of kind EVENT, in order of time: a new event tells of a hit before an old one does, since the
 * kernel puts it in front (perf_trace_add()). cover is the present one: who was young before it may be
 * known to it.
 */
bool scope_perf_events_is_duplicate(struct scope_perf_cpu *cpu, const struct scope_perf_coverage *cover,
				    const struct scope_perf_record *record);

/* Would it work? 0, or -errno with the remedy. */
int scope_perf_events_check(struct scope_error *error);

#endif
