// SPDX-License-Identifier: GPL-2.0-only
/* Summaries on their way to ClickHouse. */
#include "fleet/clickhouse.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

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
		   " units, slow, excess_us, states, buckets, counts) FORMAT TabSeparated",
	[MINUTE] = "INSERT INTO scope_minute (capture1, capture2, number, host, program, grp, is_request, at, units,"
		   " slow, excess_us, states, buckets, counts) FORMAT TabSeparated",
	[EXCESS] = "INSERT INTO scope_excess (capture1, capture2, number, host, program, function, module, build_id,"
		   " outside, at, excess_us) FORMAT TabSeparated",
	[FINDING] = "INSERT INTO scope_finding (capture1, capture2, number, host, program, place, function, module,"
		    " build_id, outside, kind, confidence, grp, stuck, threads, from_begin, units, excess_us, usual_us,"
		    " p50_us, p99_us, since_us, last_us) FORMAT TabSeparated",
	[LINK] = "INSERT INTO scope_link (capture1, capture2, number, host, program, answers, client, server,"
		 " connections, exchanges, mixed, buckets, counts) FORMAT TabSeparated",
	[EXCHANGE] = "INSERT INTO scope_exchange (capture1, capture2, number, host, program, answers, client, server,"
		     " port, at_us, took_us) FORMAT TabSeparated",
	[SUMMARY] = "INSERT INTO scope_summary (capture1, capture2, number, host, program, build_id, pid, version,"
		    " kernel, source, verdict, reason, from_us, to_us, step_s, lost, requests, slow, label_keys,"
		    " label_values) FORMAT TabSeparated",
};

/* A summary that is there, or in this batch. */
struct known {
	uint64_t capture[2], number, pid, from_us, to_us;
	uint32_t host, program; /* of the batch's names */
};

struct scope_fleet_batch {
	struct scope_fleet_client *client;
	struct scope_fleet_names names;
	struct known *known;
	size_t knowns, known_capacity;
	uint32_t asked_host; /* those of this host are among the known ones */
	char *text[TABLES];
	size_t bytes[TABLES];
	FILE *to[TABLES];
	uint64_t rows;
	struct scope_fleet_sent sent;
};

static void close_texts(struct scope_fleet_batch *batch)
{
	for (int i = 0; i < TABLES; i++) {
		if (batch->to[i])
			fclose(batch->to[i]);
		free(batch->text[i]);
		batch->to[i] = NULL;
		batch->text[i] = NULL;
	}
}

static int open_texts(struct scope_fleet_batch *batch)
{
	for (int i = 0; i < TABLES; i++) {
		batch->to[i] = open_memstream(&batch->text[i], &batch->bytes[i]);
		if (!batch->to[i])
			return -ENOMEM;
	}
	batch->rows = 0;
	return 0;
}

int scope_fleet_batch_create(struct scope_fleet_client *client, struct scope_fleet_batch **ret_batch)
{
	struct scope_fleet_batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return -ENOMEM;
	batch->client = client;
	if (open_texts(batch)) {
		scope_fleet_batch_destroy(batch);
		return -ENOMEM;
	}
	*ret_batch = batch;
	return 0;
}

void scope_fleet_batch_destroy(struct scope_fleet_batch *batch)
{
	if (!batch)
		return;
	close_texts(batch);
	scope_fleet_names_free(&batch->names);
	free(batch->known);
	free(batch);
}

const struct scope_fleet_sent *scope_fleet_batch_sent(const struct scope_fleet_batch *batch)
{
	return &batch->sent;
}

/* A text of a row, or a text of a query between quotes. */
static void escape(FILE *to, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '\t':
			fputs("\\t", to);
			break;
		case '\n':
			fputs("\\n", to);
			break;
		case '\\':
		case '\'':
			fputc('\\', to);
			fputc(*text, to);
			break;
		default:
			fputc(*text, to);
		}
	}
}

static void column(FILE *to, const struct scope_fleet_summary *summary, uint32_t text)
{
	fputc('\t', to);
	escape(to, scope_fleet_text(summary, text));
}

static void number(FILE *to, uint64_t value)
{
	fprintf(to, "\t%" PRIu64, value);
}

/* What each row begins with. */
static FILE *row(struct scope_fleet_batch *batch, enum table table, const struct scope_fleet_summary *summary)
{
	FILE *to = batch->to[table];

	fprintf(to, "%" PRIu64, summary->capture[0]);
	number(to, summary->capture[1]);
	number(to, summary->number);
	column(to, summary, summary->host);
	column(to, summary, summary->program);
	batch->rows++;
	return to;
}

/* The last two columns. */
static void buckets(FILE *to, const struct scope_fleet_coarse *wall)
{
	fputs("\t[", to);
	for (size_t i = 0; i < wall->count; i++)
		fprintf(to, "%s%" PRIu32, i ? "," : "", wall->at[i].bucket);
	fputs("]\t[", to);
	for (size_t i = 0; i < wall->count; i++)
		fprintf(to, "%s%" PRIu64, i ? "," : "", wall->at[i].count);
	fputs("]\n", to);
}

