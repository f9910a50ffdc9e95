// SPDX-License-Identifier: GPL-2.0-only
/* A summary as bytes, and back, by one list of fields for both. */
#include "fleet/codec.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "fleet/leb.h"

#define NAMES_MAX 8192		  /* no rule */
#define ROWS_MAX (1u << 18)	  /* no rule: of one table */
#define YEAR_2200_S 7258118400ull /* no rule */
#define YEAR_US 31536000000000ull /* no rule */
#define LINKS_MAX 256		  /* no rule: later versions may keep more than this one */
#define EXCHANGES_MAX 4096	  /* no rule */

/* Reads or writes; after an error nothing more happens. */
struct codec {
	bool reads;
	int err;
	uint8_t *out;
	size_t length, capacity;
	const uint8_t *in, *end;
	uint32_t *name; /* reading: numbers of the file's texts in the summary */
	size_t names;
};

static void number(struct codec *codec, uint64_t *value)
{
	if (codec->err)
		return;
	if (codec->reads)
		codec->err = scope_fleet_leb_take(&codec->in, codec->end, value);
	else if (scope_grow(&codec->out, &codec->capacity, codec->length + SCOPE_FLEET_LEB_BYTES, 1))
		codec->err = -ENOMEM;
	else
		codec->length += scope_fleet_leb_put(codec->out + codec->length, *value);
}

/* A number below the limit. */
static void small(struct codec *codec, uint32_t *value, uint64_t limit)
{
	uint64_t wide = *value;

	number(codec, &wide);
	if (!codec->err && wide >= limit)
		codec->err = -EBADMSG;
	if (!codec->err)
		*value = (uint32_t)wide;
}

static void text(struct codec *codec, uint32_t *value)
{
	small(codec, value, codec->names + 1);
	if (codec->reads && !codec->err)
		*value = *value ? codec->name[*value - 1] : 0;
}

/* A number that is near the one before. */
static void step(struct codec *codec, uint64_t *value, uint64_t *last)
{
	uint64_t more = *value - *last;

	number(codec, &more);
	if (codec->reads && !codec->err)
		*value = *last + more;
	*last = *value;
}

/* Takes the count of a table, which gets that many zeroed rows. Each row has at least one byte in the file. */
static void rows(struct codec *codec, void *table, size_t *count, size_t *capacity, size_t bytes)
{
	uint64_t want = *count;

	number(codec, &want);
	if (codec->err || !codec->reads)
		return;
	if (want > ROWS_MAX || want > (size_t)(codec->end - codec->in)) {
		codec->err = -EBADMSG;
		return;
	}
	*(void **)table = calloc(want ? want : 1, bytes);
	if (!*(void **)table)
		codec->err = -ENOMEM;
	else
		*count = *capacity = want;
}

static void write_name(struct codec *codec, const char *name)
{
	uint64_t length = strlen(name);

	number(codec, &length);
	if (!codec->err && scope_grow(&codec->out, &codec->capacity, codec->length + length, 1))
		codec->err = -ENOMEM;
	if (codec->err)
		return;
	memcpy(codec->out + codec->length, name, length);
	codec->length += length;
}

static void read_name(struct codec *codec, struct scope_fleet_names *names, uint32_t *ret_number)
{
	char name[SCOPE_FLEET_NAME_MAX + 1];
	uint64_t length = 0;

	number(codec, &length);
	if (!codec->err && (length > SCOPE_FLEET_NAME_MAX || length > (size_t)(codec->end - codec->in)))
		codec->err = -EBADMSG;
	if (codec->err)
		return;
	memcpy(name, codec->in, length);
	name[length] = '\0';
	codec->in += length;
	codec->err = scope_fleet_names_add(names, name, ret_number);
}

