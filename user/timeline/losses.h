/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps when events were lost, and how many events came, to know how much of any part of a trace is
 * missing.
 *
 * Memory is bounded for every trace. SCOPE_LOSSES_MAX stretches of losses are kept; if there are
 * more, the two that grow least by it are merged. So a loss may seem longer than it was, but is
 * never omitted or smaller. The number of events is noted at SCOPE_LOSSES_MARKS regular times at
 * most, whose step doubles as the trace goes on.
 */
#ifndef SCOPE_TIMELINE_LOSSES_H
#define SCOPE_TIMELINE_LOSSES_H

#include <stdbool.h>
#include <stdint.h>

#define SCOPE_LOSSES_MAX 256
#define SCOPE_LOSSES_MARKS 1024 /* even */

/* Events that some CPU lost between two times: ns, by the clock of the trace. */
struct scope_loss {
	uint64_t from_ns, until_ns;
	uint64_t count; /* that are known of */
	bool unknown;	/* there may be more */
};

/* Zeroed at first. Read all but next_ns through the functions below. */
struct scope_losses {
	struct scope_loss loss[SCOPE_LOSSES_MAX]; /* by from_ns */
	unsigned losses;
	uint64_t begin_ns, step_ns, next_ns;
	uint64_t came[SCOPE_LOSSES_MARKS]; /* events before begin_ns + i * step_ns */
	unsigned marks;
	uint64_t end_ns, all; /* set by scope_timeline_losses_end() */
};

void scope_timeline_losses_add(struct scope_losses *losses, const struct scope_loss *loss);
/* Call it when next_ns has come: this many events came before now. */
void scope_timeline_losses_mark(struct scope_losses *losses, uint64_t now_ns, uint64_t events);
/* The last event came at end, and `events` is the number of all events. */
void scope_timeline_losses_end(struct scope_losses *losses, uint64_t end_ns, uint64_t events);

/*
 * The events missing between the two times, both ends included: all of each loss that touches this
 * time, though some of it may have been outside. ret_came: events that came in this time,
 * interpolated between two marks.
 */
struct scope_loss scope_timeline_losses_within(const struct scope_losses *losses, uint64_t from_ns, uint64_t until_ns,
					       double *ret_came);

#endif
