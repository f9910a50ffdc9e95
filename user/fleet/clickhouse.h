/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The summaries of many hosts in ClickHouse, by its HTTP interface.
 *
 * Tables (all ReplacingMergeTree, with all that identifies a row in their order):
 *
 * scope_summary one of a host, written after all its rows scope_second requests of a kind that ended in a step of
 * time, with their distribution scope_minute the same of a group by minute: reports add these up scope_excess of a
 * function, by minute scope_finding of the analysis of a host scope_link requests between two addresses
 * scope_exchange one of these scope_schema the version of these tables (fleet/clickhouse_schema.c)
 *
 * Queries take one of the rows that have the same key, so that a row that was sent twice, and not merged yet, counts
 * once.
 */
#ifndef SCOPE_FLEET_CLICKHOUSE_H
#define SCOPE_FLEET_CLICKHOUSE_H

#include "fleet/facts.h"
#include "fleet/http_client.h"

/* Creates missing tables, and changes older ones. 0; -EPROTO: they are of a newer version; -errno; with error. */
int scope_fleet_clickhouse_prepare(struct scope_fleet_client *client, struct scope_error *error);

/* Summaries that are being sent in batches. */
struct scope_fleet_batch;

struct scope_fleet_sent {
	uint64_t summaries, rows;
	uint64_t twice, overlapping; /* left out, see fleet/database.h */
};

int scope_fleet_batch_create(struct scope_fleet_client *client, struct scope_fleet_batch **ret_batch);
void scope_fleet_batch_destroy(struct scope_fleet_batch *batch); /* NULL is fine */
/* 0, or -errno with error. Sends what was added before if it is enough for a request. */
int scope_fleet_batch_add(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary,
			  struct scope_error *error);
/* Sends the rest. */
int scope_fleet_batch_flush(struct scope_fleet_batch *batch, struct scope_error *error);
const struct scope_fleet_sent *scope_fleet_batch_sent(const struct scope_fleet_batch *batch);

/*
 * since_s: 0, or only summaries that the server got in the last since_s seconds, by its clock. 0, or -errno with
 * error.
 */
int scope_fleet_clickhouse_facts(struct scope_fleet_client *client, uint64_t since_s, struct scope_error *error,
				 struct scope_fleet_facts **ret_facts);

#endif
