/* SPDX-License-Identifier: GPL-2.0-only */
/* Summaries of invented hosts: some thousand requests a second, and one host with a slow function. */
#ifndef SCOPE_TESTS_FLEET_HOSTS_H
#define SCOPE_TESTS_FLEET_HOSTS_H

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "fleet/host_summary.h"

#define FLEET_BEGIN_S 1764158400ull

struct fleet_host {
	const char *host;
	const char *build_id;
	const char *rack;	/* NULL: no label */
	uint64_t random;	/* state; not 0 */
	uint64_t begin_s;	/* 0: FLEET_BEGIN_S */
	uint64_t seconds, rate; /* requests a second */
	double times;		/* 1: as fast as others, for all of its time */
	const char *slow;	/* a function that is slow here; NULL: none */
	double share;		/* of requests that it is slow in */
	uint64_t excess_us;	/* of each of them */
	uint64_t slow_from_s;	/* seconds after the begin */
	uint64_t number;	/* of the summary in its capture */
};

/* Requests between two addresses, 1 ms each in the median; slow_share of them take slow_us more. */
struct fleet_link {
	bool answers;
	const char *client, *server;
	uint64_t exchanges, mixed;
	double slow_share;
	uint64_t slow_us;
};

static inline uint64_t fleet_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* From 0 to below 1. */
static inline double fleet_chance(uint64_t *state)
{
	return (double)(fleet_random(state) >> 11) / 9007199254740992.0;
}

static inline uint32_t fleet_text(struct scope_fleet_summary *summary, const char *text)
{
	uint32_t number = 0;

	if (scope_fleet_names_add(&summary->names, text, &number))
		abort();
	return number;
}

static inline void fleet_head(struct scope_fleet_summary *summary, const struct fleet_host *host)
{
	const uint64_t begin_s = host->begin_s ? host->begin_s : FLEET_BEGIN_S;

	summary->capture[0] = 1;
	for (const char *at = host->host; *at; at++)
		summary->capture[0] = summary->capture[0] * 1000003 + (uint8_t)*at;
	summary->capture[1] = ~summary->capture[0];
	summary->number = host->number;
	summary->pid = 4242;
	summary->step_s = 1;
	summary->from_us = begin_s * 1000000;
	summary->to_us = (begin_s + host->seconds) * 1000000;
	summary->host = fleet_text(summary, host->host);
	summary->program = fleet_text(summary, "server");
	summary->build_id = fleet_text(summary, host->build_id);
	summary->version = fleet_text(summary, "0.1");
	summary->kernel = fleet_text(summary, "6.1.0");
	summary->source = fleet_text(summary, "kmod");
	summary->verdict = fleet_text(summary, host->slow ? "slowdown" : "nothing");
	if (host->rack)
		summary->label[summary->labels++] =
			(struct scope_fleet_label){ fleet_text(summary, "rack"), fleet_text(summary, host->rack) };
}

/* Two kinds of requests, of 0.2 and 1 ms in the median. */
static inline void fleet_second(struct scope_fleet_summary *summary, struct fleet_host *host, uint64_t at)
{
	const uint64_t begin_s = host->begin_s ? host->begin_s : FLEET_BEGIN_S;

	for (uint32_t kind = 0; kind < 2; kind++) {
		struct scope_fleet_second row = { .kind = kind, .at_s = begin_s + at };

		for (uint64_t i = 0; i < host->rate / 2; i++) {
			const double normal = fleet_chance(&host->random) + fleet_chance(&host->random) +
					      fleet_chance(&host->random) - 1.5;
			double us = (kind ? 1000 : 200) * exp(normal) * (host->times > 0 ? host->times : 1);

			row.units++;
			if (host->slow && at >= host->slow_from_s && fleet_chance(&host->random) < host->share) {
				us += (double)host->excess_us;
				row.slow++;
				row.excess_us += host->excess_us;
			}
			row.state_us[0] += (uint64_t)(us / 2);
			row.state_us[2 + SCOPE_WAIT_NETWORK] += (uint64_t)(us / 2);
			if (scope_fleet_coarse_add(&row.wall, scope_fleet_coarse_bucket((uint64_t)(us * 1000)), 1))
				abort();
		}
		if (scope_grow(&summary->second, &summary->second_capacity, summary->seconds + 1, sizeof(row)))
			abort();
		summary->second[summary->seconds++] = row;
		if (!row.slow)
			continue;
		if (scope_grow(&summary->excess, &summary->excess_capacity, summary->excesses + 1,
			       sizeof(*summary->excess)))
			abort();
		summary->excess[summary->excesses++] = (struct scope_fleet_excess){
			.kind = kind,
			.function = 0,
			.at_s = row.at_s,
			.excess_us = row.excess_us * 9 / 10,
		};
	}
}

