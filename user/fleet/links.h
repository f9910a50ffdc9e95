/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matches the waits of one host for another with that host's requests on the same connections, and propagates blame.
 *
 * A link of one side and a link of the other are the same if both addresses are. The time that a client lost on it, beyond
 * the usual, is the server's if the server's requests on the link lost as much; the rest was lost between them. The server's
 * part is attributed to the functions with excess on it, each by its share. The part of functions that wait for a host
 * themselves is propagated along the server's own links (wPerf's cascade with conserved weight: Zhou et al., OSDI 2018,
 * section 3).
 */
#ifndef SCOPE_FLEET_LINKS_H
#define SCOPE_FLEET_LINKS_H

#include "fleet/clock.h"

/* The result for a client's link. */
enum scope_fleet_matching {
	SCOPE_FLEET_MATCHED,
	SCOPE_FLEET_NO_ENDS,	/* opened while it was recorded, or beyond the number of links that a summary has */
	SCOPE_FLEET_NO_SUMMARY, /* no host has requests at that address */
	SCOPE_FLEET_TRANSLATED, /* a host has the address, but not that client: an address translation or a proxy is between */
	SCOPE_FLEET_AMBIGUOUS, /* several hosts have requests of the same two addresses */
	SCOPE_FLEET_SEVERAL,   /* several requests at once on one connection */
	SCOPE_FLEET_MATCHINGS,
};

extern const char *const scope_fleet_matching_name[]; /* as JSON has them */

/* A part of a client's excess that belongs to a function, on another host or on one for which that host waits. */
struct scope_fleet_passed {
	uint32_t blame; /* of the facts */
	double us;
};

struct scope_fleet_match {
	const struct scope_fleet_link_facts *ask, *answer; /* answer: of one member of the host; NULL: not matched */
	enum scope_fleet_matching how;
	double excess_us;  /* of the client; if it is matched the next four sum up to it */
	double passed_us;  /* to functions */
	double unnamed_us; /* to a server whose analysis names no function */
	double outside_us; /* to a server that waits for something outside that is not matched */
	double between_us; /* the server was as quick as usual: time lost in the network, or in a queue before the server */
	double usual_us, p99_us;	       /* of the client */
	double answer_usual_us, answer_p99_us; /* of the server */
	struct scope_fleet_passed *passed;     /* most first */
	size_t passes, passed_capacity;
	struct scope_fleet_clock clock;
};

struct scope_fleet_links {
	struct scope_fleet_match *match; /* most excess first */
	size_t matches;
	double excess_us[SCOPE_FLEET_MATCHINGS]; /* of clients, by how it came out */
	double *matched_us;			 /* by member: of its excess, what a server had */
};

/* The facts must outlive the result. 0 or -ENOMEM. */
int scope_fleet_links_match(const struct scope_fleet_facts *facts, struct scope_fleet_links **ret_links);
void scope_fleet_links_destroy(struct scope_fleet_links *links); /* NULL is fine */

#endif
