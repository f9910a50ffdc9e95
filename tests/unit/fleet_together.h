/* SPDX-License-Identifier: GPL-2.0-only */
/* Summaries of several hosts in a database, and the ranking over them: for tests by cmocka, which include that first. */
#ifndef SCOPE_TESTS_FLEET_TOGETHER_H
#define SCOPE_TESTS_FLEET_TOGETHER_H

#include "fleet/database.h"
#include "fleet/ranking.h"
#include "fleet_hosts.h"

struct fleet {
	struct scope_fleet_store *store;
	struct scope_fleet_facts *facts;
	struct scope_fleet_ranking *ranking;
	uint64_t added, twice, overlapping;
};

static inline struct fleet begin(void)
{
	struct fleet fleet = { .store = NULL };

	assert_int_equal(scope_fleet_store_open(NULL, NULL, &fleet.store), 0);
	return fleet;
}

/* Takes the summary. */
static inline void add_summary(struct fleet *fleet, struct scope_fleet_summary *summary)
{
	enum scope_fleet_added added;

	assert_int_equal(scope_fleet_store_add(fleet->store, summary, NULL, &added), 0);
	fleet->added += added == SCOPE_FLEET_ADDED;
	fleet->twice += added == SCOPE_FLEET_TWICE;
	fleet->overlapping += added == SCOPE_FLEET_OVERLAP;
	scope_fleet_summary_destroy(summary);
}

static inline void add(struct fleet *fleet, struct fleet_host host)
{
	add_summary(fleet, fleet_summary(&host));
}

static inline void judge(struct fleet *fleet, uint64_t since_s)
{
	assert_int_equal(scope_fleet_store_facts(fleet->store, since_s, NULL, &fleet->facts), 0);
	assert_int_equal(scope_fleet_rank_run(fleet->facts, &fleet->ranking), 0);
}

static inline void end(struct fleet *fleet)
{
	scope_fleet_ranking_destroy(fleet->ranking);
	scope_fleet_facts_destroy(fleet->facts);
	scope_fleet_store_close(fleet->store);
}

static inline const char *text(const struct fleet *fleet, uint32_t number)
{
	return scope_fleet_facts_text(fleet->facts, number);
}

static inline const char *host_name(const struct fleet *fleet, uint32_t member)
{
	return text(fleet, fleet->facts->member[member].host);
}

#endif
