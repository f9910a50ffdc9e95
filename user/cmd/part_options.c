// SPDX-License-Identifier: GPL-2.0-only
/* Options that choose the part of a trace that is analysed. */
#include "cmd/part_options.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "report/answer.h"

#define SECOND_NS 1000000000ull
#define DAY_S (24 * 60 * 60)

/* Parses the digits after the point of a second, as ns; *at is set to their end. */
static uint64_t fraction_of(const char **at)
{
	uint64_t ns = 0, unit = SECOND_NS / 10;

	if (**at != '.')
		return 0;
	for ((*at)++; **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
		ns += unit * (uint64_t)(**at - '0');
	return ns;
}

/*
 * Parses a wall-clock time (UTC) as ns since 1970. Without a date it is the first such time at or after begin_ns. 0 or
 * -EINVAL.
 */
static int parse_wall(const char *text, uint64_t begin_ns, uint64_t *ret_ns)
{
	time_t begin = (time_t)(begin_ns / SECOND_NS), seconds;
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);
	const bool dated = end && (*end == 'T' || *end == ' ');
	uint64_t part_ns;

	if (!dated && !gmtime_r(&begin, &tm))
		return -EINVAL;
	tm.tm_sec = 0;
	end = strptime(dated ? end + 1 : text, "%H:%M", &tm);
	if (end && *end == ':')
		end = strptime(end, ":%S", &tm);
	if (!end)
		return -EINVAL;
	part_ns = fraction_of(&end);
	if (*end && strcmp(end, "Z"))
		return -EINVAL;
	seconds = timegm(&tm);
	if (!dated && seconds < begin)
		seconds += DAY_S;
	*ret_ns = (uint64_t)seconds * SECOND_NS + part_ns;
	return 0;
}

static bool is_wall(const char *text)
{
	return strchr(text, ':') != NULL;
}

/* True if the text is a valid time of either kind. */
static bool is_time(const char *text)
{
	uint64_t ns;

	if (is_wall(text))
		return !parse_wall(text, 0, &ns);
	return !strcmp(text, "0") || !scope_duration_parse(text, &ns);
}

static int take_kinds(const char *command, const char *value, struct scope_cmd_part *part)
{
	for (const char *word = value;; word++) {
		const size_t length = strcspn(word, ",");
		uint32_t kind = 0;

		while (kind < SCOPE_FINDING_KINDS &&
		       (strncmp(scope_rank_kind_name[kind], word, length) || scope_rank_kind_name[kind][length]))
			kind++;
		if (!length || kind == SCOPE_FINDING_KINDS)
			return scope_cmd_misuse(command,
						"--kind wants time, calls, wait, holds-lock, makes-wait, hang or spin, "
						"with commas, not '%s'",
						value);
		part->kinds |= 1u << kind;
		word += length;
		if (!*word)
			return 0;
	}
}

int scope_cmd_part(const char *command, int option, const char *value, struct scope_cmd_part *part)
{
	switch (option) {
	case SCOPE_OPTION_FROM:
	case SCOPE_OPTION_TO:
		if (!is_time(value))
			return scope_cmd_misuse(command,
						"--%s wants a time as 12.5, 500ms or 2m after the trace's begin, or as "
						"18:55:16 or 2026-11-22T18:55:16 (UTC), not '%s'",
						option == SCOPE_OPTION_FROM ? "from" : "to", value);
		*(option == SCOPE_OPTION_FROM ? &part->from : &part->to) = value;
		return 0;
	case SCOPE_OPTION_THREAD:
		part->thread = value;
		return 0;
	case SCOPE_OPTION_KIND:
		part->kind = value;
		return take_kinds(command, value, part);
	default:
		return -1;
	}
}

/* The span of the trace, by its own clock and by the wall clock. */
struct span {
	uint64_t begin_ns, end_ns; /* end_ns 0: not known */
	uint64_t wall_ns;	   /* begin_ns as ns since 1970; 0: not known */
};

