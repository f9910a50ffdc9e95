// SPDX-License-Identifier: GPL-2.0-only
/* Sends summaries to ClickHouse, in batches. */
#include "fleet/clickhouse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "fleet/row_binary.h"

#define BATCH_ROWS 50000u /* no rule: rows of a batch, about */

enum table {
	SECOND,
	MINUTE,
	EXCESS,
	FINDING,
	LINK,
	EXCHANGE,
	SUMMARY,
	TABLES
}; /* in the order in which they are sent */

static const char *const inserts[TABLES] = {
	[SECOND] = "INSERT INTO scope_second (capture1, capture2, number, host, program, grp, calls, is_request, at,"
		   " units, slow, excess_us, states, buckets, counts) FORMAT RowBinary",
	[MINUTE] = "INSERT INTO scope_minute (capture1, capture2, number, host, program, grp, is_request, at, units,"
		   " slow, excess_us, states, buckets, counts) FORMAT RowBinary",
	[EXCESS] = "INSERT INTO scope_excess (capture1, capture2, number, host, program, function, module, build_id,"
		   " outside, at, excess_us) FORMAT RowBinary",
	[FINDING] = "INSERT INTO scope_finding (capture1, capture2, number, host, program, place, function, module,"
		    " build_id, outside, kind, confidence, grp, stuck, threads, from_begin, units, excess_us, usual_us,"
		    " p50_us, p99_us, since_us, last_us) FORMAT RowBinary",
	[LINK] = "INSERT INTO scope_link (capture1, capture2, number, host, program, answers, client, server,"
		 " connections, exchanges, mixed, buckets, counts) FORMAT RowBinary",
	[EXCHANGE] = "INSERT INTO scope_exchange (capture1, capture2, number, host, program, answers, client, server,"
		     " port, at_us, took_us) FORMAT RowBinary",
	[SUMMARY] = "INSERT INTO scope_summary (capture1, capture2, number, host, program, build_id, pid, version,"
		    " kernel, source, verdict, reason, from_us, to_us, step_s, lost, requests, slow, label_keys,"
		    " label_values) FORMAT RowBinary",
};

/* A summary that the server has, or that is in this batch. */
struct known {
	uint64_t capture[2], number, pid, from_us, to_us;
	uint32_t host, program; /* of the batch's names */
};

struct scope_fleet_batch {
	struct scope_fleet_client *client;
	struct scope_fleet_names names;
	struct known *known;
	size_t knowns, known_capacity;
	uint32_t asked_host; /* the summaries of this host are known */
	struct scope_fleet_rows table[TABLES];
	uint64_t rows;
	struct scope_fleet_sent sent;
};

int scope_fleet_batch_create(struct scope_fleet_client *client, struct scope_fleet_batch **ret_batch)
{
	struct scope_fleet_batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return -ENOMEM;
	batch->client = client;
	*ret_batch = batch;
	return 0;
}

void scope_fleet_batch_destroy(struct scope_fleet_batch *batch)
{
	if (!batch)
		return;
	for (int i = 0; i < TABLES; i++)
		free(batch->table[i].data);
	scope_fleet_names_free(&batch->names);
	free(batch->known);
	free(batch);
}

const struct scope_fleet_sent *scope_fleet_batch_sent(const struct scope_fleet_batch *batch)
{
	return &batch->sent;
}

/* A text of a query, between quotes. */
static void escape(FILE *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' || *text == '\'')
			fputc('\\', to);
		fputc(*text, to);
	}
}

static void column(struct scope_fleet_rows *to, const struct scope_fleet_summary *summary, uint32_t text)
{
	scope_fleet_rows_text(to, scope_fleet_text(summary, text));
}

/* Begins a row with the columns that all tables have. */
static struct scope_fleet_rows *row(struct scope_fleet_batch *batch, enum table table,
				    const struct scope_fleet_summary *summary)
{
	struct scope_fleet_rows *to = &batch->table[table];

	scope_fleet_rows_u64(to, summary->capture[0]);
	scope_fleet_rows_u64(to, summary->capture[1]);
	scope_fleet_rows_u64(to, summary->number);
	column(to, summary, summary->host);
	column(to, summary, summary->program);
	batch->rows++;
	return to;
}

