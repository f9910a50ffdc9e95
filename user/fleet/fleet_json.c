// SPDX-License-Identifier: GPL-2.0-only
/* The report over all hosts as JSON: docs/schema/commands.schema.json has its fields. */
#include <errno.h>

#include <stdlib.h>

#include "fleet/fleet_text.h"
#include "fleet/links_text.h"

static json_t *text_of(const struct scope_fleet_facts *facts, uint32_t number)
{
	return number ? json_string(scope_fleet_facts_text(facts, number)) : json_null();
}

static json_t *time_of(uint64_t us)
{
	return us ? json_integer((json_int_t)us) : json_null();
}

static json_t *labels_of(const struct scope_fleet_facts *facts, const struct scope_fleet_member *member)
{
	json_t *labels = json_object();

	for (size_t i = 0; i < member->labels; i++)
		json_object_set_new(labels, scope_fleet_facts_text(facts, member->label[i].key),
				    text_of(facts, member->label[i].value));
	return labels;
}

static json_t *members_of(const struct scope_fleet_facts *facts)
{
	json_t *members = json_array();

	for (size_t i = 0; i < facts->members; i++) {
		const struct scope_fleet_member *member = &facts->member[i];

		json_array_append_new(
			members,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:f}", "host",
				  text_of(facts, member->host), "program", text_of(facts, member->program), "build_id",
				  text_of(facts, member->build_id), "kernel", text_of(facts, member->kernel), "verdict",
				  text_of(facts, member->verdict), "reason", text_of(facts, member->reason), "labels",
				  labels_of(facts, member), "from_us", time_of(member->from_us), "to_us",
				  time_of(member->to_us), "summaries", (json_int_t)member->summaries, "missing",
				  (json_int_t)member->missing, "requests", (json_int_t)member->requests, "slow",
				  (json_int_t)member->slow, "lost", (json_int_t)member->lost, "excess_ms",
				  (double)member->excess_us / 1e3));
	}
	return members;
}

/* Where the time of requests went, ms. */
static json_t *states_of(const struct scope_fleet_group_facts *group)
{
	json_t *states = json_object();

	for (unsigned i = 0; i < SCOPE_FLEET_STATES; i++)
		json_object_set_new(states, scope_fleet_state_name(i), json_real((double)group->state_us[i] / 1e3));
	return states;
}

static json_t *groups_of(const struct scope_fleet_facts *facts)
{
	json_t *groups = json_array();

	for (size_t i = 0; i < facts->groups; i++) {
		const struct scope_fleet_group_facts *group = &facts->group[i];
		const struct scope_fleet_member *member = &facts->member[group->member];

		json_array_append_new(
			groups,
			json_pack("{s:o, s:o, s:o, s:I, s:I, s:f, s:f, s:f, s:o}", "host", text_of(facts, member->host),
				  "program", text_of(facts, member->program), "group", text_of(facts, group->group),
				  "requests", (json_int_t)group->units, "slow", (json_int_t)group->slow, "excess_ms",
				  (double)group->excess_us / 1e3, "p50_ms",
				  scope_fleet_coarse_quantile(&group->wall, 0.5) / 1e6, "p99_ms",
				  scope_fleet_coarse_quantile(&group->wall, 0.99) / 1e6, "state_ms", states_of(group)));
	}
	return groups;
}

static json_t *hosts_of(const struct scope_fleet_facts *facts, const struct scope_fleet_rank *rank)
{
	json_t *hosts = json_array();

	for (size_t i = 0; i < rank->hosts; i++)
		json_array_append_new(hosts, text_of(facts, facts->member[rank->host[i]].host));
	return hosts;
}

/* The hosts that waited for the function, and for how long. */
static json_t *waiting_of(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	double *us = scope_fleet_links_waiting(ranking, rank);
	json_t *waiting = us ? json_array() : NULL;

	for (size_t i = 0; us && i < facts->members; i++)
		if (us[i] > 0)
			json_array_append_new(waiting,
					      json_pack("{s:o, s:o, s:f}", "host",
							text_of(facts, facts->member[i].host), "program",
							text_of(facts, facts->member[i].program), "ms", us[i] / 1e3));
	free(us);
	return waiting;
}