static void all_names(struct codec *codec, struct scope_fleet_names *names)
{
	uint64_t count = names->count;

	number(codec, &count);
	if (!codec->err && (count > NAMES_MAX || (codec->reads && count > (size_t)(codec->end - codec->in))))
		codec->err = -EBADMSG;
	if (codec->err)
		return;
	codec->names = count;
	if (codec->reads) {
		codec->name = calloc(count ? count : 1, sizeof(*codec->name));
		if (!codec->name)
			codec->err = -ENOMEM;
	}
	for (size_t i = 0; i < count && !codec->err; i++)
		if (codec->reads)
			read_name(codec, names, &codec->name[i]);
		else
			write_name(codec, names->text[i]);
}

static void head(struct codec *codec, struct scope_fleet_summary *summary)
{
	uint64_t *const numbers[] = { &summary->capture[0], &summary->capture[1], &summary->number, &summary->pid,
				      &summary->from_us,    &summary->to_us,	  &summary->step_s, &summary->events,
				      &summary->lost,	    &summary->requests,	  &summary->slow };
	uint32_t *const texts[] = { &summary->host,   &summary->program, &summary->build_id, &summary->version,
				    &summary->kernel, &summary->source,	 &summary->verdict,  &summary->reason };
	uint64_t labels = summary->labels;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		number(codec, numbers[i]);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		text(codec, texts[i]);
	number(codec, &labels);
	if (!codec->err && labels > SCOPE_FLEET_LABELS_MAX)
		codec->err = -EBADMSG;
	summary->labels = codec->err ? 0 : labels;
	for (size_t i = 0; i < summary->labels; i++) {
		text(codec, &summary->label[i].key);
		text(codec, &summary->label[i].value);
	}
}

static void functions(struct codec *codec, struct scope_fleet_summary *summary)
{
	rows(codec, &summary->function, &summary->functions, &summary->function_capacity, sizeof(*summary->function));
	for (size_t i = 0; i < summary->functions && !codec->err; i++) {
		text(codec, &summary->function[i].name);
		text(codec, &summary->function[i].module);
		text(codec, &summary->function[i].build_id);
		small(codec, &summary->function[i].outside, 2);
	}
}

static void kinds(struct codec *codec, struct scope_fleet_summary *summary)
{
	rows(codec, &summary->kind, &summary->kinds, &summary->kind_capacity, sizeof(*summary->kind));
	for (size_t i = 0; i < summary->kinds && !codec->err; i++) {
		text(codec, &summary->kind[i].group);
		text(codec, &summary->kind[i].calls);
		small(codec, &summary->kind[i].request, 2);
	}
}

static void coarse(struct codec *codec, struct scope_fleet_coarse *wall)
{
	uint64_t last = 0, bucket;

	rows(codec, &wall->at, &wall->count, &wall->capacity, sizeof(*wall->at));
	for (size_t i = 0; i < wall->count && !codec->err; i++) {
		bucket = wall->at[i].bucket;
		step(codec, &bucket, &last);
		number(codec, &wall->at[i].count);
		/* In their order, each once. */
		if (codec->reads && !codec->err &&
		    (bucket >= SCOPE_FLEET_BUCKETS || (i && bucket <= wall->at[i - 1].bucket)))
			codec->err = -EBADMSG;
		if (!codec->err)
			wall->at[i].bucket = (uint32_t)bucket;
	}
}

/*
 * Writes a bit for each state that is not 0, then these states. States that are unknown to this version are left out.
 */
static void states(struct codec *codec, struct scope_fleet_second *row)
{
	uint64_t mask = 0, value;

	for (unsigned i = 0; i < SCOPE_FLEET_STATES; i++)
		mask |= (uint64_t)(row->state_us[i] > 0) << i;
	number(codec, &mask);
	for (unsigned i = 0; i < 64 && !codec->err; i++) {
		if (!(mask >> i & 1))
			continue;
		value = i < SCOPE_FLEET_STATES ? row->state_us[i] : 0;
		number(codec, &value);
		if (i < SCOPE_FLEET_STATES && !codec->err)
			row->state_us[i] = value;
	}
}

