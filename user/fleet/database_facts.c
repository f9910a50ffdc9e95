// SPDX-License-Identifier: GPL-2.0-only
/* The sums over all hosts, by queries of the database. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/database.h"
#include "fleet/database_internal.h"

/*
 * ?1: seconds that count, the last ones of each member. Older rows of a summary are left out one by one; a summary
 * and its findings are left out as a whole.
 */
#define RECENT                                                                                                          \
	"WITH member AS (SELECT host, program, max(to_us) AS end_us FROM summary GROUP BY 1, 2),"                       \
	" recent AS (SELECT s.*, m.end_us / 1000000 - ?1 AS first_s FROM summary s JOIN member m USING (host, program)" \
	" WHERE s.to_us / 1000000 > m.end_us / 1000000 - ?1) "

static const char members_query[] = RECENT
	"SELECT s.program, s.host, min(s.from_us), max(s.to_us), count(*), sum(s.lost), sum(s.requests), sum(s.slow),"
	" count(DISTINCT s.build_id) FROM recent s GROUP BY 1, 2 ORDER BY 1, 2";

/* SQLite takes the other columns from the row that has the maximum. */
static const char latest_query[] = RECENT
	"SELECT s.program, s.host, s.build_id, s.kernel, s.verdict, s.reason, s.id, max(s.to_us) FROM recent s"
	" GROUP BY 1, 2 ORDER BY 1, 2";

/* Summaries of a capture are numbered without gaps. */
static const char missing_query[] = RECENT
	"SELECT program, host, sum(missing) FROM (SELECT program, host, max(number) - min(number) + 1 - count(*)"
	" AS missing FROM recent GROUP BY program, host, capture1, capture2) GROUP BY 1, 2 ORDER BY 1, 2";

static const char labels_query[] = RECENT
	"SELECT DISTINCT s.program, s.host, l.key, l.value FROM label l JOIN recent s ON s.id = l.summary"
	" ORDER BY 1, 2, 3, 4";

static const char groups_query[] = RECENT
	"SELECT s.program, s.host, r.grp, r.is_request, sum(r.units), sum(r.slow), sum(r.excess_us),"
	" fleet_states(r.states), fleet_wall(r.wall) FROM second r JOIN recent s ON s.id = r.summary"
	" WHERE r.at_s >= s.first_s GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4";

static const char excess_query[] = RECENT
	"SELECT s.program, s.host, e.function, e.module, e.build_id, e.outside, sum(e.excess_us)"
	" FROM excess e JOIN recent s ON s.id = e.summary WHERE e.at_s >= s.first_s"
	" GROUP BY 3, 4, 1, 2, 5, 6 ORDER BY 3, 4, 1, 2, 5, 6";

#define FINDINGS " FROM finding f JOIN recent s ON s.id = f.summary GROUP BY 3, 4, 1, 2, 5, 6 ORDER BY 3, 4, 1, 2, 5, 6"
#define FUNCTION "SELECT s.program, s.host, f.function, f.module, f.build_id, f.outside, "

/*
 * SQLite takes columns that are no sums from the row with the maximum, or the minimum, of which a query may have one.
 */
static const char worst_query[] = RECENT FUNCTION
	"f.kind, f.confidence, f.grp, f.threads, f.usual_us, f.p50_us, f.p99_us, sum(f.units),"
	" sum(f.stuck), max(f.excess_us)" FINDINGS;
static const char first_query[] = RECENT FUNCTION "f.from_begin, min(f.since_us)" FINDINGS;
static const char last_query[] = RECENT FUNCTION "max(f.last_us)" FINDINGS;

static const char links_query[] = RECENT
	"SELECT s.program, s.host, l.answers, l.client, l.server, max(l.connections), sum(l.exchanges), sum(l.mixed),"
	" fleet_wall(l.wall) FROM link l JOIN recent s ON s.id = l.summary GROUP BY 1, 2, 3, 4, 5";

