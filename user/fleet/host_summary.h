/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The summary of one window of one host: requests by kind and second, and the findings of its analysis.
 *
 *   kind      a thread group and a kind of request; a second has a row for each kind that ended in it
 *   function  a function of a file, which has a build-id
 *   excess    how much of a second's excess a function has
 *   finding   a function that the analysis names
 *   link      requests and answers on the connections between two addresses, seen from one side
 *   exchange  one of them, by which clocks are compared
 *
 * Times of rows are seconds since 1970 by the host's clock, each the begin of step_s seconds. Sums are in us. Texts are numbers
 * of `names`.
 */
#ifndef SCOPE_FLEET_HOST_SUMMARY_H
#define SCOPE_FLEET_HOST_SUMMARY_H

#include "fleet/coarse.h"
#include "fleet/texts.h"
#include "timeline/class.h"

#define SCOPE_FLEET_LABELS_MAX 16		    /* no rule */
#define SCOPE_FLEET_STATES (2 + SCOPE_WAIT_CLASSES) /* no rule: running, in the run queue, asleep by class */

struct scope_fleet_label {
	uint32_t key, value;
};

struct scope_fleet_kind {
	uint32_t group; /* name of the threads */
	uint32_t calls; /* of most of its units: names in the order of their numbers, blanks between; "": several kinds */
	uint32_t request; /* 1: requests; 0: rounds of threads that pick up no work */
};

struct scope_fleet_function {
	uint32_t name, module, build_id;
	uint32_t outside; /* 1: it waits for something slow outside the program */
};

struct scope_fleet_second {
	uint32_t kind;
	uint64_t at_s;
	uint64_t units, slow; /* that ended; of them, abnormal */
	uint64_t excess_us;   /* of the abnormal, over what is usual */
	uint64_t state_us[SCOPE_FLEET_STATES];
	struct scope_fleet_coarse wall; /* ns */
};

struct scope_fleet_excess {
	uint32_t kind, function;
	uint64_t at_s;
	uint64_t excess_us;
};

#define SCOPE_FLEET_NO_FUNCTION UINT32_MAX

struct scope_fleet_finding {
	uint32_t function; /* SCOPE_FLEET_NO_FUNCTION: a hang without a usable stack */
	uint32_t kind;	   /* of scope_rank_kind_name[], a text */
	uint32_t confidence;
	uint32_t group;
	uint32_t stuck; /* 1: a hang or a spin */
	uint32_t threads;
	uint64_t share_ppm, units;
	uint64_t excess_us; /* of the analysis that found it, which may be of more than this summary's seconds */
	uint64_t usual_us, p50_us, p99_us;
	uint64_t since_us, last_us; /* since 1970 */
	uint32_t from_begin;	    /* 1: it was there as the recording began, so it may have begun before */
};

#define SCOPE_FLEET_LINKS 16	 /* no rule: others are one link of their side */
#define SCOPE_FLEET_EXCHANGES 96 /* no rule: of all links */

/* Only a client's connection has a port, so a link has all connections of one client to one server. */
struct scope_fleet_link {
	uint32_t answers; /* 1: the host takes the requests; 0: it sends them */
	uint32_t client,
		server; /* "10.0.0.1", "10.0.0.5:5432"; both "": connections with unknown ends, and all others */
	uint64_t connections, exchanges;
	uint64_t mixed;			/* exchanges in which a second thread sent before the answer came */
	struct scope_fleet_coarse wall; /* ns from the begin of the request to the end of the answer */
};

struct scope_fleet_exchange {
	uint32_t link, port; /* of the client */
	uint64_t at_us;	     /* asks: not later than the request was sent; answers: not earlier than it came */
	uint64_t took_us; /* until the answer came, or was sent. asks: not shorter than in truth; answers: not longer */
};

struct scope_fleet_summary {
	uint64_t capture[2]; /* the same for all summaries of one capture, and different from that of any other one */
	uint64_t number;     /* of this summary in its capture */
	uint64_t pid;
	uint64_t from_us, to_us; /* what it covers, since 1970 */
	uint64_t step_s;
	uint64_t events, lost;
	uint64_t requests, slow; /* of the analysis */
	uint32_t host, program, build_id;
	uint32_t version, kernel, source; /* of Scope, of Linux, how it was recorded */
	uint32_t verdict, reason;

	struct scope_fleet_names names;
	struct scope_fleet_label label[SCOPE_FLEET_LABELS_MAX];
	size_t labels;
	struct scope_fleet_kind *kind;
	size_t kinds, kind_capacity;
	struct scope_fleet_function *function;
	size_t functions, function_capacity;
	struct scope_fleet_second *second; /* by time, then kind */
	size_t seconds, second_capacity;
	struct scope_fleet_excess *excess; /* by time, then kind, then function */
	size_t excesses, excess_capacity;
	struct scope_fleet_finding *finding; /* in their order */
	size_t findings, finding_capacity;
	struct scope_fleet_link *link; /* those who ask first, by addresses */
	size_t links, link_capacity;
	struct scope_fleet_exchange *exchange; /* by link, then time */
	size_t exchanges, exchange_capacity;
};

/* "run", "run queue", or the class of a sleep. */
const char *scope_fleet_state_name(unsigned state);

/* The text of one of its numbers. */
static inline const char *scope_fleet_text(const struct scope_fleet_summary *summary, uint32_t number)
{
	return scope_fleet_names_get(&summary->names, number);
}

/* Sorts the rows of excess, and merges those of one second, kind and function. */
void scope_fleet_summary_merge_excesses(struct scope_fleet_summary *summary);
/* Doubles step_s and merges rows that fall together; keeps half of the exchanges. 0 or -ENOMEM, then it cannot be used. */
int scope_fleet_summary_halve(struct scope_fleet_summary *summary);
void scope_fleet_summary_destroy(struct scope_fleet_summary *summary); /* frees it, too; NULL is fine */

#endif
