/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data of a unit in addition to its edges: calls of probed functions, and keys.
 *
 * The end of a unit is known only later, as with edges. So the last calls and keys of a thread are kept until then.
 */
#ifndef SCOPE_VARIANCE_EXTRAS_H
#define SCOPE_VARIANCE_EXTRAS_H

#include "variance/edge_pass.h"

#define SCOPE_EXTRAS_HELD 128 /* no rule: of a thread; with more, the earliest ones count at once */

struct scope_extra {
	uint64_t begin_ns, end_ns;
	uint64_t queued_ns, before_ns;
	double value;	/* of a key */
	uint8_t number; /* of the span or key */
	bool key;
};

/* Of one thread. Begin with scope_variance_extras_begin(). */
struct scope_extras {
	struct scope_unit_extras unit;
	struct scope_extra held[SCOPE_EXTRAS_HELD];
	uint32_t count;
	uint32_t open; /* spans, a bit each */
	struct {
		uint64_t begin_ns, queue_ns, before_ns;
	} at[SCOPE_UNIT_SPANS];
};

/* Another unit begins. Calls that are open stay open. */
void scope_variance_extras_begin(struct scope_extras *extras);
/* Events are missing: which calls are open is not known. */
void scope_variance_extras_lost(struct scope_extras *extras);

/* queue_ns: the time that the thread has waited for a CPU so far. before_ns: since the last trace point. */
void scope_variance_extras_enter(struct scope_extras *extras, uint8_t span, uint64_t now_ns, uint64_t queue_ns,
				 uint64_t before_ns);
void scope_variance_extras_leave(struct scope_extras *extras, uint8_t span, uint64_t now_ns, uint64_t queue_ns);
void scope_variance_extras_key(struct scope_extras *extras, uint8_t key, uint64_t now_ns, double value);

/* The unit has ended: its extras are valid until the next call of another function. */
const struct scope_unit_extras *scope_variance_extras_of(struct scope_extras *extras, uint64_t begin_ns,
							 uint64_t end_ns);

#endif
