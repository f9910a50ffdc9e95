// SPDX-License-Identifier: GPL-2.0-only
/* The command line of scope watch. */
#include "cmd/watch_options.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "cmd/recording_options.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/shared_options.h"
#include "fleet/summarize.h"
#include "trace/flight.h"
#include "watch/webhook.h"

#define SPAN_NS 60000000000ull
#define SPAN_NS_MIN 10000000000ull
#define FLIGHT_BYTES (96ull << 20)
#define AFTER_NS 3000000000ull
#define MIN_INTERVAL_NS 60000000000ull
#define KEEP 20
/*
 * If all work becomes slow, some of its calls must still get stacks. So more calls may get a stack than this limit
 * allows: the first ones of each second do.
 */
#define STACKS_PER_SECOND 100 /* per CPU */
#define STACK_BUDGET 2000
#define KEEP_MAX 100000
#define OWN_TRIGGERS 2 /* see make_triggers() in watch_command.c */

const struct scope_option scope_cmd_watch_options[] = {
	{ 'p', "pid", "PID", .help = "the process, by number or name; its descendants are traced too" },
	{ SCOPE_OPTION_UNIT, "unit", "UNIT", .help = "the processes of this systemd unit, for example nginx" },
	{ SCOPE_OPTION_CGROUP, "cgroup", "PATH", .help = "the processes of this control group and of groups in it" },
	{ 'o', "output", "FILE",
	  .help = "traces are named FILE-DATE-TIME; reports have the name of the trace\n"
		  "and .txt, .json or .html (default scope-watch-TARGET.trace)" },
	{ SCOPE_OPTION_FORMAT, "format", "LIST",
	  .help = "reports: text, json, html or none, comma-separated (default text)" },
	{ SCOPE_OPTION_KEEP, "keep", "N", .help = "keep the files of the latest N incidents (default 20)" },
	{ SCOPE_OPTION_WHEN, "when", "WHEN",
	  .help = "incidents in addition to those of the analysis: p99>50ms, unit>200ms,\n"
		  "hang>10s, rate:SYSCALL<50%, runqueue>20%, no-cpu; up to 14" },
	{ SCOPE_OPTION_OUTSIDE, "outside", NULL,
	  .help = "slowness from outside the program is an incident too: lack of CPU,\n"
		  "a slow disk, a slow peer" },
	{ SCOPE_OPTION_KNOWN, "known", "FILE",
	  .help = "functions that are no incident, one a line: FUNCTION or\n"
		  "FUNCTION@MODULE, * for any characters" },
	{ SCOPE_OPTION_EXEC, "exec", "PROGRAM",
	  .help = "execute PROGRAM for each incident, without a shell; its environment\n"
		  "describes the incident" },
	{ SCOPE_OPTION_WEBHOOK, "webhook", "URL", .help = "post each incident there as JSON" },
	{ SCOPE_OPTION_LISTEN, "listen", "ADDRESS",
	  .help = "answer GET /metrics (OpenMetrics) at PORT or ADDRESS:PORT" },
	{ SCOPE_OPTION_SUMMARY, "summary", "FILE",
	  .help = "append a summary of each analysis to FILE, for `scope fleet report`" },
	{ SCOPE_OPTION_LABEL, "label", "KEY=VALUE",
	  .help = "in summaries: a property of this host, as rack=b7; up to 16 times" },
	{ SCOPE_OPTION_MIN_INTERVAL, "min-interval", "TIME",
	  .help = "time between two incidents, at least; later ones wait (default 60)" },
	{ SCOPE_OPTION_AFTER, "after", "TIME", .help = "continue for TIME before the trace is written (default 3)" },
	{ SCOPE_OPTION_FLIGHT, "flight", "[=TIME]", .help = "keep the last 60 s (or TIME, 10 or more) in memory" },
	{ SCOPE_OPTION_FLIGHT_MEMORY, "flight-memory", "SIZE", .help = "memory for --flight, at most (default 96M)" },
	OVERHEAD_OPTION,
	SOURCE_OPTION,
	HELP_OPTION,
	{ 0 },
};

