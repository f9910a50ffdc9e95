// SPDX-License-Identifier: GPL-2.0-only
/* The sums over all hosts, by queries of ClickHouse. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/clickhouse.h"

#define COLUMNS_MAX 24 /* no rule */
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

/* One of the rows with the same key, because rows may have come twice and not be merged yet. */
static const char members_query[] =
	"SELECT program, host, min(f), max(t), count(), sum(l), uniqExact(b), argMax(b, t), argMax(k, t), argMax(v, t),"
	" argMax(r, t), arrayStringConcat(argMax(lk, t), '\\n'), arrayStringConcat(argMax(lv, t), '\\n')"
	" FROM (SELECT program, host, any(from_us) AS f, any(to_us) AS t, any(lost) AS l, any(build_id) AS b,"
	" any(kernel) AS k, any(verdict) AS v, any(reason) AS r, any(label_keys) AS lk, any(label_values) AS lv"
	" FROM scope_summary WHERE %s GROUP BY program, host, capture1, capture2, number)"
	" GROUP BY program, host ORDER BY program, host FORMAT TabSeparated";

/* Summaries of a capture are numbered without gaps. */
static const char missing_query[] =
	"SELECT program, host, sum(m) FROM (SELECT program, host, max(number) - min(number) + 1 - uniqExact(number) AS m"
	" FROM scope_summary WHERE %s GROUP BY program, host, capture1, capture2) GROUP BY program, host"
	" FORMAT TabSeparated";

static const char groups_query[] =
	"SELECT program, host, grp, is_request, sum(units), sum(slow), sum(excess_us), sumForEach(states),"
	" sumMap(buckets, counts) FROM (SELECT program, host, grp, is_request, units, slow, excess_us, states, buckets,"
	" counts FROM scope_minute WHERE %s LIMIT 1 BY program, host, grp, is_request, capture1, capture2, number, at)"
	" GROUP BY program, host, grp, is_request ORDER BY program, host, grp, is_request FORMAT TabSeparated";

static const char excess_query[] =
	"SELECT program, host, function, module, build_id, outside, sum(excess_us)"
	" FROM (SELECT program, host, function, module, build_id, outside, excess_us FROM scope_excess WHERE %s"
	" LIMIT 1 BY program, host, function, module, build_id, outside, capture1, capture2, number, at)"
	" GROUP BY program, host, function, module, build_id, outside FORMAT TabSeparated";

static const char findings_query[] =
	"SELECT program, host, f, m, b, o, argMax(ki, e), argMax(co, e), argMax(g, e), argMax(th, e), argMax(us, e),"
	" argMax(p5, e), argMax(p9, e), sum(un), max(st), min(si), argMin(fb, si), max(la)"
	" FROM (SELECT program, host, any(function) AS f, any(module) AS m, any(build_id) AS b, any(outside) AS o,"
	" any(kind) AS ki, any(confidence) AS co, any(grp) AS g, any(threads) AS th, any(usual_us) AS us,"
	" any(p50_us) AS p5, any(p99_us) AS p9, any(units) AS un, any(stuck) AS st, any(since_us) AS si,"
	" any(from_begin) AS fb, any(last_us) AS la, any(excess_us) AS e FROM scope_finding WHERE %s"
	" GROUP BY program, host, capture1, capture2, number, place)"
	" GROUP BY program, host, f, m, b, o FORMAT TabSeparated";

static const char links_query[] =
	"SELECT program, host, answers, client, server, max(connections), sum(exchanges), sum(mixed), sumMap(buckets, counts)"
	" FROM (SELECT program, host, answers, client, server, connections, exchanges, mixed, buckets, counts"
	" FROM scope_link WHERE %s LIMIT 1 BY program, host, answers, client, server, capture1, capture2, number)"
	" GROUP BY program, host, answers, client, server FORMAT TabSeparated";

/* The longest of each link. */
static const char exchanges_query[] =
	"SELECT program, host, answers, client, server, port, at_us, took_us FROM (SELECT DISTINCT program, host, answers,"
	" client, server, port, at_us, took_us FROM scope_exchange WHERE %s) ORDER BY program, host, answers, client,"
	" server, took_us DESC, at_us, port LIMIT " TEXT(
		SCOPE_FLEET_LINK_EXCHANGES) " BY program, host, answers, client,"
					    " server FORMAT TabSeparated";

/* A row of an answer; its texts are restored in place. */
struct answer_row {
	struct scope_fleet_facts *facts;
	char *column[COLUMNS_MAX];
	size_t columns;
};