/* ?2: of each link. */
static const char exchanges_query[] = RECENT
	"SELECT program, host, answers, client, server, port, at_us, took_us FROM (SELECT s.program, s.host, e.*,"
	" row_number() OVER (PARTITION BY s.program, s.host, e.answers, e.client, e.server ORDER BY e.took_us DESC,"
	" e.at_us, e.port) AS place FROM exchange e JOIN recent s ON s.id = e.summary) WHERE place <= ?2";

struct reading {
	struct scope_fleet_facts *facts;
	sqlite3_stmt *row;
};

static const char *text_at(const struct reading *reading, int column)
{
	const unsigned char *text = scope_sqlite.column_text(reading->row, column);

	return text ? (const char *)text : "";
}

static uint64_t number_at(const struct reading *reading, int column)
{
	const sqlite3_int64 number = scope_sqlite.column_int64(reading->row, column);

	return number > 0 ? (uint64_t)number : 0;
}

static int name_at(const struct reading *reading, int column, uint32_t *ret_number)
{
	return scope_fleet_names_add(&reading->facts->names, text_at(reading, column), ret_number);
}

/* Of the first two columns. */
static uint32_t member_at(const struct reading *reading)
{
	return scope_fleet_facts_member(reading->facts, text_at(reading, 1), text_at(reading, 0));
}

static int take_member(struct reading *reading)
{
	struct scope_fleet_member *member = scope_fleet_facts_add_member(reading->facts);
	int err = member ? name_at(reading, 0, &member->program) : -ENOMEM;

	if (!err)
		err = name_at(reading, 1, &member->host);
	if (err)
		return err;
	member->from_us = number_at(reading, 2);
	member->to_us = number_at(reading, 3);
	member->summaries = number_at(reading, 4);
	member->lost = number_at(reading, 5);
	member->builds = number_at(reading, 8);
	return 0;
}

static int take_latest(struct reading *reading)
{
	const uint32_t number = member_at(reading);
	struct scope_fleet_member *member;
	int err = 0;

	if (number == UINT32_MAX)
		return 0;
	member = &reading->facts->member[number];
	err = name_at(reading, 2, &member->build_id);
	if (!err)
		err = name_at(reading, 3, &member->kernel);
	if (!err)
		err = name_at(reading, 4, &member->verdict);
	return err ? err : name_at(reading, 5, &member->reason);
}

static int take_missing(struct reading *reading)
{
	const uint32_t number = member_at(reading);

	if (number != UINT32_MAX)
		reading->facts->member[number].missing = number_at(reading, 2);
	return 0;
}

static int take_label(struct reading *reading)
{
	const uint32_t number = member_at(reading);
	struct scope_fleet_member *member;
	struct scope_fleet_label label;
	int err = name_at(reading, 2, &label.key);

	if (!err)
		err = name_at(reading, 3, &label.value);
	if (err || number == UINT32_MAX)
		return err;
	member = &reading->facts->member[number];
	if (member->labels < SCOPE_FLEET_LABELS_MAX)
		member->label[member->labels++] = label;
	return 0;
}

static int take_group(struct reading *reading)
{
	const uint32_t number = member_at(reading);
	const uint64_t *states = scope_sqlite.column_blob(reading->row, 7);
	const bool request = number_at(reading, 3);
	struct scope_fleet_member *member;
	struct scope_fleet_group_facts *group;
	uint64_t state_us[SCOPE_FLEET_STATES] = { 0 };
	int err;

	if (number == UINT32_MAX)
		return 0;
	if (states && scope_sqlite.column_bytes(reading->row, 7) == sizeof(state_us))
		memcpy(state_us, states, sizeof(state_us));
	member = &reading->facts->member[number];
	member->units += number_at(reading, 4);
	member->excess_us += number_at(reading, 6);
	for (unsigned i = 0; i < SCOPE_FLEET_STATES; i++)
		member->busy_us += state_us[i];
	if (!request)
		return 0;
	member->requests += number_at(reading, 4);
	member->slow += number_at(reading, 5);
	group = scope_fleet_facts_add_group(reading->facts);
	if (!group)
		return -ENOMEM;
	group->member = number;
	group->units = number_at(reading, 4);
	group->slow = number_at(reading, 5);
	group->excess_us = number_at(reading, 6);
	memcpy(group->state_us, state_us, sizeof(state_us));
	err = name_at(reading, 2, &group->group);
	return err ? err
		   : scope_fleet_coarse_take(&group->wall, scope_sqlite.column_blob(reading->row, 8),
					     (size_t)scope_sqlite.column_bytes(reading->row, 8));
}