static void sums(FILE *to, const struct scope_fleet_second *second)
{
	number(to, second->units);
	number(to, second->slow);
	number(to, second->excess_us);
	for (unsigned i = 0; i < SCOPE_FLEET_STATES; i++)
		fprintf(to, "%s%" PRIu64, i ? "," : "\t[", second->state_us[i]);
	fputc(']', to);
	buckets(to, &second->wall);
}

static void add_second(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary,
		       const struct scope_fleet_second *second)
{
	FILE *to = row(batch, SECOND, summary);

	column(to, summary, summary->kind[second->kind].group);
	column(to, summary, summary->kind[second->kind].calls);
	number(to, summary->kind[second->kind].request);
	number(to, second->at_s);
	sums(to, second);
}

/* The seconds of a group and a minute together. */
static int add_minute(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary, size_t first,
		      bool *done)
{
	const struct scope_fleet_kind *kind = &summary->kind[summary->second[first].kind];
	const uint64_t minute = summary->second[first].at_s / 60;
	struct scope_fleet_second sum = { .at_s = minute * 60 };
	FILE *to;
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
	number(to, kind->request);
	number(to, sum.at_s);
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

static void function(FILE *to, const struct scope_fleet_summary *summary, uint32_t index)
{
	static const struct scope_fleet_function none;
	const struct scope_fleet_function *of = index == SCOPE_FLEET_NO_FUNCTION ? &none : &summary->function[index];

	column(to, summary, of->name);
	column(to, summary, of->module);
	column(to, summary, of->build_id);
	number(to, of->outside);
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
			FILE *to;

			for (size_t k = i; k < end; k++)
				excess_us += summary->excess[k].function == of ? summary->excess[k].excess_us : 0;
			if (!excess_us)
				continue;
			to = row(batch, EXCESS, summary);
			function(to, summary, of);
			number(to, minute * 60);
			number(to, excess_us);
			fputc('\n', to);
		}
		i = end;
	}
}

static void ends(FILE *to, const struct scope_fleet_summary *summary, const struct scope_fleet_link *link)
{
	number(to, link->answers);
	column(to, summary, link->client);
	column(to, summary, link->server);
}

static void add_links(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary)
{
	for (size_t i = 0; i < summary->links; i++) {
		const struct scope_fleet_link *link = &summary->link[i];
		FILE *to = row(batch, LINK, summary);

		ends(to, summary, link);
		number(to, link->connections);
		number(to, link->exchanges);
		number(to, link->mixed);
		buckets(to, &link->wall);
	}
	for (size_t i = 0; i < summary->exchanges; i++) {
		const struct scope_fleet_exchange *exchange = &summary->exchange[i];
		FILE *to = row(batch, EXCHANGE, summary);

		ends(to, summary, &summary->link[exchange->link]);
		number(to, exchange->port);
		number(to, exchange->at_us);
		number(to, exchange->took_us);
		fputc('\n', to);
	}
}

static void add_finding(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary, size_t place)
{
	const struct scope_fleet_finding *finding = &summary->finding[place];
	const uint64_t numbers[] = { finding->stuck,	 finding->threads,  finding->from_begin, finding->units,
				     finding->excess_us, finding->usual_us, finding->p50_us,	 finding->p99_us,
				     finding->since_us,	 finding->last_us };
	FILE *to = row(batch, FINDING, summary);

	number(to, place);
	function(to, summary, finding->function);
	column(to, summary, finding->kind);
	column(to, summary, finding->confidence);
	column(to, summary, finding->group);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		number(to, numbers[i]);
	fputc('\n', to);
}

static void labels(FILE *to, const struct scope_fleet_summary *summary, bool values)
{
	fputs("\t[", to);
	for (size_t i = 0; i < summary->labels; i++) {
		fputs(i ? ",'" : "'", to);
		escape(to, scope_fleet_text(summary, values ? summary->label[i].value : summary->label[i].key));
		fputc('\'', to);
	}
	fputc(']', to);
}

static void add_summary(struct scope_fleet_batch *batch, const struct scope_fleet_summary *summary)
{
	const uint32_t texts[] = { summary->version, summary->kernel, summary->source, summary->verdict,
				   summary->reason };
	const uint64_t numbers[] = { summary->from_us, summary->to_us,	  summary->step_s,
				     summary->lost,    summary->requests, summary->slow };
	FILE *to = row(batch, SUMMARY, summary);

	column(to, summary, summary->build_id);
	number(to, summary->pid);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		column(to, summary, texts[i]);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		number(to, numbers[i]);
	labels(to, summary, false);
	labels(to, summary, true);
	fputc('\n', to);
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

/* Summaries are sent last: one that is on the server has all its rows. */
int scope_fleet_batch_flush(struct scope_fleet_batch *batch, struct scope_error *error)
{
	int err = 0;

	for (int i = 0; !err && i < TABLES; i++) {
		char *answer;

		if (fflush(batch->to[i]) || ferror(batch->to[i]))
			err = scope_error_set(error, -ENOMEM, "no memory for a batch");
		else if (batch->bytes[i])
			err = scope_fleet_client_query(batch->client, inserts[i], batch->text[i], batch->bytes[i],
						       error, &answer);
		else
			continue;
		if (!err)
			free(answer);
	}
	if (!err)
		batch->sent.rows += batch->rows;
	close_texts(batch);
	if (open_texts(batch) && !err)
		err = scope_error_set(error, -ENOMEM, "no memory for a batch");
	return err;
}