static void seconds(struct codec *codec, struct scope_fleet_summary *summary)
{
	uint64_t last = 0;

	rows(codec, &summary->second, &summary->seconds, &summary->second_capacity, sizeof(*summary->second));
	for (size_t i = 0; i < summary->seconds && !codec->err; i++) {
		struct scope_fleet_second *row = &summary->second[i];

		small(codec, &row->kind, summary->kinds);
		step(codec, &row->at_s, &last);
		number(codec, &row->units);
		number(codec, &row->slow);
		number(codec, &row->excess_us);
		states(codec, row);
		coarse(codec, &row->wall);
		/* In their order, each once: so none counts twice. */
		if (codec->reads && !codec->err && i &&
		    (row->at_s < row[-1].at_s || (row->at_s == row[-1].at_s && row->kind <= row[-1].kind)))
			codec->err = -EBADMSG;
	}
}

static void excesses(struct codec *codec, struct scope_fleet_summary *summary)
{
	uint64_t last = 0;

	rows(codec, &summary->excess, &summary->excesses, &summary->excess_capacity, sizeof(*summary->excess));
	for (size_t i = 0; i < summary->excesses && !codec->err; i++) {
		struct scope_fleet_excess *row = &summary->excess[i];

		small(codec, &row->kind, summary->kinds);
		small(codec, &row->function, summary->functions);
		step(codec, &row->at_s, &last);
		number(codec, &row->excess_us);
	}
}

static void function_or_none(struct codec *codec, uint32_t *function, size_t functions_count)
{
	uint32_t value = *function == SCOPE_FLEET_NO_FUNCTION ? 0 : *function + 1;

	small(codec, &value, functions_count + 1);
	if (!codec->err)
		*function = value ? value - 1 : SCOPE_FLEET_NO_FUNCTION;
}

static void findings(struct codec *codec, struct scope_fleet_summary *summary)
{
	rows(codec, &summary->finding, &summary->findings, &summary->finding_capacity, sizeof(*summary->finding));
	for (size_t i = 0; i < summary->findings && !codec->err; i++) {
		struct scope_fleet_finding *row = &summary->finding[i];
		uint64_t *const numbers[] = { &row->share_ppm, &row->units,  &row->excess_us, &row->usual_us,
					      &row->p50_us,    &row->p99_us, &row->since_us,  &row->last_us };

		function_or_none(codec, &row->function, summary->functions);
		text(codec, &row->kind);
		text(codec, &row->confidence);
		text(codec, &row->group);
		small(codec, &row->stuck, 2);
		small(codec, &row->threads, UINT32_MAX);
		small(codec, &row->from_begin, 2);
		for (size_t k = 0; k < sizeof(numbers) / sizeof(*numbers); k++)
			number(codec, numbers[k]);
	}
}

static void links(struct codec *codec, struct scope_fleet_summary *summary)
{
	rows(codec, &summary->link, &summary->links, &summary->link_capacity, sizeof(*summary->link));
	for (size_t i = 0; i < summary->links && !codec->err; i++) {
		struct scope_fleet_link *row = &summary->link[i];

		small(codec, &row->answers, 2);
		text(codec, &row->client);
		text(codec, &row->server);
		number(codec, &row->connections);
		number(codec, &row->exchanges);
		number(codec, &row->mixed);
		coarse(codec, &row->wall);
		/* Each once, or none would be of it. */
		for (size_t k = 0; codec->reads && !codec->err && k < i; k++)
			if (summary->link[k].answers == row->answers && summary->link[k].client == row->client &&
			    summary->link[k].server == row->server)
				codec->err = -EBADMSG;
	}
}

static void exchanges(struct codec *codec, struct scope_fleet_summary *summary)
{
	uint64_t last = 0;

	rows(codec, &summary->exchange, &summary->exchanges, &summary->exchange_capacity, sizeof(*summary->exchange));
	for (size_t i = 0; i < summary->exchanges && !codec->err; i++) {
		struct scope_fleet_exchange *row = &summary->exchange[i];

		small(codec, &row->link, summary->links);
		small(codec, &row->port, 65536);
		step(codec, &row->at_us, &last);
		number(codec, &row->took_us);
	}
}

/* Fields that later versions of Scope added; a summary of an earlier one ends before them. */
static void later(struct codec *codec, struct scope_fleet_summary *summary)
{
	if (codec->err || (codec->reads && codec->in == codec->end))
		return;
	links(codec, summary);
	exchanges(codec, summary);
}

