/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One ranked list over all hosts: which function, on which of them, and what these have in common.
 *
 * A function is listed if the analysis of at least one host named it. It is on a host where that analysis named it, or where it has
 * SCOPE_FLEET_LESS of the share of busy time that it has, in the median, on the hosts that named it: the analysis of
 * a host with few requests may be short of evidence. Hosts are compared with those that run the same programs.
 *
 * What hosts have in common (a build, a kernel, a label) is named where nearly all of those with the function have it and few
 * others, and where chance alone would do this less than once in SCOPE_FLEET_CHANCE (Fisher's exact test, divided by the
 * number of properties that were looked at).
 */
#ifndef SCOPE_FLEET_RANKING_H
#define SCOPE_FLEET_RANKING_H

#include "fleet/links.h"

#define SCOPE_FLEET_LESS 0.25
#define SCOPE_FLEET_CHANCE 0.01

enum scope_fleet_spread {
	SCOPE_FLEET_ONLY,     /* there is one host */
	SCOPE_FLEET_ALL,      /* all hosts, or nearly all */
	SCOPE_FLEET_ONE,      /* one of several */
	SCOPE_FLEET_PROPERTY, /* those that have a property in common */
	SCOPE_FLEET_SOME,     /* several, which have nothing in common that is known */
	SCOPE_FLEET_SPREADS,
};

extern const char *const scope_fleet_spread_name[]; /* as JSON has them */

/* A function over all hosts. */
struct scope_fleet_rank {
	uint32_t name, module; /* texts of the facts; name 0: a hang without a usable stack */
	bool stuck, outside;
	uint32_t kind, confidence; /* of the host with most excess; the highest of all hosts */
	uint64_t excess_us, units, threads;
	double share;	    /* of the excess inside programs, of all hosts */
	uint64_t since_us;  /* the first of all hosts, by their clocks; 0: not known */
	bool from_begin;    /* on that host it was there as the recording began */
	size_t first_blame; /* of the facts, as many as `blames` */
	size_t blames;
	uint32_t *host; /* members that it is on, most excess first */
	size_t hosts;
	size_t compared; /* members that run the same programs */
	enum scope_fleet_spread spread;
	double least, most; /* its excess by busy time, on hosts that it is on */
	/*
	 * PROPERTY: "build", "kernel", or the key of a label, and the value. SOME: what they share, which may be
	 * chance.
	 */
	const char *property;
	const char *value; /* NULL: nothing in common */
	size_t have;	   /* members compared that have it */
};

/* Requests of a group that take longer, or shorter, on a host than on the others. */
struct scope_fleet_outlier {
	uint32_t member, group;
	double quantile;     /* 0.5 or 0.99 */
	double ns, usual_ns; /* the median of all members' */
	size_t compared;
	uint64_t units;
};

struct scope_fleet_ranking {
	const struct scope_fleet_facts *facts;
	struct scope_fleet_rank
		*rank; /* inside programs first: stuck functions, then by excess; then functions that wait for others */
	size_t ranks;
	struct scope_fleet_outlier *outlier; /* by how many times longer */
	size_t outliers;
	uint64_t excess_us;  /* inside programs, without what clients lost by the excess of a server */
	uint64_t outside_us; /* of functions that wait for something slow outside */
	uint64_t units, requests, slow, lost, missing;
	size_t hosts, programs;
	uint64_t from_us, to_us; /* of all, by their clocks */
	/* A member whose times do not overlap with those of most others; UINT32_MAX: there is none. */
	uint32_t apart;
	size_t aparts;
	int64_t apart_us; /* its middle less that of most */
	struct scope_fleet_links *links;
};

/* The facts must outlive the result. 0 or -ENOMEM. */
int scope_fleet_rank_run(const struct scope_fleet_facts *facts, struct scope_fleet_ranking **ret_ranking);
void scope_fleet_ranking_destroy(struct scope_fleet_ranking *ranking); /* NULL is fine */

#endif