/* Two columns. */
static void buckets(struct scope_fleet_rows *to, const struct scope_fleet_coarse *wall)
{
	scope_fleet_rows_size(to, wall->count);
	for (size_t i = 0; i < wall->count; i++)
		scope_fleet_rows_u16(to, wall->at[i].bucket);
	scope_fleet_rows_size(to, wall->count);
	for (size_t i = 0; i < wall->count; i++)
		scope_fleet_rows_u64(to, wall->at[i].count);
}

static void sums(struct scope_fleet_rows *to, const struct scope_fleet_second *second)
{
	scope_fleet_rows_u64(to, second->units);
	scope_fleet_rows_u64(to, second->slow);
	scope_fleet_rows_u64(to, second->excess_us);
	scope_fleet_rows_size(to, SCOPE_FLEET_STATES);
	for (unsigned i = 0; i < SCOPE_FLEET_STATES; i++)
		scope_fleet_rows_u64(to, second->state_us[i]);
	buckets(to, &second->wall);
}

static void add_second(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary,
		       const struct scope_fleet_second *second)
{
	struct scope_fleet_rows *to = row(batch, SECOND, summary);

	column(to, summary, summary->kind[second->kind].group);
	column(to, summary, summary->kind[second->kind].calls);
	scope_fleet_rows_u8(to, summary->kind[second->kind].request);
	scope_fleet_rows_u32(to, second->at_s);
	sums(to, second);
}

/* The seconds of a group and a minute together. */
static int add_minute(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary, size_t first,
		      bool *done)
{
	const struct scope_fleet_kind *kind = &summary->kind[summary->second[first].kind];
	const uint64_t minute = summary->second[first].at_s / 60;
	struct scope_fleet_second sum = { .at_s = minute * 60 };
	struct scope_fleet_rows *to;
	int err = 0;

	for (size_t i = first; !err && i < summary->seconds && summary->second[i].at_s / 60 == minute; i++) {
		const struct scope_fleet_second *second = &summary->second[i];

		if (summary->kind[second->kind].group != kind->group ||
		    summary->kind[second->kind].request != kind->request)
			continue;
		done[i] = true;
		sum.units += second->units;
		sum.slow += second->slow;
		sum.excess_us += second->excess_us;
		for (unsigned k = 0; k < SCOPE_FLEET_STATES; k++)
			sum.state_us[k] += second->state_us[k];
		err = scope_fleet_coarse_merge(&sum.wall, &second->wall);
	}
	to = row(batch, MINUTE, summary);
	column(to, summary, kind->group);
	scope_fleet_rows_u8(to, kind->request);
	scope_fleet_rows_u32(to, sum.at_s);
	sums(to, &sum);
	scope_fleet_coarse_free(&sum.wall);
	return err;
}

static int add_minutes(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary)
{
	bool *done = calloc(summary->seconds + 1, sizeof(*done));
	int err = done ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < summary->seconds; i++)
		if (!done[i])
			err = add_minute(batch, summary, i, done);
	free(done);
	return err;
}

static void function(struct scope_fleet_rows *to, const struct scope_fleet_summary *summary, uint32_t index)
{
	static const struct scope_fleet_function none;
	const struct scope_fleet_function *of = index == SCOPE_FLEET_NO_FUNCTION ? &none : &summary->function[index];

	column(to, summary, of->name);
	column(to, summary, of->module);
	column(to, summary, of->build_id);
	scope_fleet_rows_u8(to, of->outside);
}

/* The excess of a function and a minute, over all kinds. Rows are in order of time. */
static void add_excesses(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary)
{
	for (size_t i = 0; i < summary->excesses;) {
		const uint64_t minute = summary->excess[i].at_s / 60;
		size_t end = i;

		while (end < summary->excesses && summary->excess[end].at_s / 60 == minute)
			end++;
		for (uint32_t of = 0; of < summary->functions; of++) {
			uint64_t excess_us = 0;
			struct scope_fleet_rows *to;

			for (size_t k = i; k < end; k++)
				excess_us += summary->excess[k].function == of ? summary->excess[k].excess_us : 0;
			if (!excess_us)
				continue;
			to = row(batch, EXCESS, summary);
			function(to, summary, of);
			scope_fleet_rows_u32(to, minute * 60);
			scope_fleet_rows_u64(to, excess_us);
		}
		i = end;
	}
}

