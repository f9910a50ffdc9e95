// SPDX-License-Identifier: GPL-2.0-only
/* Matches the waits of one host for another with that host's requests on the same connections, and propagates blame. */
#include "fleet/links.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define LONG 1.5       /* times the median: a request that takes no longer has not lost time */
#define RATES 1.5      /* times: by how much both sides may differ in requests a second */
#define RATES_MIN 20   /* requests: fewer do not show a rate */
#define MIXED 0.1      /* share of the requests */
#define DEPTH 8	       /* no rule: hosts that wait for one another */
#define CLOCKS_MAX 256 /* no rule: links whose clocks are compared, those with most excess */

const char *const scope_fleet_matching_name[] = {
	[SCOPE_FLEET_MATCHED] = "matched",	   [SCOPE_FLEET_NO_ENDS] = "addresses not known",
	[SCOPE_FLEET_NO_SUMMARY] = "no summary",   [SCOPE_FLEET_TRANSLATED] = "address translated",
	[SCOPE_FLEET_AMBIGUOUS] = "several hosts", [SCOPE_FLEET_SEVERAL] = "several requests at once",
};

/* Rows of one member: those from first[member] on, up to first[member + 1]. */
struct index {
	uint32_t *of, *first;
};

struct matching {
	const struct scope_fleet_facts *facts;
	struct scope_fleet_links *links;
	uint32_t *by_ends; /* numbers of links, those of both sides together */
	struct index blames, matches, exchanges;
	double *inside_us, *outside_us; /* by member: excess of its functions */
	bool *on_way;			/* by member: it is in the chain of hosts that is being followed */
};

/* What requests lost over what is usual. */
static double excess_of(const struct scope_fleet_coarse *wall)
{
	const double usual = scope_fleet_coarse_quantile(wall, 0.5);
	double excess = 0;

	for (size_t i = 0; i < wall->count; i++) {
		const double ns = scope_fleet_coarse_value(wall->at[i].bucket);

		if (ns > LONG * usual)
			excess += (ns - usual) * (double)wall->at[i].count;
	}
	return excess / 1e3;
}

/*
 * The member's own host if each host has the client's address for itself, because both ends are on it then. 0: any
 * host.
 */
static uint32_t local_host(const struct scope_fleet_facts *facts, const struct scope_fleet_link_facts *link)
{
	const char *client = scope_fleet_facts_text(facts, link->client);

	return !strncmp(client, "127.", 4) || !strcmp(client, "[::1]") ? facts->member[link->member].host : 0;
}

