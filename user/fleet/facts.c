// SPDX-License-Identifier: GPL-2.0-only
/* The sums over all hosts, from which a report is made. */
#include "fleet/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* In the order of members: by program, then host. */
static int compare(const struct scope_fleet_facts *facts, const struct scope_fleet_member *member, const char *host,
		   const char *program)
{
	const int order = strcmp(scope_fleet_facts_text(facts, member->program), program);

	return order ? order : strcmp(scope_fleet_facts_text(facts, member->host), host);
}

uint32_t scope_fleet_facts_member(const struct scope_fleet_facts *facts, const char *host, const char *program)
{
	size_t low = 0, high = facts->members;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = compare(facts, &facts->member[middle], host, program);

		if (!order)
			return (uint32_t)middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return UINT32_MAX;
}

struct scope_fleet_member *scope_fleet_facts_add_member(struct scope_fleet_facts *facts)
{
	if (scope_grow(&facts->member, &facts->member_capacity, facts->members + 1, sizeof(*facts->member)))
		return NULL;
	facts->member[facts->members] = (struct scope_fleet_member){ 0 };
	return &facts->member[facts->members++];
}

struct scope_fleet_group_facts *scope_fleet_facts_add_group(struct scope_fleet_facts *facts)
{
	if (scope_grow(&facts->group, &facts->group_capacity, facts->groups + 1, sizeof(*facts->group)))
		return NULL;
	facts->group[facts->groups] = (struct scope_fleet_group_facts){ 0 };
	return &facts->group[facts->groups++];
}

struct scope_fleet_blame_facts *scope_fleet_facts_add_blame(struct scope_fleet_facts *facts)
{
	if (scope_grow(&facts->blame, &facts->blame_capacity, facts->blames + 1, sizeof(*facts->blame)))
		return NULL;
	facts->blame[facts->blames] = (struct scope_fleet_blame_facts){ 0 };
	return &facts->blame[facts->blames++];
}

struct scope_fleet_link_facts *scope_fleet_facts_add_link(struct scope_fleet_facts *facts)
{
	if (scope_grow(&facts->link, &facts->link_capacity, facts->links + 1, sizeof(*facts->link)))
		return NULL;
	facts->link[facts->links] = (struct scope_fleet_link_facts){ 0 };
	return &facts->link[facts->links++];
}

struct scope_fleet_exchange_facts *scope_fleet_facts_add_exchange(struct scope_fleet_facts *facts)
{
	if (scope_grow(&facts->exchange, &facts->exchange_capacity, facts->exchanges + 1, sizeof(*facts->exchange)))
		return NULL;
	facts->exchange[facts->exchanges] = (struct scope_fleet_exchange_facts){ 0 };
	return &facts->exchange[facts->exchanges++];
}

/* Orders by texts, so that the order does not depend on what came first. */
static int compare_blames(const void *left, const void *right, void *context)
{
	const struct scope_fleet_blame_facts *a = left, *b = right;
	const struct scope_fleet_facts *facts = context;
	int order = strcmp(scope_fleet_facts_text(facts, a->name), scope_fleet_facts_text(facts, b->name));

	if (!order)
		order = strcmp(scope_fleet_facts_text(facts, a->module), scope_fleet_facts_text(facts, b->module));
	if (!order && a->outside != b->outside)
		order = a->outside ? 1 : -1;
	if (!order && a->member != b->member)
		order = a->member < b->member ? -1 : 1;
	return order ? order
		     : strcmp(scope_fleet_facts_text(facts, a->build_id), scope_fleet_facts_text(facts, b->build_id));
}

static void merge(struct scope_fleet_blame_facts *to, const struct scope_fleet_blame_facts *from)
{
	if (from->found) {
		const struct scope_fleet_blame_facts rest = *to;

		*to = *from;
		to->excess_us = rest.excess_us;
		to->since_us = rest.since_us;
		to->from_begin = rest.from_begin;
		to->last_us = rest.last_us;
	}
	to->excess_us += from->excess_us;
	if (from->since_us) {
		to->since_us = from->since_us;
		to->from_begin = from->from_begin;
	}
	if (from->last_us > to->last_us)
		to->last_us = from->last_us;
}

static int compare_ends(const struct scope_fleet_facts *facts, const uint32_t *a, const uint32_t *b)
{
	const int order = strcmp(scope_fleet_facts_text(facts, a[0]), scope_fleet_facts_text(facts, b[0]));

	return order ? order : strcmp(scope_fleet_facts_text(facts, a[1]), scope_fleet_facts_text(facts, b[1]));
}

static int compare_links(const void *left, const void *right, void *context)
{
	const struct scope_fleet_link_facts *a = left, *b = right;

	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	if (a->answers != b->answers)
		return a->answers ? 1 : -1;
	return compare_ends(context, (const uint32_t[]){ a->client, a->server },
			    (const uint32_t[]){ b->client, b->server });
}

static int compare_exchanges(const void *left, const void *right, void *context)
{
	const struct scope_fleet_exchange_facts *a = left, *b = right;
	int order;

	if (a->member != b->member)
		return a->member < b->member ? -1 : 1;
	if (a->answers != b->answers)
		return a->answers ? 1 : -1;
	order = compare_ends(context, (const uint32_t[]){ a->client, a->server },
			     (const uint32_t[]){ b->client, b->server });
	if (order)
		return order;
	if (a->took_us != b->took_us)
		return a->took_us > b->took_us ? -1 : 1;
	return a->at_us != b->at_us ? (a->at_us < b->at_us ? -1 : 1) : (a->port > b->port) - (a->port < b->port);
}

/* Without those of no member. */
static void order_links(struct scope_fleet_facts *facts)
{
	if (facts->links)
		qsort_r(facts->link, facts->links, sizeof(*facts->link), compare_links, facts);
	while (facts->links && facts->link[facts->links - 1].member == UINT32_MAX)
		scope_fleet_coarse_free(&facts->link[--facts->links].wall);
	if (facts->exchanges)
		qsort_r(facts->exchange, facts->exchanges, sizeof(*facts->exchange), compare_exchanges, facts);
	while (facts->exchanges && facts->exchange[facts->exchanges - 1].member == UINT32_MAX)
		facts->exchanges--;
}

void scope_fleet_facts_merge(struct scope_fleet_facts *facts)
{
	size_t kept = 0;

	order_links(facts);

	if (facts->blames)
		qsort_r(facts->blame, facts->blames, sizeof(*facts->blame), compare_blames, facts);
	for (size_t i = 0; i < facts->blames; i++) {
		const struct scope_fleet_blame_facts *row = &facts->blame[i];

		if (row->member == UINT32_MAX)
			continue;
		if (kept && !compare_blames(&facts->blame[kept - 1], row, facts))
			merge(&facts->blame[kept - 1], row);
		else
			facts->blame[kept++] = *row;
	}
	facts->blames = kept;
}

void scope_fleet_facts_destroy(struct scope_fleet_facts *facts)
{
	if (!facts)
		return;
	for (size_t i = 0; i < facts->groups; i++)
		scope_fleet_coarse_free(&facts->group[i].wall);
	for (size_t i = 0; i < facts->links; i++)
		scope_fleet_coarse_free(&facts->link[i].wall);
	free(facts->link);
	free(facts->exchange);
	scope_fleet_names_free(&facts->names);
	free(facts->member);
	free(facts->group);
	free(facts->blame);
	free(facts);
}