/* 0, or the exit status for an invalid list. */
static int take_formats(const char *list, unsigned *ret_formats)
{
	static const char *const names[] = { "text", "json", "html" };
	unsigned formats = 0;

	if (!strcmp(list, "none")) {
		*ret_formats = 0;
		return 0;
	}
	for (const char *word = list;; word += strcspn(word, ",") + 1) {
		const size_t length = strcspn(word, ",");
		size_t i = 0;

		while (i < 3 && (strlen(names[i]) != length || strncmp(names[i], word, length)))
			i++;
		if (i == 3)
			return scope_cmd_misuse(
				"watch", "--format wants text, json and html with commas, or none, not '%s'", list);
		formats |= 1u << i;
		if (!word[length])
			break;
	}
	*ret_formats = formats;
	return 0;
}

/* Checks a condition, which each capture uses later. */
static int take_when(const char *text, struct scope_cmd_watch *request)
{
	struct scope_error error = { "" };
	struct scope_triggers *triggers;
	int err;

	if (request->whens == SCOPE_TRIGGERS_MAX - OWN_TRIGGERS)
		return scope_cmd_misuse("watch", "at most %d times --when", SCOPE_TRIGGERS_MAX - OWN_TRIGGERS);
	if (scope_recorder_triggers_create(&triggers))
		return scope_cmd_misuse("watch", "no memory for --when");
	err = scope_recorder_triggers_add(triggers, text, &error);
	scope_recorder_triggers_destroy(triggers);
	if (err)
		return scope_cmd_misuse("watch", "%s", error.text);
	request->when[request->whens++] = text;
	return 0;
}

static int take_time(const char *name, const char *value, uint64_t least_ns, uint64_t *ret_ns)
{
	if (!strcmp(value, "0") && !least_ns)
		*ret_ns = 0;
	else if (scope_cmd_seconds(value, ret_ns) || *ret_ns < least_ns)
		return scope_cmd_misuse("watch", "--%s wants a time as 60, 500ms or 2m%s, not '%s'", name,
					least_ns ? ", 10 s or more" : "", value);
	return 0;
}

static int take_webhook(const char *url, const char **ret_url)
{
	struct scope_error error = { "" };

	if (scope_watch_webhook_check(url, &error))
		return scope_cmd_misuse("watch", "%s", error.text);
	*ret_url = url;
	return 0;
}

/* The program is executed hours later, so a wrong name must be reported now. */
static int take_program(const char *path, const char **ret_path)
{
	if (!strchr(path, '/') || access(path, X_OK))
		return scope_cmd_misuse("watch", "--exec wants the path of a program that can be executed, not '%s'",
					path);
	*ret_path = path;
	return 0;
}

static int take_label(const char *label, struct scope_cmd_watch *request)
{
	if (!scope_fleet_label_check(label))
		return scope_cmd_misuse("watch",
					"--label wants KEY=VALUE, with letters, digits, '.', '-' and '_' in KEY, "
					"not '%s'",
					label);
	if (request->labels == SCOPE_FLEET_LABELS_MAX)
		return scope_cmd_misuse("watch", "at most %d times --label", SCOPE_FLEET_LABELS_MAX);
	request->label[request->labels++] = label;
	return 0;
}

static int take_number(int option, const char *value, struct scope_cmd_watch *request)
{
	struct scope_recorder_options *recorder = &request->recorder;
	uint64_t number;

	switch (option) {
	case SCOPE_OPTION_KEEP:
		if (scope_cmd_number(value, 1, KEEP_MAX, &number))
			return scope_cmd_misuse("watch", "--keep wants a number from 1 to %d, not '%s'", KEEP_MAX,
						value);
		recorder->keep = (uint32_t)number;
		return 0;
	case SCOPE_OPTION_FLIGHT:
		return value ? take_time("flight", value, SPAN_NS_MIN, &recorder->flight_ns) : 0;
	case SCOPE_OPTION_FLIGHT_MEMORY:
		if (scope_size_parse(value, &recorder->flight_bytes) || recorder->flight_bytes < SCOPE_FLIGHT_BYTES_MIN)
			return scope_cmd_misuse("watch", "--flight-memory wants a size of 4M or more, not '%s'", value);
		return 0;
	case SCOPE_OPTION_AFTER:
		return take_time("after", value, 0, &request->watch.after_ns);
	case SCOPE_OPTION_MIN_INTERVAL:
		return take_time("min-interval", value, 0, &request->watch.min_interval_ns);
	}
	return scope_cmd_capture("watch", option, value, &request->capture);
}