static int take_blame(struct reading *reading, struct scope_fleet_blame_facts **ret_blame)
{
	struct scope_fleet_blame_facts *blame = scope_fleet_facts_add_blame(reading->facts);
	int err = blame ? name_at(reading, 2, &blame->name) : -ENOMEM;

	if (!err)
		err = name_at(reading, 3, &blame->module);
	if (!err)
		err = name_at(reading, 4, &blame->build_id);
	if (err)
		return err;
	blame->member = member_at(reading);
	blame->outside = number_at(reading, 5);
	*ret_blame = blame;
	return 0;
}

static int take_excess(struct reading *reading)
{
	struct scope_fleet_blame_facts *blame;
	int err = take_blame(reading, &blame);

	if (!err)
		blame->excess_us = number_at(reading, 6);
	return err;
}

static int take_worst(struct reading *reading)
{
	struct scope_fleet_blame_facts *blame;
	int err = take_blame(reading, &blame);

	if (err)
		return err;
	blame->found = true;
	err = name_at(reading, 6, &blame->kind);
	if (!err)
		err = name_at(reading, 7, &blame->confidence);
	if (!err)
		err = name_at(reading, 8, &blame->group);
	blame->threads = number_at(reading, 9);
	blame->usual_us = number_at(reading, 10);
	blame->p50_us = number_at(reading, 11);
	blame->p99_us = number_at(reading, 12);
	blame->units = number_at(reading, 13);
	blame->stuck = number_at(reading, 14);
	return err;
}

static int take_first(struct reading *reading)
{
	struct scope_fleet_blame_facts *blame;
	int err = take_blame(reading, &blame);

	if (err)
		return err;
	blame->from_begin = number_at(reading, 6);
	blame->since_us = number_at(reading, 7);
	return 0;
}

static int take_last(struct reading *reading)
{
	struct scope_fleet_blame_facts *blame;
	int err = take_blame(reading, &blame);

	if (!err)
		blame->last_us = number_at(reading, 6);
	return err;
}

static int take_link(struct reading *reading)
{
	struct scope_fleet_link_facts *link = scope_fleet_facts_add_link(reading->facts);
	int err = link ? name_at(reading, 3, &link->client) : -ENOMEM;

	if (!err)
		err = name_at(reading, 4, &link->server);
	if (err)
		return err;
	link->member = member_at(reading);
	link->answers = number_at(reading, 2);
	link->connections = number_at(reading, 5);
	link->exchanges = number_at(reading, 6);
	link->mixed = number_at(reading, 7);
	return scope_fleet_coarse_take(&link->wall, scope_sqlite.column_blob(reading->row, 8),
				       (size_t)scope_sqlite.column_bytes(reading->row, 8));
}

static int take_exchange(struct reading *reading)
{
	struct scope_fleet_exchange_facts *exchange = scope_fleet_facts_add_exchange(reading->facts);
	int err = exchange ? name_at(reading, 3, &exchange->client) : -ENOMEM;

	if (!err)
		err = name_at(reading, 4, &exchange->server);
	if (err)
		return err;
	exchange->member = member_at(reading);
	exchange->answers = number_at(reading, 2);
	exchange->port = number_at(reading, 5);
	exchange->at_us = number_at(reading, 6);
	exchange->took_us = number_at(reading, 7);
	return 0;
}

/* The sum of arrays. */
static void states_step(sqlite3_context *context, int count, sqlite3_value **value)
{
	uint64_t *sum = scope_sqlite.aggregate_context(context, SCOPE_FLEET_STATES * sizeof(*sum));
	const uint64_t *states = scope_sqlite.value_blob(*value);
	uint64_t one[SCOPE_FLEET_STATES];

	(void)count;
	if (!sum || !states || scope_sqlite.value_bytes(*value) != sizeof(one))
		return;
	memcpy(one, states, sizeof(one));
	for (unsigned i = 0; i < SCOPE_FLEET_STATES; i++)
		sum[i] += one[i];
}

