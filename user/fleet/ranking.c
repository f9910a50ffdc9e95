// SPDX-License-Identifier: GPL-2.0-only
/* One ranked list over all hosts. */
#include "fleet/ranking.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/outlier.h"
#include "fleet/property.h"
#include "rank/rank.h"

#define ALIKE_SHARE 0.9 /* share of the hosts compared: nearly all */

const char *const scope_fleet_spread_name[] = {
	[SCOPE_FLEET_ONLY] = "only host",    [SCOPE_FLEET_ALL] = "all alike",	[SCOPE_FLEET_ONE] = "one host",
	[SCOPE_FLEET_PROPERTY] = "property", [SCOPE_FLEET_SOME] = "some hosts",
};

/* A member that a function is on. */
struct affected {
	uint32_t member;
	uint64_t excess_us;
	bool found;
	double rate; /* excess by busy time */
};

static int by_excess(const void *left, const void *right)
{
	const struct affected *a = left, *b = right;

	if (a->excess_us != b->excess_us)
		return a->excess_us > b->excess_us ? -1 : 1;
	return (a->member > b->member) - (a->member < b->member);
}

static int by_number(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static double rate_of(const struct scope_fleet_facts *facts, uint32_t member, uint64_t excess_us)
{
	const uint64_t busy_us = facts->member[member].busy_us;

	return (double)excess_us / (double)(busy_us ? busy_us : 1);
}

/* The median of the rates of the members on which it was found. Sorts them. */
static double median_rate(const struct affected *affected, size_t count, double *room)
{
	size_t found = 0;

	for (size_t i = 0; i < count; i++)
		if (affected[i].found)
			room[found++] = affected[i].rate;
	qsort(room, found, sizeof(*room), by_number);
	return found ? room[found / 2] : 0;
}

/* Merges the entries of one member, whose builds are one. Returns the number of entries. */
static size_t gather(const struct scope_fleet_facts *facts, struct scope_fleet_rank *rank, struct affected *affected)
{
	uint32_t best = 0;
	uint64_t most_us = 0;
	size_t count = 0;

	for (size_t i = rank->first_blame; i < rank->first_blame + rank->blames; i++) {
		const struct scope_fleet_blame_facts *blame = &facts->blame[i];
		struct affected *last = count ? &affected[count - 1] : NULL;

		if (!last || last->member != blame->member) {
			affected[count] = (struct affected){ .member = blame->member };
			last = &affected[count++];
		}
		last->excess_us += blame->excess_us;
		last->found |= blame->found;
		last->rate = rate_of(facts, last->member, last->excess_us);
		if (!blame->found)
			continue;
		if (blame->excess_us >= most_us) {
			most_us = blame->excess_us;
			rank->kind = blame->kind;
		}
		/* "high", "low" and "medium" by their order in scope_rank_confidence_name[]. */
		for (uint32_t k = 0; k < SCOPE_CONFIDENCES; k++)
			if (!strcmp(scope_fleet_facts_text(facts, blame->confidence), scope_rank_confidence_name[k]) &&
			    (!rank->confidence || k >= best)) {
				best = k;
				rank->confidence = blame->confidence;
			}
		rank->units += blame->units;
		rank->threads += blame->threads;
		rank->stuck |= blame->stuck;
		if (blame->since_us && (!rank->since_us || blame->since_us < rank->since_us)) {
			rank->since_us = blame->since_us;
			rank->from_begin = blame->from_begin;
		}
	}
	return count;
}

/* Leaves those members that the function is on. */
static size_t choose(struct affected *affected, size_t count, double *room)
{
	const double least = SCOPE_FLEET_LESS * median_rate(affected, count, room);
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (affected[i].found || (least > 0 && affected[i].rate >= least))
			affected[kept++] = affected[i];
	qsort(affected, kept, sizeof(*affected), by_excess);
	return kept;
}

/* Marks the members that run a program of an affected member. Returns their number. */
static size_t mark_compared(const struct scope_fleet_facts *facts, const struct scope_fleet_rank *rank, bool *compared)
{
	size_t count = 0;

	memset(compared, 0, facts->members * sizeof(*compared));
	for (size_t i = 0; i < rank->hosts; i++)
		compared[rank->host[i]] = true;
	/* Members of a program are one after another. */
	for (size_t i = 1; i < facts->members; i++)
		if (compared[i - 1] && facts->member[i].program == facts->member[i - 1].program)
			compared[i] = true;
	for (size_t i = facts->members; i > 1; i--)
		if (compared[i - 1] && facts->member[i - 2].program == facts->member[i - 1].program)
			compared[i - 2] = true;
	for (size_t i = 0; i < facts->members; i++)
		count += compared[i];
	return count;
}

static enum scope_fleet_spread spread_of(const struct scope_fleet_facts *facts, struct scope_fleet_rank *rank,
					 const bool *compared)
{
	if (rank->compared == 1)
		return SCOPE_FLEET_ONLY;
	if ((double)rank->hosts >= ALIKE_SHARE * (double)rank->compared)
		return SCOPE_FLEET_ALL;
	if (rank->hosts == 1)
		return SCOPE_FLEET_ONE;
	return scope_fleet_property_find(facts, rank, compared) ? SCOPE_FLEET_PROPERTY : SCOPE_FLEET_SOME;
}

/* Scratch memory, by blame and by member. */
struct room {
	struct affected *affected;
	double *rate;
	bool *compared;
	double *outside_us;
};

/* *ret_listed: a host's analysis named it. */
static int judge(const struct scope_fleet_facts *facts, struct scope_fleet_rank *rank, struct room *room,
		 bool *ret_listed)
{
	size_t count = gather(facts, rank, room->affected);

	*ret_listed = rank->kind;
	if (!*ret_listed)
		return 0;
	count = choose(room->affected, count, room->rate);
	rank->host = calloc(count, sizeof(*rank->host));
	if (!rank->host)
		return -ENOMEM;
	rank->hosts = count;
	for (size_t i = 0; i < count; i++) {
		const struct affected *affected = &room->affected[i];

		rank->host[i] = affected->member;
		rank->excess_us += affected->excess_us;
		if (!i || affected->rate < rank->least)
			rank->least = affected->rate;
		if (affected->rate > rank->most)
			rank->most = affected->rate;
	}
	rank->compared = mark_compared(facts, rank, room->compared);
	rank->spread = spread_of(facts, rank, room->compared);
	return 0;
}

static bool same_function(const struct scope_fleet_blame_facts *a, const struct scope_fleet_blame_facts *b)
{
	return a->name == b->name && a->module == b->module && a->outside == b->outside;
}

static int judge_all(struct scope_fleet_ranking *ranking, struct room *room)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	int err = 0;

	for (size_t i = 0; !err && i < facts->blames;) {
		struct scope_fleet_rank *rank = &ranking->rank[ranking->ranks];
		size_t end = i + 1;
		bool listed;

		while (end < facts->blames && same_function(&facts->blame[i], &facts->blame[end]))
			end++;
		*rank = (struct scope_fleet_rank){
			.name = facts->blame[i].name,
			.module = facts->blame[i].module,
			.outside = facts->blame[i].outside,
			.first_blame = i,
			.blames = end - i,
		};
		err = judge(facts, rank, room, &listed);
		ranking->ranks += !err && listed;
		i = end;
	}
	return err;
}