static inline void fleet_finding(struct scope_fleet_summary *summary, const struct fleet_host *host)
{
	struct scope_fleet_finding row = {
		.kind = fleet_text(summary, "time"),
		.confidence = fleet_text(summary, "high"),
		.group = fleet_text(summary, "worker"),
		.usual_us = 600,
		.p50_us = 600 + host->excess_us,
		.p99_us = 900 + host->excess_us,
		.since_us = summary->from_us + host->slow_from_s * 1000000,
		.last_us = summary->to_us,
		.from_begin = !host->slow_from_s,
	};

	for (size_t i = 0; i < summary->excesses; i++)
		row.excess_us += summary->excess[i].excess_us;
	row.units = row.excess_us / (host->excess_us ? host->excess_us : 1);
	row.share_ppm = 900000;
	if (scope_grow(&summary->finding, &summary->finding_capacity, summary->findings + 1, sizeof(row)))
		abort();
	summary->finding[summary->findings++] = row;
}

static inline void fleet_add_link(struct scope_fleet_summary *summary, const struct fleet_link *link)
{
	const uint64_t slow = (uint64_t)((double)link->exchanges * link->slow_share);
	struct scope_fleet_link row = {
		.answers = link->answers,
		.client = fleet_text(summary, link->client),
		.server = fleet_text(summary, link->server),
		.connections = 1,
		.exchanges = link->exchanges,
		.mixed = link->mixed,
	};

	if (scope_fleet_coarse_add(&row.wall, scope_fleet_coarse_bucket(1000000), link->exchanges - slow) ||
	    (slow &&
	     scope_fleet_coarse_add(&row.wall, scope_fleet_coarse_bucket(1000000 + 1000 * link->slow_us), slow)) ||
	    scope_grow(&summary->link, &summary->link_capacity, summary->links + 1, sizeof(row)))
		abort();
	summary->link[summary->links++] = row;
}

/* Of the link that was added last. */
static inline void fleet_add_exchange(struct scope_fleet_summary *summary, uint32_t port, uint64_t at_us,
				      uint64_t took_us)
{
	if (scope_grow(&summary->exchange, &summary->exchange_capacity, summary->exchanges + 1,
		       sizeof(*summary->exchange)))
		abort();
	summary->exchange[summary->exchanges++] = (struct scope_fleet_exchange){
		.link = (uint32_t)summary->links - 1,
		.port = port,
		.at_us = at_us,
		.took_us = took_us,
	};
}

/* The caller destroys. */
static inline struct scope_fleet_summary *fleet_summary(struct fleet_host *host)
{
	struct scope_fleet_summary *summary = calloc(1, sizeof(*summary));

	if (!summary || scope_grow(&summary->kind, &summary->kind_capacity, 2, sizeof(*summary->kind)) ||
	    scope_grow(&summary->function, &summary->function_capacity, 1, sizeof(*summary->function)))
		abort();
	fleet_head(summary, host);
	for (uint32_t kind = 0; kind < 2; kind++)
		summary->kind[summary->kinds++] = (struct scope_fleet_kind){
			.group = fleet_text(summary, "worker"),
			.calls = fleet_text(summary, kind ? "recvfrom pread64 sendto" : "recvfrom sendto"),
			.request = 1,
		};
	if (host->slow)
		summary->function[summary->functions++] = (struct scope_fleet_function){
			.name = fleet_text(summary, host->slow),
			.module = fleet_text(summary, "server"),
			.build_id = fleet_text(summary, host->build_id),
		};
	for (uint64_t at = 0; at < host->seconds; at++)
		fleet_second(summary, host, at);
	if (host->slow)
		fleet_finding(summary, host);
	return summary;
}

#endif
