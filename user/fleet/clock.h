/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bounds the offset between the clocks of two hosts by exchanges that both recorded.
 *
 * A request cannot come before it was sent, nor an answer (Mills, RFC 5905, section 8, as bounds):
 *
 *   answer sent - answer came  <=  server's clock less the client's  <=  request came - request sent
 *
 * each by its own clock. It is not known beforehand which exchanges of the two sides belong together. Each pair on one
 * connection gives such bounds, unless it took longer at the server. Bounds of pairs that are one exchange agree with
 * each other, others do not. So the line (an offset and a drift) on which most pairs agree is right, if this number is
 * not likely by chance, and if no other line has nearly the same number.
 */
#ifndef SCOPE_FLEET_CLOCK_H
#define SCOPE_FLEET_CLOCK_H

#include "fleet/facts.h"

#define SCOPE_FLEET_CLOCK_MIN 4 /* exchanges, at least */
#define SCOPE_FLEET_CLOCK_DRIFT                                                                                        \
	500e-6 /* no rule: the most that clocks drift apart; the kernel slews one by as much at most */
#define SCOPE_FLEET_CLOCK_OTHER 0.7 /* share of the exchanges: what another line may have */

struct scope_fleet_clock {
	size_t exchanges;		/* that agree; 0: the offset is not known */
	int64_t least_us, most_us;	/* the server's clock less the client's, at at_us */
	uint64_t at_us;			/* by the client's clock */
	double least_drift, most_drift; /* by how much the offset grows in a second, in seconds */
};

/* Exchanges of one link by both sides. 0 or -ENOMEM. */
int scope_fleet_clock_bound(const struct scope_fleet_exchange_facts *ask, size_t asks,
			    const struct scope_fleet_exchange_facts *answer, size_t answers,
			    struct scope_fleet_clock *ret_clock);

#endif