static void ends(struct scope_fleet_rows *to, const struct scope_fleet_summary *summary,
		 const struct scope_fleet_link *link)
{
	scope_fleet_rows_u8(to, link->answers);
	column(to, summary, link->client);
	column(to, summary, link->server);
}

static void add_links(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary)
{
	for (size_t i = 0; i < summary->links; i++) {
		const struct scope_fleet_link *link = &summary->link[i];
		struct scope_fleet_rows *to = row(batch, LINK, summary);

		ends(to, summary, link);
		scope_fleet_rows_u64(to, link->connections);
		scope_fleet_rows_u64(to, link->exchanges);
		scope_fleet_rows_u64(to, link->mixed);
		buckets(to, &link->wall);
	}
	for (size_t i = 0; i < summary->exchanges; i++) {
		const struct scope_fleet_exchange *exchange = &summary->exchange[i];
		struct scope_fleet_rows *to = row(batch, EXCHANGE, summary);

		ends(to, summary, &summary->link[exchange->link]);
		scope_fleet_rows_u16(to, exchange->port);
		scope_fleet_rows_u64(to, exchange->at_us);
		scope_fleet_rows_u64(to, exchange->took_us);
	}
}

static void add_finding(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary, size_t place)
{
	const struct scope_fleet_finding *finding = &summary->finding[place];
	const uint64_t numbers[] = { finding->units,  finding->excess_us, finding->usual_us, finding->p50_us,
				     finding->p99_us, finding->since_us,  finding->last_us };
	struct scope_fleet_rows *to = row(batch, FINDING, summary);

	scope_fleet_rows_u32(to, place);
	function(to, summary, finding->function);
	column(to, summary, finding->kind);
	column(to, summary, finding->confidence);
	column(to, summary, finding->group);
	scope_fleet_rows_u8(to, finding->stuck);
	scope_fleet_rows_u32(to, finding->threads);
	scope_fleet_rows_u8(to, finding->from_begin);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		scope_fleet_rows_u64(to, numbers[i]);
}

static void labels(struct scope_fleet_rows *to, const struct scope_fleet_summary *summary, bool values)
{
	scope_fleet_rows_size(to, summary->labels);
	for (size_t i = 0; i < summary->labels; i++)
		column(to, summary, values ? summary->label[i].value : summary->label[i].key);
}

static void add_summary(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary)
{
	struct scope_fleet_rows *to = row(batch, SUMMARY, summary);

	column(to, summary, summary->build_id);
	scope_fleet_rows_u64(to, summary->pid);
	column(to, summary, summary->version);
	column(to, summary, summary->kernel);
	column(to, summary, summary->source);
	column(to, summary, summary->verdict);
	column(to, summary, summary->reason);
	scope_fleet_rows_u64(to, summary->from_us);
	scope_fleet_rows_u64(to, summary->to_us);
	scope_fleet_rows_u32(to, summary->step_s);
	scope_fleet_rows_u64(to, summary->lost);
	scope_fleet_rows_u64(to, summary->requests);
	scope_fleet_rows_u64(to, summary->slow);
	labels(to, summary, false);
	labels(to, summary, true);
}

static int know(struct scope_fleet_batch *batch, const struct known *known)
{
	if (scope_grow(&batch->known, &batch->known_capacity, batch->knowns + 1, sizeof(*known)))
		return -ENOMEM;
	batch->known[batch->knowns++] = *known;
	return 0;
}

/* Asks once for each host which of its summaries the server has. Summaries of one host come one after another. */
static int ask(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary, uint32_t host,
	       struct scope_error *error)
{
	char *query = NULL, *answer = NULL, *line, *rest;
	struct known known = { .host = host };
	size_t size;
	FILE *to;
	int err = 0;

