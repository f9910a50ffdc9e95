/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The sums over all hosts, from which a report is made.
 *
 *   member    a program on a host, with all of its processes
 *   group     threads of one name of a member, and their requests
 *   blame     a function on a member
 *   link      requests between two addresses, as one member saw them
 *   exchange  one of them
 *
 * An engine (fleet/database.h, fleet/clickhouse.h) fills them by its own queries. Texts belong to `names`.
 */
#ifndef SCOPE_FLEET_FACTS_H
#define SCOPE_FLEET_FACTS_H

#include <stdbool.h>

#include "fleet/host_summary.h"

struct scope_fleet_member {
	uint32_t host, program, build_id; /* build_id: that of its latest summary, as are the next three */
	uint32_t kernel, verdict, reason;
	struct scope_fleet_label label[SCOPE_FLEET_LABELS_MAX];
	size_t labels;
	uint64_t from_us, to_us; /* by its clock */
	uint64_t missing;	 /* summaries that are missing between the first and the last one of its captures */
	uint64_t summaries, builds, lost, units, requests, slow, excess_us;
	uint64_t busy_us; /* of requests; of rounds where there are none */
};

struct scope_fleet_group_facts {
	uint32_t member, group;
	uint64_t units, slow, excess_us;
	uint64_t state_us[SCOPE_FLEET_STATES];
	struct scope_fleet_coarse wall; /* of requests, ns */
};

struct scope_fleet_blame_facts {
	uint32_t member, name, module, build_id;
	bool outside, stuck;
	bool found; /* its analysis named it; else only its excess is known */
	bool from_begin;
	uint32_t kind, confidence, group; /* of the finding with most excess; 0: none */
	uint64_t excess_us;		  /* by second, so that no second counts twice */
	uint64_t threads, units, usual_us, p50_us, p99_us;
	uint64_t since_us, last_us; /* of all its findings; 0: none */
};

struct scope_fleet_link_facts {
	uint32_t member;
	bool answers;
	uint32_t client, server; /* as of struct scope_fleet_link */
	uint64_t connections, exchanges, mixed;
	struct scope_fleet_coarse wall; /* ns */
};

#define SCOPE_FLEET_LINK_EXCHANGES 128 /* no rule: those of a link that a report looks at, the longest */

struct scope_fleet_exchange_facts {
	uint32_t member;
	bool answers;
	uint32_t client, server;
	uint64_t port, at_us, took_us;
};

struct scope_fleet_facts {
	struct scope_fleet_names names;
	struct scope_fleet_member *member; /* by program, then host */
	size_t members, member_capacity;
	struct scope_fleet_group_facts *group; /* by member, then name */
	size_t groups, group_capacity;
	struct scope_fleet_blame_facts *blame; /* by function, then member */
	size_t blames, blame_capacity;
	struct scope_fleet_link_facts *link; /* by member, then addresses */
	size_t links, link_capacity;
	struct scope_fleet_exchange_facts *exchange; /* the same, then the longest first */
	size_t exchanges, exchange_capacity;
};

static inline const char *scope_fleet_facts_text(const struct scope_fleet_facts *facts, uint32_t number)
{
	return scope_fleet_names_get(&facts->names, number);
}

/* The number of the member; UINT32_MAX: there is none. */
uint32_t scope_fleet_facts_member(const struct scope_fleet_facts *facts, const char *host, const char *program);
/* Each adds a zeroed row at the end. NULL: no memory. */
struct scope_fleet_member *scope_fleet_facts_add_member(struct scope_fleet_facts *facts);
struct scope_fleet_group_facts *scope_fleet_facts_add_group(struct scope_fleet_facts *facts);
struct scope_fleet_blame_facts *scope_fleet_facts_add_blame(struct scope_fleet_facts *facts);
struct scope_fleet_link_facts *scope_fleet_facts_add_link(struct scope_fleet_facts *facts);
struct scope_fleet_exchange_facts *scope_fleet_facts_add_exchange(struct scope_fleet_facts *facts);
/* Merges the rows of one function on one member: each field comes from the rows that have it. Orders all rows. */
void scope_fleet_facts_merge(struct scope_fleet_facts *facts);
void scope_fleet_facts_destroy(struct scope_fleet_facts *facts); /* frees it, too; NULL is fine */

#endif