static void all(struct codec *codec, struct scope_fleet_summary *summary)
{
	all_names(codec, &summary->names);
	head(codec, summary);
	kinds(codec, summary);
	functions(codec, summary);
	seconds(codec, summary);
	excesses(codec, summary);
	findings(codec, summary);
	later(codec, summary);
}

int scope_fleet_codec_write(const struct scope_fleet_summary *summary, uint8_t **ret_bytes, size_t *ret_count)
{
	struct codec codec = { .reads = false };

	/* Writing changes nothing. */
	all(&codec, (struct scope_fleet_summary *)(uintptr_t)summary);
	if (codec.err) {
		free(codec.out);
		return codec.err;
	}
	*ret_bytes = codec.out;
	*ret_count = codec.length;
	return 0;
}

static bool is_step(uint64_t step_s)
{
	return step_s && step_s <= 4096 && !(step_s & (step_s - 1));
}

static bool links_make_sense(const struct scope_fleet_summary *summary)
{
	if (summary->links > LINKS_MAX || summary->exchanges > EXCHANGES_MAX)
		return false;
	for (size_t i = 0; i < summary->links; i++) {
		const struct scope_fleet_link *row = &summary->link[i];

		if (row->exchanges >> 40 || row->connections >> 40 || row->mixed > row->exchanges ||
		    scope_fleet_coarse_total(&row->wall) != row->exchanges)
			return false;
	}
	/* An exchange ends in the window, and may have begun before. */
	for (size_t i = 0; i < summary->exchanges; i++) {
		const struct scope_fleet_exchange *row = &summary->exchange[i];

		if (row->took_us > YEAR_US || row->at_us > summary->to_us || row->at_us + YEAR_US < summary->from_us)
			return false;
	}
	return true;
}

/* False for rows that a report cannot use: sums that overflow, times outside of the window, no host. */
static bool makes_sense(const struct scope_fleet_summary *summary)
{
	const uint64_t from_s = summary->from_us / 1000000, to_s = summary->to_us / 1000000;

	if (!summary->host || !is_step(summary->step_s) || from_s > to_s || to_s > YEAR_2200_S ||
	    to_s - from_s > 31ull * 86400)
		return false;
	for (size_t i = 0; i < summary->seconds; i++) {
		const struct scope_fleet_second *row = &summary->second[i];

		/* More than a million threads cannot have been working. */
		if (row->at_s + summary->step_s <= from_s || row->at_s > to_s || row->slow > row->units ||
		    row->units >> 40 || row->excess_us >> 50)
			return false;
		for (unsigned k = 0; k < SCOPE_FLEET_STATES; k++)
			if (row->state_us[k] >> 50)
				return false;
		if (scope_fleet_coarse_total(&row->wall) >> 40)
			return false;
	}
	for (size_t i = 0; i < summary->excesses; i++)
		if (summary->excess[i].at_s + summary->step_s <= from_s || summary->excess[i].at_s > to_s ||
		    summary->excess[i].excess_us >> 50)
			return false;
	for (size_t i = 0; i < summary->findings; i++)
		if (summary->finding[i].since_us / 1000000 > YEAR_2200_S ||
		    summary->finding[i].last_us / 1000000 > YEAR_2200_S || summary->finding[i].share_ppm > 1000000)
			return false;
	return links_make_sense(summary);
}

int scope_fleet_codec_read(const uint8_t *bytes, size_t count, struct scope_fleet_summary **ret_summary)
{
	struct codec codec = { .reads = true, .in = bytes, .end = bytes + count };
	struct scope_fleet_summary *summary = calloc(1, sizeof(*summary));

	if (!summary)
		return -ENOMEM;
	all(&codec, summary);
	free(codec.name);
	if (!codec.err && !makes_sense(summary))
		codec.err = -EBADMSG;
	if (codec.err) {
		scope_fleet_summary_destroy(summary);
		return codec.err;
	}
	*ret_summary = summary;
	return 0;
}