	if (batch->asked_host == host)
		return 0;
	to = open_memstream(&query, &size);
	if (!to)
		return -ENOMEM;
	fputs("SELECT DISTINCT capture1, capture2, number, pid, from_us, to_us, program FROM scope_summary WHERE host = '",
	      to);
	escape(to, scope_fleet_text(summary, summary->host));
	fputs("' FORMAT TabSeparated", to);
	err = fclose(to) ? -ENOMEM : scope_fleet_client_query(batch->client, query, NULL, 0, error, &answer);
	free(query);
	batch->knowns = 0;
	for (line = err ? NULL : strtok_r(answer, "\n", &rest); line && !err; line = strtok_r(NULL, "\n", &rest)) {
		int length = 0;

		if (sscanf(line, "%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "\t%" SCNu64 "%n",
			   &known.capture[0], &known.capture[1], &known.number, &known.pid, &known.from_us,
			   &known.to_us, &length) != 6 ||
		    line[length] != '\t')
			err = scope_error_set(error, -EBADMSG, "the server's answer makes no sense: %.100s", line);
		else if (!(err = scope_fleet_names_add(&batch->names, line + length + 1, &known.program)))
			err = know(batch, &known);
	}
	free(answer);
	if (!err)
		batch->asked_host = host;
	return err;
}

static bool is_left_out(struct scope_fleet_batch *batch, const struct known *one)
{
	bool overlaps = false;

	for (size_t i = 0; i < batch->knowns; i++) {
		const struct known *known = &batch->known[i];

		if (known->capture[0] == one->capture[0] && known->capture[1] == one->capture[1] &&
		    known->number == one->number) {
			batch->sent.twice++;
			return true;
		}
		overlaps |= known->host == one->host && known->program == one->program && known->pid == one->pid &&
			    known->from_us < one->to_us && known->to_us > one->from_us;
	}
	batch->sent.overlapping += overlaps;
	return overlaps;
}

int scope_fleet_batch_add(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary,
			  struct scope_error *error)
{
	struct known one = { { summary->capture[0], summary->capture[1] },
			     summary->number,
			     summary->pid,
			     summary->from_us,
			     summary->to_us,
			     0,
			     0 };
	int err = scope_fleet_names_add(&batch->names, scope_fleet_text(summary, summary->host), &one.host);

	if (!err)
		err = scope_fleet_names_add(&batch->names, scope_fleet_text(summary, summary->program), &one.program);
	if (!err)
		err = ask(batch, summary, one.host, error);
	if (err)
		return err == -ENOMEM ? scope_error_set(error, err, "no memory for a batch") : err;
	if (is_left_out(batch, &one))
		return 0;
	err = know(batch, &one);
	for (size_t i = 0; !err && i < summary->seconds; i++)
		add_second(batch, summary, &summary->second[i]);
	if (!err)
		err = add_minutes(batch, summary);
	if (err)
		return scope_error_set(error, err, "no memory for a batch");
	add_excesses(batch, summary);
	for (size_t i = 0; i < summary->findings; i++)
		add_finding(batch, summary, i);
	add_links(batch, summary);
	add_summary(batch, summary);
	batch->sent.summaries++;
	return batch->rows < BATCH_ROWS ? 0 : scope_fleet_batch_flush(batch, error);
}

/* Summaries are sent last, so that a summary on the server has all its rows. */
int scope_fleet_batch_flush(struct scope_fleet_batch *batch, struct scope_error *error)
{
	int err = 0;

	for (int i = 0; !err && i < TABLES; i++) {
		char *answer;

		const struct scope_fleet_rows *table = &batch->table[i];

		if (table->failed)
			err = scope_error_set(error, -ENOMEM, "no memory for a batch");
		else if (table->bytes)
			err = scope_fleet_client_query(batch->client, inserts[i], (const char *)table->data,
						       table->bytes, error, &answer);
		else
			continue;
		if (!err)
			free(answer);
	}
	if (!err)
		batch->sent.rows += batch->rows;
	for (int i = 0; i < TABLES; i++) {
		batch->table[i].bytes = 0;
		batch->table[i].failed = false;
	}
	batch->rows = 0;
	return err;
}