/* 0, or the exit status for an invalid value. */
static int take(int option, const char *value, struct scope_cmd_watch *request)
{
	struct scope_watch_response *response = &request->watch.response;

	switch (option) {
	case 'h':
		request->help = true;
		return 0;
	case 'p':
		request->process = value;
		return 0;
	case SCOPE_OPTION_UNIT:
		request->unit = value;
		return 0;
	case SCOPE_OPTION_CGROUP:
		request->group = value;
		return 0;
	case 'o':
		request->output = value;
		return 0;
	case SCOPE_OPTION_SOURCE:
		request->source = value;
		return 0;
	case SCOPE_OPTION_FORMAT:
		return take_formats(value, &response->formats);
	case SCOPE_OPTION_WHEN:
		return take_when(value, request);
	case SCOPE_OPTION_OUTSIDE:
		request->watch.outside = true;
		return 0;
	case SCOPE_OPTION_KNOWN:
		request->watch.known = value;
		return 0;
	case SCOPE_OPTION_EXEC:
		return take_program(value, &response->program);
	case SCOPE_OPTION_WEBHOOK:
		return take_webhook(value, &response->webhook);
	case SCOPE_OPTION_SUMMARY:
		request->summary = value;
		return 0;
	case SCOPE_OPTION_LABEL:
		return take_label(value, request);
	case SCOPE_OPTION_LISTEN:
		request->watch.listen = value;
		return 0;
	}
	return take_number(option, value, request);
}

/* Checks the options together, and sets values that follow from them. 0, or an exit status. */
static int settle(struct scope_cmd_watch *request)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (!!request->process + !!request->unit + !!request->group != 1)
		return scope_cmd_misuse("watch", "what shall be watched? Name it with one of -p PID, --unit UNIT and "
						 "--cgroup PATH");
	if (request->unit && (!*request->unit || strchr(request->unit, '/')))
		return scope_cmd_misuse("watch", "--unit wants the name of a unit, as nginx or nginx.service, not '%s'",
					request->unit);
	if (request->labels && !request->summary)
		return scope_cmd_misuse("watch", "--label is for the summaries of --summary");
	if (request->watch.after_ns >= request->recorder.flight_ns)
		return scope_cmd_misuse("watch", "--after has to be shorter than --flight, or the trace would not have "
						 "the begin");
	request->watch.span_ns = request->recorder.flight_ns;
	scope_capture_options_flight(&request->capture, cpus > 0 ? (uint32_t)cpus : 1);
	request->capture.stacks_per_second = STACKS_PER_SECOND;
	request->capture.stack_budget = STACK_BUDGET;
	return 0;
}

int scope_cmd_watch_parse(int argc, char **argv, struct scope_cmd_watch *request)
{
	int option, status;

	*request = (struct scope_cmd_watch){
		.recorder = {
			.flight_ns = SPAN_NS, .flight_bytes = FLIGHT_BYTES, .level = 1, .keep = KEEP,
			.beside = scope_watch_ends,
		},
		.watch = {
			.after_ns = AFTER_NS, .min_interval_ns = MIN_INTERVAL_NS,
			.response.formats = SCOPE_WATCH_TEXT,
		},
	};
	scope_capture_options_init(&request->capture, 0);
	while ((option = scope_cmd_line_next("watch", argc, argv)) != -1) {
		if (option == '?')
			return scope_cmd_line_wrong("watch", argv);
		status = take(option, optarg, request);
		if (status || request->help)
			return status;
	}
	if (optind < argc)
		return scope_cmd_misuse("watch", "'%s' is not understood", argv[optind]);
	return settle(request);
}