static void restore(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1]) {
			text++;
			*to++ = *text == 't' ? '\t' : *text == 'n' ? '\n' : *text == '0' ? ' ' : *text;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

static uint64_t number_at(const struct answer_row *row, size_t column)
{
	return strtoull(row->column[column], NULL, 10);
}

static int name_at(const struct answer_row *row, size_t column, uint32_t *ret_number)
{
	return scope_fleet_names_add(&row->facts->names, row->column[column], ret_number);
}

static uint32_t member_at(const struct answer_row *row)
{
	return scope_fleet_facts_member(row->facts, row->column[1], row->column[0]);
}

/* Keys and values, one a line. */
static int take_labels(const struct answer_row *row, struct scope_fleet_member *member)
{
	char *key = row->column[11], *value = row->column[12];
	int err = 0;

	while (!err && *key && member->labels < SCOPE_FLEET_LABELS_MAX) {
		struct scope_fleet_label *label = &member->label[member->labels++];
		char *key_end = strchrnul(key, '\n'), *value_end = strchrnul(value, '\n');
		char *next_key = key_end + !!*key_end, *next_value = value_end + !!*value_end;

		*key_end = *value_end = '\0';
		err = scope_fleet_names_add(&row->facts->names, key, &label->key);
		if (!err)
			err = scope_fleet_names_add(&row->facts->names, value, &label->value);
		key = next_key;
		value = next_value;
	}
	return err;
}

static int take_member(struct answer_row *row)
{
	struct scope_fleet_member *member = scope_fleet_facts_add_member(row->facts);
	int err = member ? name_at(row, 0, &member->program) : -ENOMEM;

	if (!err)
		err = name_at(row, 1, &member->host);
	if (!err)
		err = name_at(row, 7, &member->build_id);
	if (!err)
		err = name_at(row, 8, &member->kernel);
	if (!err)
		err = name_at(row, 9, &member->verdict);
	if (!err)
		err = name_at(row, 10, &member->reason);
	if (err)
		return err;
	member->from_us = number_at(row, 2);
	member->to_us = number_at(row, 3);
	member->summaries = number_at(row, 4);
	member->lost = number_at(row, 5);
	member->builds = number_at(row, 6);
	return take_labels(row, member);
}

static int take_missing(struct answer_row *row)
{
	const uint32_t number = member_at(row);

	if (number != UINT32_MAX)
		row->facts->member[number].missing = number_at(row, 2);
	return 0;
}

/* The numbers of "[1,2,3]" up to room; returns their count, and moves *text past the bracket. */
static size_t take_array(char **text, uint64_t *value, size_t room)
{
	size_t count = 0;

	for (; **text && **text != ']';) {
		char *end;
		const uint64_t number = strtoull(*text, &end, 10);

		if (end == *text) {
			(*text)++;
			continue;
		}
		if (count < room)
			value[count++] = number;
		*text = end;
	}
	*text += **text == ']';
	return count;
}

/* Of two columns. */
static int take_wall(const struct answer_row *row, size_t column, struct scope_fleet_coarse *wall)
{
	uint64_t bucket[SCOPE_FLEET_BUCKETS], count[SCOPE_FLEET_BUCKETS];
	char *at = row->column[column];
	size_t buckets = take_array(&at, bucket, SCOPE_FLEET_BUCKETS), counts;
	int err = 0;

	counts = take_array(&at, count, SCOPE_FLEET_BUCKETS);
	for (size_t i = 0; !err && i < buckets && i < counts; i++)
		if (bucket[i] < SCOPE_FLEET_BUCKETS)
			err = scope_fleet_coarse_add(wall, (uint32_t)bucket[i], count[i]);
	return err;
}

static int take_link(struct answer_row *row)
{
	struct scope_fleet_link_facts *link = scope_fleet_facts_add_link(row->facts);
	int err = link ? name_at(row, 3, &link->client) : -ENOMEM;

	if (!err)
		err = name_at(row, 4, &link->server);
	if (err)
		return err;
	link->member = member_at(row);
	link->answers = number_at(row, 2);
	link->connections = number_at(row, 5);
	link->exchanges = number_at(row, 6);
	link->mixed = number_at(row, 7);
	return take_wall(row, 8, &link->wall);
}

static int take_exchange(struct answer_row *row)
{
	struct scope_fleet_exchange_facts *exchange = scope_fleet_facts_add_exchange(row->facts);
	int err = exchange ? name_at(row, 3, &exchange->client) : -ENOMEM;

	if (!err)
		err = name_at(row, 4, &exchange->server);
	if (err)
		return err;
	exchange->member = member_at(row);
	exchange->answers = number_at(row, 2);
	exchange->port = number_at(row, 5);
	exchange->at_us = number_at(row, 6);
	exchange->took_us = number_at(row, 7);
	return 0;
}

static int take_group(struct answer_row *row)
{
	const uint32_t number = member_at(row);
	uint64_t state_us[SCOPE_FLEET_STATES] = { 0 };
	struct scope_fleet_group_facts *group;
	struct scope_fleet_member *member;
	char *at = row->column[7];
	int err;

	if (number == UINT32_MAX)
		return 0;
	take_array(&at, state_us, SCOPE_FLEET_STATES);
	member = &row->facts->member[number];
	member->units += number_at(row, 4);
	member->excess_us += number_at(row, 6);
	for (unsigned i = 0; i < SCOPE_FLEET_STATES; i++)
		member->busy_us += state_us[i];
	if (!number_at(row, 3))
		return 0;
	member->requests += number_at(row, 4);
	member->slow += number_at(row, 5);
	group = scope_fleet_facts_add_group(row->facts);
	if (!group)
		return -ENOMEM;
	group->member = number;
	group->units = number_at(row, 4);
	group->slow = number_at(row, 5);
	group->excess_us = number_at(row, 6);
	memcpy(group->state_us, state_us, sizeof(state_us));
	err = name_at(row, 2, &group->group);
	return err ? err : take_wall(row, 8, &group->wall);
}

static int take_blame(const struct answer_row *row, struct scope_fleet_blame_facts **ret_blame)
{
	struct scope_fleet_blame_facts *blame = scope_fleet_facts_add_blame(row->facts);
	int err = blame ? name_at(row, 2, &blame->name) : -ENOMEM;

	if (!err)
		err = name_at(row, 3, &blame->module);
	if (!err)
		err = name_at(row, 4, &blame->build_id);
	if (err)
		return err;
	blame->member = member_at(row);
	blame->outside = number_at(row, 5);
	*ret_blame = blame;
	return 0;
}

static int take_excess(struct answer_row *row)
{
	struct scope_fleet_blame_facts *blame;
	int err = take_blame(row, &blame);

	if (!err)
		blame->excess_us = number_at(row, 6);
	return err;
}

static int take_finding(struct answer_row *row)
{
	struct scope_fleet_blame_facts *blame;
	int err = take_blame(row, &blame);

	if (!err)
		err = name_at(row, 6, &blame->kind);
	if (!err)
		err = name_at(row, 7, &blame->confidence);
	if (!err)
		err = name_at(row, 8, &blame->group);
	if (err)
		return err;
	blame->found = true;
	blame->threads = number_at(row, 9);
	blame->usual_us = number_at(row, 10);
	blame->p50_us = number_at(row, 11);
	blame->p99_us = number_at(row, 12);
	blame->units = number_at(row, 13);
	blame->stuck = number_at(row, 14);
	blame->since_us = number_at(row, 15);
	blame->from_begin = number_at(row, 16);
	blame->last_us = number_at(row, 17);
	return 0;
}

static int take_rows(struct scope_fleet_facts *facts, char *answer, size_t columns, int (*take)(struct answer_row *row),
		     struct scope_error *error)
{
	int err = 0;

	for (char *line = answer, *next; !err && *line; line = next) {
		struct answer_row row = { .facts = facts };
		char *end = strchrnul(line, '\n');

		next = end + !!*end;
		*end = '\0';
		for (char *at = line; at && row.columns < columns;) {
			char *tab = strchr(at, '\t');

			row.column[row.columns++] = at;
			if (tab)
				*tab++ = '\0';
			at = tab;
		}
		if (row.columns != columns)
			return scope_error_set(error, -EBADMSG, "the server's answer makes no sense: %.100s", line);
		for (size_t i = 0; i < columns; i++)
			restore(row.column[i]);
		err = take(&row);
		if (err)
			scope_error_set(error, err, "no memory for the report");
	}
	return err;
}

int scope_fleet_clickhouse_facts(struct scope_fleet_client *client, uint64_t since_s, struct scope_error *error,
				 struct scope_fleet_facts **ret_facts)
{
	static const struct {
		const char *query;
		size_t columns;
		int (*take)(struct answer_row *row);
	} steps[] = {
		{ members_query, 13, take_member },    { missing_query, 3, take_missing },
		{ groups_query, 9, take_group },       { excess_query, 7, take_excess },
		{ findings_query, 18, take_finding },  { links_query, 9, take_link },
		{ exchanges_query, 8, take_exchange },
	};
	struct scope_fleet_facts *facts = calloc(1, sizeof(*facts));
	char where[64] = "1", query[2048], *answer;
	int err = facts ? 0 : scope_error_set(error, -ENOMEM, "no memory for the report");

	if (since_s)
		snprintf(where, sizeof(where), "received >= now() - %" PRIu64, since_s);
	for (size_t i = 0; !err && i < sizeof(steps) / sizeof(*steps); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(query, sizeof(query), steps[i].query, where);
#pragma GCC diagnostic pop
		err = scope_fleet_client_query(client, query, NULL, 0, error, &answer);
		if (!err) {
			err = take_rows(facts, answer, steps[i].columns, steps[i].take, error);
			free(answer);
		}
	}
	if (err) {
		scope_fleet_facts_destroy(facts);
		return err;
	}
	scope_fleet_facts_merge(facts);
	*ret_facts = facts;
	return 0;
}