static int compare_ranks(const void *left, const void *right)
{
	const struct scope_fleet_rank *a = left, *b = right;

	if (a->outside != b->outside)
		return a->outside ? 1 : -1;
	if (a->stuck != b->stuck)
		return a->stuck ? -1 : 1;
	if (a->excess_us != b->excess_us)
		return a->excess_us > b->excess_us ? -1 : 1;
	/* They came in the order of their names. */
	return (a->first_blame > b->first_blame) - (a->first_blame < b->first_blame);
}

/* Stuck threads lose time that no finished request has. outside_us: zeroed, by member. */
static void sum_up(struct scope_fleet_ranking *ranking, double *outside_us)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	uint64_t stuck_us = 0, elsewhere_us = 0;

	for (size_t i = 0; i < facts->members; i++) {
		const struct scope_fleet_member *member = &facts->member[i];

		ranking->units += member->units;
		ranking->requests += member->requests;
		ranking->slow += member->slow;
		ranking->lost += member->lost;
		ranking->missing += member->missing;
		ranking->excess_us += member->excess_us;
		ranking->programs += !i || member->program != facts->member[i - 1].program;
		if (!i || member->from_us < ranking->from_us)
			ranking->from_us = member->from_us;
		if (member->to_us > ranking->to_us)
			ranking->to_us = member->to_us;
	}
	for (size_t i = 0; i < facts->blames; i++) {
		if (facts->blame[i].outside) {
			ranking->outside_us += facts->blame[i].excess_us;
			outside_us[facts->blame[i].member] += (double)facts->blame[i].excess_us;
		}
		if (facts->blame[i].stuck)
			stuck_us += facts->blame[i].excess_us;
	}
	/*
	 * The outside time of a member may be the excess of another one: if its analysis names no function that
	 * waits, its links show it.
	 */
	for (size_t i = 0; i < facts->members; i++) {
		const double excess_us = (double)facts->member[i].excess_us;
		double us = outside_us[i] > ranking->links->matched_us[i] ? outside_us[i]
									  : ranking->links->matched_us[i];

		us = us < excess_us ? us : excess_us;
		elsewhere_us += us > 0 ? (uint64_t)us : 0;
	}
	ranking->excess_us -= elsewhere_us < ranking->excess_us ? elsewhere_us : ranking->excess_us;
	ranking->excess_us += stuck_us;
	for (size_t i = 0; i < ranking->ranks; i++) {
		struct scope_fleet_rank *rank = &ranking->rank[i];
		const uint64_t all_us = rank->outside ? ranking->outside_us : ranking->excess_us;

		rank->share = all_us ? (double)rank->excess_us / (double)all_us : 0;
		if (rank->share > 1)
			rank->share = 1;
	}
}

