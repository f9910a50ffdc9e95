/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What was lost when, and how many events came meanwhile: how much is missing of any part of a trace.
 *
 * Memory is bounded, whatever the trace. Of losses SCOPE_LOSSES_MAX stretches of time are told apart, and
 * beyond that two are put together that grow least by it: a loss may seem to have lasted longer than it
 * did, never to have been elsewhere or less. How many events had come is marked at SCOPE_LOSSES_MARKS
 * regular times at most, whose steps double as the trace goes on.
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

/* Zeroed at first. To be read through the functions below, but for next_ns. */
struct scope_losses {
	struct scope_loss loss[SCOPE_LOSSES_MAX]; /* by from_ns */
	unsigned losses;
	uint64_t begin_ns, step_ns, next_ns;
	uint64_t came[SCOPE_LOSSES_MARKS]; /* events before begin_ns + i * step_ns */
	unsigned marks;
	uint64_t end_ns, all; /* set by scope_timeline_losses_end() */
};

void scope_timeline_losses_add(struct scope_losses *losses, const struct scope_loss *loss);
/* To be called when next_ns has come: so many events came before now. */
void scope_timeline_losses_mark(struct scope_losses *losses, uint64_t now_ns, uint64_t events);
/* The last event came at end, and all of them were so many. */
void scope_timeline_losses_end(struct scope_losses *losses, uint64_t end_ns, uint64_t events);

/*
 * What is missing of the time between, both ends included: all of each loss that touches it, though some of
 * it may have been outside. ret_came: events that came meanwhile, between two marks in proportion to time.
 */
struct scope_loss scope_timeline_losses_within(const struct scope_losses *losses, uint64_t from_ns, uint64_t until_ns,
					       double *ret_came);

#endif
