// SPDX-License-Identifier: GPL-2.0-only
/* The tables in ClickHouse, and how those of earlier versions are changed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "fleet/clickhouse.h"

/* The version that a statement makes, and the statement. Never change one that was released: add others. */
static const struct {
	unsigned version;
	const char *statement;
} migrations[] = {
	{ 1,
	  "CREATE TABLE IF NOT EXISTS scope_summary (capture1 UInt64, capture2 UInt64, number UInt64, host String,"
	  " program String, build_id String, pid UInt64, version String, kernel String, source String, verdict String,"
	  " reason String, from_us UInt64, to_us UInt64, step_s UInt32, lost UInt64, requests UInt64, slow UInt64,"
	  " label_keys Array(String), label_values Array(String), received DateTime DEFAULT now())"
	  " ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(received)"
	  " ORDER BY (program, host, capture1, capture2, number)" },
	{ 1, "CREATE TABLE IF NOT EXISTS scope_second (capture1 UInt64, capture2 UInt64, number UInt64, host String,"
	     " program String, grp String, calls String, is_request UInt8, at DateTime, units UInt64, slow UInt64,"
	     " excess_us UInt64, states Array(UInt64), buckets Array(UInt16), counts Array(UInt64),"
	     " received DateTime DEFAULT now()) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMMDD(received)"
	     " ORDER BY (program, host, capture1, capture2, number, at, grp, calls, is_request)" },
	{ 1, "CREATE TABLE IF NOT EXISTS scope_minute (capture1 UInt64, capture2 UInt64, number UInt64, host String,"
	     " program String, grp String, is_request UInt8, at DateTime, units UInt64, slow UInt64, excess_us UInt64,"
	     " states Array(UInt64), buckets Array(UInt16), counts Array(UInt64), received DateTime DEFAULT now())"
	     " ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(received)"
	     " ORDER BY (program, host, capture1, capture2, number, at, grp, is_request)" },
	{ 1, "CREATE TABLE IF NOT EXISTS scope_excess (capture1 UInt64, capture2 UInt64, number UInt64, host String,"
	     " program String, function String, module String, build_id String, outside UInt8, at DateTime,"
	     " excess_us UInt64, received DateTime DEFAULT now()) ENGINE = ReplacingMergeTree"
	     " PARTITION BY toYYYYMM(received)"
	     " ORDER BY (program, host, capture1, capture2, number, at, function, module, build_id, outside)" },
	{ 1,
	  "CREATE TABLE IF NOT EXISTS scope_finding (capture1 UInt64, capture2 UInt64, number UInt64, host String,"
	  " program String, place UInt32, function String, module String, build_id String, outside UInt8, kind String,"
	  " confidence String, grp String, stuck UInt8, threads UInt32, from_begin UInt8, units UInt64,"
	  " excess_us UInt64, usual_us UInt64, p50_us UInt64, p99_us UInt64, since_us UInt64, last_us UInt64,"
	  " received DateTime DEFAULT now()) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(received)"
	  " ORDER BY (program, host, capture1, capture2, number, place)" },
	{ 2, "CREATE TABLE IF NOT EXISTS scope_link (capture1 UInt64, capture2 UInt64, number UInt64, host String,"
	     " program String, answers UInt8, client String, server String, connections UInt64, exchanges UInt64,"
	     " mixed UInt64, buckets Array(UInt16), counts Array(UInt64), received DateTime DEFAULT now())"
	     " ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(received)"
	     " ORDER BY (program, host, capture1, capture2, number, answers, client, server)" },
	{ 2, "CREATE TABLE IF NOT EXISTS scope_exchange (capture1 UInt64, capture2 UInt64, number UInt64, host String,"
	     " program String, answers UInt8, client String, server String, port UInt16, at_us UInt64, took_us UInt64,"
	     " received DateTime DEFAULT now()) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(received)"
	     " ORDER BY (program, host, capture1, capture2, number, answers, client, server, port, at_us, took_us)" },
};

#define VERSION 2u /* no rule: of the last migration */

int scope_fleet_clickhouse_prepare(struct scope_fleet_client *client, struct scope_error *error)
{
	char *answer, insert[96];
	unsigned version;
	int err =
		scope_fleet_client_query(client,
					 "CREATE TABLE IF NOT EXISTS scope_schema (version UInt32, at DateTime DEFAULT"
					 " now()) ENGINE = ReplacingMergeTree ORDER BY version",
					 NULL, 0, error, &answer);

	if (err)
		return err;
	free(answer);
	err = scope_fleet_client_query(client, "SELECT max(version) FROM scope_schema", NULL, 0, error, &answer);
	if (err)
		return err;
	version = (unsigned)strtoul(answer, NULL, 10);
	free(answer);
	if (version > VERSION)
		return scope_error_set(error, -EPROTO,
				       "the tables there are of version %u, this program knows %u: use a newer one",
				       version, VERSION);
	for (size_t i = 0; !err && i < sizeof(migrations) / sizeof(*migrations); i++) {
		if (migrations[i].version <= version)
			continue;
		err = scope_fleet_client_query(client, migrations[i].statement, NULL, 0, error, &answer);
		if (!err)
			free(answer);
	}
	if (err || version == VERSION)
		return err;
	/* The version is written last, so that a change that failed half way is made again. */
	snprintf(insert, sizeof(insert), "INSERT INTO scope_schema (version) VALUES (%u)", VERSION);
	err = scope_fleet_client_query(client, insert, NULL, 0, error, &answer);
	if (!err)
		free(answer);
	return err;
}