static void states_final(sqlite3_context *context)
{
	uint64_t *sum = scope_sqlite.aggregate_context(context, 0);

	if (sum)
		scope_sqlite.result_blob(context, sum, SCOPE_FLEET_STATES * sizeof(*sum), SQLITE_TRANSIENT);
}

/* The sum of distributions. */
static void wall_step(sqlite3_context *context, int count, sqlite3_value **value)
{
	struct scope_fleet_coarse *sum = scope_sqlite.aggregate_context(context, sizeof(*sum));

	(void)count;
	if (!sum ||
	    scope_fleet_coarse_take(sum, scope_sqlite.value_blob(*value), (size_t)scope_sqlite.value_bytes(*value)))
		scope_sqlite.result_error_nomem(context);
}

static void wall_final(sqlite3_context *context)
{
	struct scope_fleet_coarse *sum = scope_sqlite.aggregate_context(context, 0);
	uint8_t *bytes = sum ? malloc(SCOPE_FLEET_COARSE_BYTES(sum->count) + 1) : NULL;

	if (sum && !bytes)
		scope_sqlite.result_error_nomem(context);
	if (bytes)
		scope_sqlite.result_blob64(context, bytes, scope_fleet_coarse_put(sum, bytes), free);
	if (sum)
		scope_fleet_coarse_free(sum);
}

static int run(struct scope_fleet_store *store, const char *query, uint64_t since_s, struct scope_fleet_facts *facts,
	       int (*take)(struct reading *reading), struct scope_error *error)
{
	struct reading reading = { .facts = facts };
	int code, err = 0;

	if (scope_sqlite.prepare_v2(store->handle, query, -1, &reading.row, NULL) != SQLITE_OK)
		return scope_fleet_store_fail(store, error);
	scope_sqlite.bind_int64(reading.row, 1, since_s ? (sqlite3_int64)since_s : INT64_MAX / 4);
	if (scope_sqlite.bind_parameter_count(reading.row) > 1)
		scope_sqlite.bind_int64(reading.row, 2, SCOPE_FLEET_LINK_EXCHANGES);
	while (!err && (code = scope_sqlite.step(reading.row)) == SQLITE_ROW)
		err = take(&reading);
	if (err)
		scope_error_set(error, err, err == -ENOMEM ? "no memory for the report" : "%s is damaged", store->name);
	else if (code != SQLITE_DONE)
		err = scope_fleet_store_fail(store, error);
	scope_sqlite.finalize(reading.row);
	return err;
}

int scope_fleet_store_facts(struct scope_fleet_store *store, uint64_t since_s, struct scope_error *error,
			    struct scope_fleet_facts **ret_facts)
{
	static const struct {
		const char *query;
		int (*take)(struct reading *reading);
	} steps[] = {
		{ members_query, take_member }, { latest_query, take_latest },	    { missing_query, take_missing },
		{ labels_query, take_label },	{ groups_query, take_group },	    { excess_query, take_excess },
		{ worst_query, take_worst },	{ first_query, take_first },	    { last_query, take_last },
		{ links_query, take_link },	{ exchanges_query, take_exchange },
	};
	struct scope_fleet_facts *facts = calloc(1, sizeof(*facts));
	int err = facts ? 0 : scope_error_set(error, -ENOMEM, "no memory for the report");

	if (!err && (scope_sqlite.create_function(store->handle, "fleet_states", 1, SQLITE_UTF8, NULL, NULL,
						  states_step, states_final) != SQLITE_OK ||
		     scope_sqlite.create_function(store->handle, "fleet_wall", 1, SQLITE_UTF8, NULL, NULL, wall_step,
						  wall_final) != SQLITE_OK))
		err = scope_fleet_store_fail(store, error);
	for (size_t i = 0; !err && i < sizeof(steps) / sizeof(*steps); i++)
		err = run(store, steps[i].query, since_s, facts, steps[i].take, error);
	if (err) {
		scope_fleet_facts_destroy(facts);
		return err;
	}
	scope_fleet_facts_merge(facts);
	*ret_facts = facts;
	return 0;
}