static json_t *rank_of(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	char where[1024];
	json_t *object;

	scope_fleet_text_hosts(ranking, rank, where, sizeof(where));
	object = json_pack("{s:o, s:o, s:b, s:b, s:o, s:o, s:f, s:f, s:I, s:I, s:o, s:b, s:o, s:I, s:s, s:s}",
			   "function", text_of(facts, rank->name), "module", text_of(facts, rank->module), "stuck",
			   rank->stuck, "outside", rank->outside, "kind", text_of(facts, rank->kind), "confidence",
			   text_of(facts, rank->confidence), "excess_ms", (double)rank->excess_us / 1e3, "share",
			   rank->share, "units", (json_int_t)rank->units, "threads", (json_int_t)rank->threads,
			   "since_us", time_of(rank->since_us), "from_begin", rank->from_begin, "hosts",
			   hosts_of(facts, rank), "compared", (json_int_t)rank->compared, "spread",
			   scope_fleet_spread_name[rank->spread], "where", where);
	json_object_set_new(object, "common",
			    rank->value ? json_pack("{s:s, s:s, s:I}", "property", rank->property, "value", rank->value,
						    "hosts", (json_int_t)rank->have)
					: json_null());
	json_object_set_new(object, "waited_for_by", waiting_of(ranking, rank));
	return object;
}

static json_t *outliers_of(const struct scope_fleet_ranking *ranking)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	json_t *outliers = json_array();

	for (size_t i = 0; i < ranking->outliers; i++) {
		const struct scope_fleet_outlier *one = &ranking->outlier[i];

		json_array_append_new(outliers, json_pack("{s:o, s:o, s:o, s:f, s:f, s:f, s:I, s:I}", "host",
							  text_of(facts, facts->member[one->member].host), "program",
							  text_of(facts, facts->member[one->member].program), "group",
							  text_of(facts, one->group), "quantile", one->quantile, "ms",
							  one->ns / 1e6, "usual_ms", one->usual_ns / 1e6, "compared",
							  (json_int_t)one->compared, "units", (json_int_t)one->units));
	}
	return outliers;
}

static json_t *read_of(const struct scope_fleet_ranking *ranking, const struct scope_fleet_read *read)
{
	json_t *problems = json_array();

	for (size_t i = 0; i < read->problems; i++)
		json_array_append_new(problems, json_string(read->problem[i]));
	return json_pack("{s:I, s:I, s:I, s:I, s:o, s:I}", "files", (json_int_t)read->files, "summaries",
			 (json_int_t)read->summaries, "twice", (json_int_t)read->twice, "overlapping",
			 (json_int_t)read->overlapping, "problems", problems, "hosts_at_other_times",
			 (json_int_t)ranking->aparts);
}

int scope_fleet_json(const struct scope_fleet_ranking *ranking, const struct scope_fleet_read *read, json_t *document)
{
	char answer[512];
	json_t *ranks = json_array();
	int err;

	scope_fleet_text_answer(ranking, answer, sizeof(answer));
	for (size_t i = 0; i < ranking->ranks; i++)
		json_array_append_new(ranks, rank_of(ranking, &ranking->rank[i]));
	err = json_object_set_new(document, "answer", json_string(answer));
	err |= json_object_set_new(document, "members", members_of(ranking->facts));
	err |= json_object_set_new(document, "groups", groups_of(ranking->facts));
	err |= json_object_set_new(document, "functions", ranks);
	err |= json_object_set_new(document, "out_of_line", outliers_of(ranking));
	err |= json_object_set_new(document, "connections", scope_fleet_links_json(ranking));
	err |= json_object_set_new(document, "not_matched_ms", scope_fleet_links_json_unmatched(ranking));
	err |= json_object_set_new(document, "excess_ms", json_real((double)ranking->excess_us / 1e3));
	err |= json_object_set_new(document, "outside_ms", json_real((double)ranking->outside_us / 1e3));
	err |= json_object_set_new(document, "read", read_of(ranking, read));
	return err ? -ENOMEM : 0;
}