/* Converts a time to the trace's clock. A time before the trace's begin becomes the begin. */
static int find(const char *text, const struct span *span, uint64_t *ret_ns)
{
	uint64_t ns = 0;

	if (is_wall(text)) {
		if (!span->wall_ns)
			return -ENODATA;
		if (parse_wall(text, span->wall_ns, &ns))
			return -EINVAL;
		ns = ns > span->wall_ns ? ns - span->wall_ns : 0;
	} else if (strcmp(text, "0") && scope_duration_parse(text, &ns)) {
		return -EINVAL;
	}
	*ret_ns = span->begin_ns + ns;
	return 0;
}

/* Writes the span: "0 to 90.0 s, 18:55:16 to 18:56:46 UTC". */
static const char *describe(const struct span *span, char *text, size_t room)
{
	const uint64_t length_ns = span->end_ns > span->begin_ns ? span->end_ns - span->begin_ns : 0;
	const time_t begin = (time_t)(span->wall_ns / SECOND_NS),
		     end = (time_t)((span->wall_ns + length_ns) / SECOND_NS);
	char first[40] = "", last[40] = "";
	int used = snprintf(text, room, "0 to %.3f s", (double)length_ns / 1e9);
	struct tm tm;

	if (!span->wall_ns)
		return text;
	if (gmtime_r(&begin, &tm))
		strftime(first, sizeof(first), "%Y-%m-%dT%H:%M:%S", &tm);
	if (gmtime_r(&end, &tm))
		strftime(last, sizeof(last), "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text + used, room - (size_t)used, ", or %s to %s UTC", first, last);
	return text;
}

static int set_window(const struct scope_cmd_part *part, const char *path, const struct span *span,
		      struct scope_trace *trace, struct scope_error *error)
{
	uint64_t from_ns = span->begin_ns, to_ns = UINT64_MAX;
	char limits[128];
	int err = part->from ? find(part->from, span, &from_ns) : 0;

	if (!err && part->to)
		err = find(part->to, span, &to_ns);
	if (err)
		return scope_error_set(error, err,
				       "%s does not know the time of the wall clock: give --from and --to as seconds "
				       "after its begin",
				       path);
	if (part->from && part->to && from_ns >= to_ns && from_ns > span->begin_ns)
		return scope_error_set(error, -EINVAL, "--from must be before --to, and %s is not before %s",
				       part->from, part->to);
	if (from_ns >= to_ns || (span->end_ns && from_ns >= span->end_ns))
		return scope_error_set(error, -ERANGE, "nothing of %s is from %s to %s: it has %s", path,
				       part->from ? part->from : "its begin", part->to ? part->to : "its end",
				       describe(span, limits, sizeof(limits)));
	scope_trace_set_window(trace, from_ns > span->begin_ns ? from_ns : 0,
			       span->end_ns && to_ns > span->end_ns ? UINT64_MAX : to_ns);
	return 0;
}

int scope_cmd_part_set(const struct scope_cmd_part *part, const char *path, struct scope_trace *trace,
		       struct scope_analysis_options *options, struct scope_error *error)
{
	struct span span = { .wall_ns = scope_trace_meta_number(trace, SCOPE_META_WALL_CLOCK, 0) };
	int err = 0;

	options->thread = part->thread;
	options->rank.kinds = part->kinds;
	if (!part->from && !part->to)
		return 0;
	err = scope_trace_span(trace, &span.begin_ns, &span.end_ns);
	if (err)
		return scope_error_set(error, err, "cannot read %s: %s", path, strerror(-err));
	return set_window(part, path, &span, trace, error);
}

void scope_cmd_part_words(const struct scope_cmd_part *part, char *text, size_t room)
{
	const struct {
		const char *option, *value;
	} given[] = {
		{ "from", part->from },
		{ "to", part->to },
		{ "thread", part->thread },
	};
	char word[80];

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		const size_t used = strlen(text);

		if (!given[i].value)
			continue;
		scope_report_quote(given[i].value, word, sizeof(word));
		snprintf(text + used, room - used, " --%s %s", given[i].option, word);
	}
}