/* Different hosts: a host may have several programs. */
static int count_hosts(struct scope_fleet_ranking *ranking)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	bool *seen = calloc(facts->names.count + 1, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; i < facts->members; i++) {
		ranking->hosts += !seen[facts->member[i].host];
		seen[facts->member[i].host] = true;
	}
	free(seen);
	return 0;
}

int scope_fleet_rank_run(const struct scope_fleet_facts *facts, struct scope_fleet_ranking **ret_ranking)
{
	struct scope_fleet_ranking *ranking = calloc(1, sizeof(*ranking));
	struct room room = {
		.affected = calloc(facts->blames + 1, sizeof(*room.affected)),
		.rate = calloc(facts->blames + 1, sizeof(*room.rate)),
		.compared = calloc(facts->members + 1, sizeof(*room.compared)),
		.outside_us = calloc(facts->members + 1, sizeof(*room.outside_us)),
	};
	int err = ranking && room.affected && room.rate && room.compared && room.outside_us ? 0 : -ENOMEM;

	if (!err) {
		ranking->facts = facts;
		ranking->rank = calloc(facts->blames + 1, sizeof(*ranking->rank));
		err = ranking->rank ? judge_all(ranking, &room) : -ENOMEM;
	}
	if (!err)
		err = count_hosts(ranking);
	if (!err)
		err = scope_fleet_links_match(facts, &ranking->links);
	if (!err) {
		sum_up(ranking, room.outside_us);
		qsort(ranking->rank, ranking->ranks, sizeof(*ranking->rank), compare_ranks);
		err = scope_fleet_outlier_find(ranking);
	}
	free(room.affected);
	free(room.rate);
	free(room.compared);
	free(room.outside_us);
	if (err)
		scope_fleet_ranking_destroy(ranking);
	else
		*ret_ranking = ranking;
	return err;
}

void scope_fleet_ranking_destroy(struct scope_fleet_ranking *ranking)
{
	if (!ranking)
		return;
	for (size_t i = 0; i < ranking->ranks; i++)
		free(ranking->rank[i].host);
	scope_fleet_links_destroy(ranking->links);
	free(ranking->rank);
	free(ranking->outlier);
	free(ranking);
}