/* By the server, then the client. */
static int compare_ends(const struct scope_fleet_facts *facts, const struct scope_fleet_link_facts *a,
			const struct scope_fleet_link_facts *b)
{
	const uint32_t keys[][2] = { { a->server, b->server },
				     { local_host(facts, a), local_host(facts, b) },
				     { a->client, b->client } };

	for (size_t i = 0; i < 3; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static int by_ends(const void *left, const void *right, void *context)
{
	const uint32_t *a = left, *b = right;
	const struct scope_fleet_facts *facts = context;
	const int order = compare_ends(facts, &facts->link[*a], &facts->link[*b]);

	return order ? order : (*a > *b) - (*a < *b);
}

/* Where links with these ends are, or would be. */
static size_t find_ends(const struct matching *matching, const struct scope_fleet_link_facts *like)
{
	const struct scope_fleet_facts *facts = matching->facts;
	size_t low = 0, high = facts->links;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_ends(facts, &facts->link[matching->by_ends[middle]], like) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Requests a second. */
static double rate_of(const struct scope_fleet_facts *facts, const struct scope_fleet_link_facts *link)
{
	const struct scope_fleet_member *member = &facts->member[link->member];
	const double us = (double)(member->to_us - member->from_us);

	return (double)link->exchanges / (us > 0 ? us : 1);
}

/* Several programs of one host may be at either end of a link. */
struct side {
	double rate, exchanges, mixed, excess_us;
	const struct scope_fleet_link_facts *most;
	uint32_t host;
	bool several;
};

static struct side side_of(const struct matching *matching, const struct scope_fleet_link_facts *like, bool answers)
{
	const struct scope_fleet_facts *facts = matching->facts;
	const uint32_t host = facts->member[like->member].host;
	struct side side = { 0 };

	for (size_t i = find_ends(matching, like); i < facts->links; i++) {
		const struct scope_fleet_link_facts *link = &facts->link[matching->by_ends[i]];
		const uint32_t other = facts->member[link->member].host;

		if (compare_ends(facts, link, like))
			break;
		if (link->answers != answers || (!answers && other != host))
			continue;
		side.several |= side.most && side.host != other;
		side.host = other;
		side.rate += rate_of(facts, link);
		side.exchanges += (double)link->exchanges;
		side.mixed += (double)link->mixed;
		side.excess_us += excess_of(&link->wall);
		if (!side.most || link->exchanges > side.most->exchanges)
			side.most = link;
	}
	return side;
}

static bool answers_others(const struct matching *matching, const struct scope_fleet_link_facts *like)
{
	const struct scope_fleet_facts *facts = matching->facts;
	struct scope_fleet_link_facts any = *like;

	any.client = 0;
	for (size_t i = find_ends(matching, &any); i < facts->links; i++) {
		const struct scope_fleet_link_facts *link = &facts->link[matching->by_ends[i]];

		if (link->server != like->server)
			return false;
		if (link->answers && local_host(facts, link) == local_host(facts, like))
			return true;
	}
	return false;
}

static enum scope_fleet_matching match_link(const struct matching *matching, struct scope_fleet_match *match)
{
	const struct scope_fleet_link_facts *ask = match->ask;
	struct side client, server;
	double scale, lost;

	if (!ask->server)
		return SCOPE_FLEET_NO_ENDS;
	client = side_of(matching, ask, false);
	server = side_of(matching, ask, true);
	if (!server.most)
		return answers_others(matching, ask) ? SCOPE_FLEET_TRANSLATED : SCOPE_FLEET_NO_SUMMARY;
	if (server.several)
		return SCOPE_FLEET_AMBIGUOUS;
	match->answer = server.most;
	match->answer_usual_us = scope_fleet_coarse_quantile(&server.most->wall, 0.5) / 1e3;
	match->answer_p99_us = scope_fleet_coarse_quantile(&server.most->wall, 0.99) / 1e3;
	if (client.mixed > MIXED * client.exchanges || server.mixed > MIXED * server.exchanges ||
	    (client.exchanges >= RATES_MIN && server.exchanges >= RATES_MIN &&
	     (client.rate > RATES * server.rate || server.rate > RATES * client.rate)))
		return SCOPE_FLEET_SEVERAL;
	/* The server may have been recorded for longer, and for other programs of this host as well. */
	scale = server.exchanges > 0 ? (double)ask->exchanges / server.exchanges : 0;
	lost = server.excess_us * scale;
	match->between_us = match->excess_us > lost ? match->excess_us - lost : 0;
	return SCOPE_FLEET_MATCHED;
}

static int compare_matches(const void *left, const void *right)
{
	const struct scope_fleet_match *a = left, *b = right;

	if (a->excess_us != b->excess_us)
		return a->excess_us > b->excess_us ? -1 : 1;
	return (a->ask > b->ask) - (a->ask < b->ask);
}

static int match_all(struct matching *matching)
{
	const struct scope_fleet_facts *facts = matching->facts;
	struct scope_fleet_links *links = matching->links;

	links->match = calloc(facts->links + 1, sizeof(*links->match));
	matching->by_ends = calloc(facts->links + 1, sizeof(*matching->by_ends));
	if (!links->match || !matching->by_ends)
		return -ENOMEM;
	for (size_t i = 0; i < facts->links; i++)
		matching->by_ends[i] = (uint32_t)i;
	if (facts->links)
		qsort_r(matching->by_ends, facts->links, sizeof(*matching->by_ends), by_ends, (void *)(uintptr_t)facts);
	for (size_t i = 0; i < facts->links; i++) {
		struct scope_fleet_match *match = &links->match[links->matches];

		if (facts->link[i].answers || !facts->link[i].exchanges)
			continue;
		match->ask = &facts->link[i];
		match->excess_us = excess_of(&match->ask->wall);
		match->usual_us = scope_fleet_coarse_quantile(&match->ask->wall, 0.5) / 1e3;
		match->p99_us = scope_fleet_coarse_quantile(&match->ask->wall, 0.99) / 1e3;
		match->how = match_link(matching, match);
		links->excess_us[match->how] += match->excess_us;
		if (match->how == SCOPE_FLEET_MATCHED)
			links->matched_us[match->ask->member] += match->excess_us - match->between_us;
		links->matches++;
	}
	qsort(links->match, links->matches, sizeof(*links->match), compare_matches);
	return 0;
}

static uint32_t member_of_blame(const struct matching *matching, size_t row)
{
	return matching->facts->blame[row].member;
}

static uint32_t member_of_match(const struct matching *matching, size_t row)
{
	return matching->links->match[row].ask->member;
}

static uint32_t member_of_exchange(const struct matching *matching, size_t row)
{
	return matching->facts->exchange[row].member;
}

/* In their order. */
static int make_index(const struct matching *matching, size_t rows,
		      uint32_t (*member_of)(const struct matching *matching, size_t row), struct index *index)
{
	const size_t members = matching->facts->members;

	index->of = calloc(rows + 1, sizeof(*index->of));
	index->first = calloc(members + 2, sizeof(*index->first));
	if (!index->of || !index->first)
		return -ENOMEM;
	for (size_t i = 0; i < rows; i++)
		index->first[member_of(matching, i) + 1]++;
	for (size_t i = 0; i < members; i++)
		index->first[i + 1] += index->first[i];
	/* Each is moved to its end, and back. */
	for (size_t i = 0; i < rows; i++)
		index->of[index->first[member_of(matching, i)]++] = (uint32_t)i;
	for (size_t i = members; i > 0; i--)
		index->first[i] = index->first[i - 1];
	index->first[0] = 0;
	return 0;
}

static void free_index(struct index *index)
{
	free(index->of);
	free(index->first);
}

static int make_indexes(struct matching *matching)
{
	int err = make_index(matching, matching->facts->blames, member_of_blame, &matching->blames);

	if (!err)
		err = make_index(matching, matching->links->matches, member_of_match, &matching->matches);
	return err ? err : make_index(matching, matching->facts->exchanges, member_of_exchange, &matching->exchanges);
}

static void sum_blames(struct matching *matching)
{
	const struct scope_fleet_facts *facts = matching->facts;

	for (size_t i = 0; i < facts->blames; i++) {
		const struct scope_fleet_blame_facts *blame = &facts->blame[i];

		*(blame->outside ? &matching->outside_us[blame->member] : &matching->inside_us[blame->member]) +=
			(double)blame->excess_us;
	}
}

static int add_passed(struct scope_fleet_match *match, uint32_t blame, double us)
{
	for (size_t i = 0; i < match->passes; i++)
		if (match->passed[i].blame == blame) {
			match->passed[i].us += us;
			return 0;
		}
	if (scope_grow(&match->passed, &match->passed_capacity, match->passes + 1, sizeof(*match->passed)))
		return -ENOMEM;
	match->passed[match->passes++] = (struct scope_fleet_passed){ blame, us };
	return 0;
}

/* Propagates a member's own waits for other hosts. Waits that are not matched stay with the member, as outside. */
static int pass_on(struct matching *matching, struct scope_fleet_match *match, uint32_t member, double us,
		   unsigned depth);

/* Attributes the time that a member lost to its functions, and propagates it to other hosts. */
static int pass(struct matching *matching, struct scope_fleet_match *match, uint32_t member, double us, unsigned depth)
{
	const struct index *blames = &matching->blames;
	const double matched_us = matching->links->matched_us[member];
	double outside_us = matching->outside_us[member], all_us;
	int err = 0;

	/* An analysis that has no stacks of its waits names no function that waits. Its links show them. */
	outside_us = outside_us > matched_us ? outside_us : matched_us;
	all_us = matching->inside_us[member] + outside_us;
	if (all_us <= 0) {
		match->unnamed_us += us;
		return 0;
	}
	for (uint32_t i = blames->first[member]; !err && i < blames->first[member + 1]; i++) {
		const struct scope_fleet_blame_facts *blame = &matching->facts->blame[blames->of[i]];
		const double part_us = us * (double)blame->excess_us / all_us;

		if (blame->outside || !blame->excess_us)
			continue;
		match->passed_us += part_us;
		err = add_passed(match, blames->of[i], part_us);
	}
	if (err || outside_us <= 0)
		return err;
	return pass_on(matching, match, member, us * outside_us / all_us, depth);
}

static int pass_on(struct matching *matching, struct scope_fleet_match *match, uint32_t member, double us,
		   unsigned depth)
{
	const struct scope_fleet_links *links = matching->links;
	const double matched_us = links->matched_us[member];
	const double outside_us = matching->outside_us[member] > matched_us ? matching->outside_us[member] : matched_us;
	double left_us = us;
	int err = 0;

	matching->on_way[member] = true;
	for (uint32_t i = matching->matches.first[member];
	     depth < DEPTH && !err && i < matching->matches.first[member + 1]; i++) {
		const struct scope_fleet_match *next = &links->match[matching->matches.of[i]];
		const double part_us = us * (next->excess_us - next->between_us) / outside_us;

		/* In a circle of hosts the walk ends. */
		if (next->how != SCOPE_FLEET_MATCHED || part_us <= 0 || matching->on_way[next->answer->member])
			continue;
		left_us -= part_us;
		err = pass(matching, match, next->answer->member, part_us, depth + 1);
	}
	matching->on_way[member] = false;
	match->outside_us += left_us > 0 ? left_us : 0;
	return err;
}

static int compare_passed(const void *left, const void *right)
{
	const struct scope_fleet_passed *a = left, *b = right;

	if (a->us != b->us)
		return a->us > b->us ? -1 : 1;
	return (a->blame > b->blame) - (a->blame < b->blame);
}

static int pass_all(struct matching *matching)
{
	struct scope_fleet_links *links = matching->links;
	int err = 0;

	for (size_t i = 0; !err && i < links->matches; i++) {
		struct scope_fleet_match *match = &links->match[i];
		const double us = match->excess_us - match->between_us;

		if (match->how != SCOPE_FLEET_MATCHED || us <= 0)
			continue;
		matching->on_way[match->ask->member] = true;
		err = pass(matching, match, match->answer->member, us, 0);
		matching->on_way[match->ask->member] = false;
		if (match->passes)
			qsort(match->passed, match->passes, sizeof(*match->passed), compare_passed);
	}
	return err;
}

/* The rows of one side of a link, which are one after another. */
static bool is_of(const struct scope_fleet_exchange_facts *exchange, const struct scope_fleet_link_facts *link)
{
	return exchange->answers == link->answers && exchange->client == link->client &&
	       exchange->server == link->server;
}

static const struct scope_fleet_exchange_facts *
exchanges_of(const struct matching *matching, const struct scope_fleet_link_facts *link, size_t *ret_count)
{
	const struct scope_fleet_exchange_facts *exchange = matching->facts->exchange;
	const size_t past = matching->exchanges.first[link->member + 1];
	size_t first = matching->exchanges.first[link->member], end;

	while (first < past && !is_of(&exchange[first], link))
		first++;
	for (end = first; end < past && is_of(&exchange[end], link);)
		end++;
	*ret_count = end - first < SCOPE_FLEET_LINK_EXCHANGES ? end - first : SCOPE_FLEET_LINK_EXCHANGES;
	return &exchange[first];
}

static int compare_clocks(const struct matching *matching)
{
	struct scope_fleet_links *links = matching->links;
	size_t done = 0;
	int err = 0;

	for (size_t i = 0; !err && i < links->matches && done < CLOCKS_MAX; i++) {
		struct scope_fleet_match *match = &links->match[i];
		const struct scope_fleet_exchange_facts *ask, *answer;
		size_t asks, answers;

		if (!match->answer || match->how == SCOPE_FLEET_AMBIGUOUS)
			continue;
		ask = exchanges_of(matching, match->ask, &asks);
		answer = exchanges_of(matching, match->answer, &answers);
		if (!asks || !answers)
			continue;
		done++;
		err = scope_fleet_clock_bound(ask, asks, answer, answers, &match->clock);
	}
	return err;
}

int scope_fleet_links_match(const struct scope_fleet_facts *facts, struct scope_fleet_links **ret_links)
{
	struct matching matching = {
		.facts = facts,
		.links = calloc(1, sizeof(*matching.links)),
		.inside_us = calloc(facts->members + 1, sizeof(double)),
		.outside_us = calloc(facts->members + 1, sizeof(double)),
		.on_way = calloc(facts->members + 1, sizeof(bool)),
	};
	int err = matching.links && matching.inside_us && matching.outside_us && matching.on_way ? 0 : -ENOMEM;

	if (!err) {
		matching.links->matched_us = calloc(facts->members + 1, sizeof(double));
		err = matching.links->matched_us ? match_all(&matching) : -ENOMEM;
	}
	if (!err)
		err = make_indexes(&matching);
	if (!err) {
		sum_blames(&matching);
		err = pass_all(&matching);
	}
	if (!err)
		err = compare_clocks(&matching);
	free_index(&matching.blames);
	free_index(&matching.matches);
	free_index(&matching.exchanges);
	free(matching.by_ends);
	free(matching.inside_us);
	free(matching.outside_us);
	free(matching.on_way);
	if (err)
		scope_fleet_links_destroy(matching.links);
	else
		*ret_links = matching.links;
	return err;
}

void scope_fleet_links_destroy(struct scope_fleet_links *links)
{
	if (!links)
		return;
	for (size_t i = 0; i < links->matches; i++)
		free(links->match[i].passed);
	free(links->match);
	free(links->matched_us);
	free(links);
}
