/* SPDX-License-Identifier: GPL-2.0-only */
/* Open the events of every CPU, with one ring for each. */
#ifndef SCOPE_PERF_EVENTS_H
#define SCOPE_PERF_EVENTS_H

#include "base/error.h"
#include "perf/coverage.h"
#include "perf/parse.h"
#include "perf/ring.h"
#include "source/request.h"

/* Losses are reported by the next record for which there is room. There is a record at least this often. */
#define SCOPE_PERF_LIFE_NS 10000000u

#define SCOPE_PERF_GENERATIONS 4

/* One event of one CPU. */
struct scope_perf_event {
	struct scope_perf_id id;
	int fd;
};

/*
 * One ring. Every CPU has one for events and one for stacks, which are large and must not take the room of events. It
 * has two more for young threads, many of which may not be the target's.
 */
struct scope_perf_cpu {
	uint32_t cpu;
	bool stacks; /* only stacks can be lost there */
	enum scope_perf_age age;
	int owner; /* descriptor of the event that the ring belongs to */
	struct scope_perf_ring ring;
	const uint8_t *next; /* its next record, next_bytes long, as peeked at */
	size_t next_bytes;
	struct scope_perf_event event[SCOPE_PERF_KINDS];
	size_t events;
	/* Identifiers of the present events, then of the previous events, whose records may still be in the ring. */
	struct scope_perf_id id[SCOPE_PERF_GENERATIONS * SCOPE_PERF_KINDS];
	size_t ids;
	uint32_t seen;	       /* a bit for each kind whose present event has given a record */
	uint64_t last_ns;      /* time of the last record read */
	uint64_t blocks;       /* stacks of sleeping threads that the ring gave since the last thinning */
	uint64_t blocks_every; /* such a stack is taken at every n-th sleep */
};

struct scope_perf_uprobe;
struct scope_perf_closing;

struct scope_perf_events {
	struct scope_perf_layout layout;
	uint32_t tracepoint[SCOPE_PERF_KINDS];
	struct scope_perf_cpu *cpu;	  /* a ring of the young follows that of the known */
	size_t cpus;			  /* rings */
	int epoll;			  /* readable when a ring is a quarter full */
	uint32_t sample_cost_ns;	  /* for how long a sample delays a thread; 0: not known */
	struct scope_perf_uprobe *uprobe; /* probes that are set, of all CPUs (uprobe.c) */
	size_t uprobes, uprobe_room;
	struct scope_perf_closing *closing; /* those of probes that were removed (closing.h) */
	uint32_t uprobe_cost_ns;	    /* for how long a hit delays a thread; 0: not measured yet */
	uint64_t uprobe_asked_ns;
	char note[512]; /* a sentence that says what is less than requested, and why; or "" */
};

/*
 * Opens all events, disabled, for the threads that pass the coverage. 0, or -errno with the remedy. Call
 * scope_perf_events_close() in either case.
 */
int scope_perf_events_open(struct scope_perf_events *events, const struct scope_capture_options *options,
			   const struct scope_perf_coverage *cover, struct scope_error *error);

/* The struct may be zeroed, or half open. */
void scope_perf_events_close(struct scope_perf_events *events);

void scope_perf_events_enable(struct scope_perf_events *events, bool on);

/*
 * Call it repeatedly, elapsed_ns after the last call. A CPU that copied too many stacks of threads that go to sleep
 * copies stacks at fewer sleeps from here on; a CPU that copied few does it at all sleeps again. Too many are 20 times
 * as many as are to be written (options), but 2,000 to 10,000 a second.
 */
void scope_perf_events_limit_stacks(struct scope_perf_events *events, const struct scope_capture_options *options,
				    uint64_t elapsed_ns);

/* Sets the period of samples from now on. */
void scope_perf_events_period(struct scope_perf_events *events, uint64_t period_ns);

/*
 * Replaces the events by those of another coverage, because the kernel takes no second filter for an event. The new
 * events are enabled before the old ones are closed, so nothing is lost; scope_perf_events_is_duplicate() finds
 * records that both give. If the new ones cannot be opened, the old ones stay.
 */
int scope_perf_events_recover(struct scope_perf_events *events, const struct scope_capture_options *options,
			      const struct scope_perf_coverage *cover, struct scope_error *error);

/* Like recover, but only for the events that take stacks, after options got another length for stacks. */
int scope_perf_events_resize_stacks(struct scope_perf_events *events, const struct scope_capture_options *options,
				    const struct scope_perf_coverage *cover, struct scope_error *error);

/*
 * True if the event that replaced this record's event has given the same record already. Call it for each record of
 * kind EVENT, in order of time: a new event gives its record before the old one, because the kernel inserts it first
 * (perf_trace_add()). cover: the present coverage, which may know threads that were young before.
 */
bool scope_perf_events_is_duplicate(struct scope_perf_cpu *cpu, const struct scope_perf_coverage *cover,
				    const struct scope_perf_record *record);

/* Notes that a record with that id came, as is_duplicate() does. */
static inline void scope_perf_events_note_seen(struct scope_perf_cpu *cpu, size_t id_at)
{
	if (id_at < cpu->events)
		cpu->seen |= 1u << cpu->id[id_at].kind;
}

/* Checks that events can be opened. 0, or -errno with the remedy. */
int scope_perf_events_check(struct scope_error *error);

#endif
