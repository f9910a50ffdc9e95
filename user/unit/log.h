/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log of the units, sleeps and stacks of one run through a trace, to replay them without the
 * trace.
 *
 * Units and sleeps take about 30 bytes each; of a stack only its place in the file is kept. Data
 * that does not fit into memory goes to a temporary file (base/spool.h).
 */
#ifndef SCOPE_UNIT_LOG_H
#define SCOPE_UNIT_LOG_H

#include "base/spool.h"
#include "unit/unit.h"

struct scope_unit_log;

/* A place between rows of units and sleeps; zeroed: the start. */
struct scope_log_place {
	struct scope_spool_place row;
	uint64_t end_ns; /* of the row before it */
};

/* A stack as it was reported, and its place in the file. */
struct scope_logged_stack {
	struct scope_unit_stack stack;
	struct scope_trace_place place;
	uint64_t time_ns;
	uint32_t tgid;
	uint32_t bytes;
	uint16_t ips, regs;
	uint8_t reason; /* enum scope_stack_reason */
	uint8_t flags;
	uint8_t ended;	   /* SCOPE_FRAMES_* if the capture unwound it, else 0 */
	uint8_t waited_s;  /* SCOPE_STACK_TASKS: for how long the first of them has; 0: none for 1 s */
	uint32_t tasks;	   /* SCOPE_STACK_TASKS: how many wait there; else 0 */
	uint64_t since_ns; /* SCOPE_STACK_SNAPSHOT, _TASKS: the time that it represents; else 0 */
};

/* True if the thread ran as the stack was taken. */
static inline bool scope_unit_logged_ran(const struct scope_logged_stack *logged)
{
	return logged->reason == SCOPE_STACK_SAMPLE ||
	       (logged->reason == SCOPE_STACK_SNAPSHOT && !logged->stack.slept_ns && !logged->stack.stopped_stack);
}

/* The time that the stack of a thread that ran represents. */
uint64_t scope_unit_logged_run_ns(const struct scope_trace *trace, const struct scope_logged_stack *logged);

/* What is logged of a stack; the event is the last one of the trace. */
struct scope_logged_stack scope_unit_logged_stack(const struct scope_unit_stack *stack, const struct scope_trace *trace,
						  const struct scope_event *event, uint32_t tgid);

/* The registers of the last STATE record of a thread; regs 0: none. */
struct scope_logged_state {
	uint16_t regs;
	uint64_t reg[SCOPE_REG_MAX];
};

struct scope_histograms;

/* histograms: those of the units; they must outlive the log. 0 or -ENOMEM. */
int scope_unit_log_create(const struct scope_histograms *histograms, struct scope_unit_log **ret_log);
void scope_unit_log_destroy(struct scope_unit_log *log); /* NULL is fine */

/* Each notes one; 0 or -ENOMEM. unit->vector and unit->histogram are set. The event is the last one of the trace. */
int scope_unit_log_unit(struct scope_unit_log *log, const struct scope_unit *unit, const struct scope_unit_call *call);
int scope_unit_log_wait(struct scope_unit_log *log, const struct scope_wait *wait);
int scope_unit_log_stack(struct scope_unit_log *log, const struct scope_unit_stack *stack,
			 const struct scope_trace *trace, const struct scope_event *event, uint32_t tgid);
int scope_unit_log_snapshot(struct scope_unit_log *log, const struct scope_logged_stack *snapshot);
int scope_unit_log_state(struct scope_unit_log *log, uint32_t thread, const struct scope_event *event);
int scope_unit_log_late(struct scope_unit_log *log, uint32_t thread, const struct scope_late_wait *wait);

/* A place before which all units and sleeps ended before that time. */
struct scope_log_place scope_unit_log_find(const struct scope_unit_log *log, uint64_t from_ns);
/* After all rows so far. */
struct scope_log_place scope_unit_log_end(const struct scope_unit_log *log);

/*
 * Gives units, and sleeps if the sink wants them, in their order, from place to place. They have what became known of them later
 * (unit/late.h): a slice that timed out has the waker of its whole wait, a poll for one peer is of SCOPE_WAIT_NETWORK,
 * and its object is the descriptor. The groups are those of the run. 0, -errno, or what the sink returned.
 */
int scope_unit_log_replay(struct scope_unit_log *log, const struct scope_groups *groups,
			  const struct scope_log_place *from, const struct scope_log_place *until,
			  const struct scope_unit_sink *sink);

/* Where tasks waited (SCOPE_STACK_TASKS), in order of time. thread: the first one of their process. */
int scope_unit_log_tasks(struct scope_unit_log *log, int (*each)(void *user, const struct scope_logged_stack *stack),
			 void *user);

/* The same for all other stacks. */
int scope_unit_log_stacks(struct scope_unit_log *log, int (*each)(void *user, const struct scope_logged_stack *stack),
			  void *user);

/*
 * Fetches the stack from the trace into an event, of which flags and stack are set; it points into the trace, as
 * scope_trace_stack_at() says. 0 or -errno.
 */
int scope_unit_log_stack_at(struct scope_trace *trace, const struct scope_logged_stack *logged,
			    struct scope_event *ret_event);

/* The registers of the thread's last STATE record; NULL if it had none. */
const struct scope_logged_state *scope_unit_log_state_of(const struct scope_unit_log *log, uint32_t thread);

#endif
