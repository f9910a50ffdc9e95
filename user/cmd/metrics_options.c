// SPDX-License-Identifier: GPL-2.0-only
/* The command line of scope metrics. */
#include "cmd/metrics_options.h"

#include <getopt.h>
#include <string.h>

#include "cmd/recording_options.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/shared_options.h"

const struct scope_option scope_cmd_metrics_options[] = {
	TRACED_OPTIONS,
	{ SCOPE_OPTION_BY, "by", "NAME",
	  .help = "lines by group (of threads, the default), thread, object (futex,\n"
		  "descriptor, block device) or kind (of work)",
	  .words = "group thread object kind" },
	{ SCOPE_OPTION_BASELINE, "baseline", "FILE",
	  .help = "also print what changed since a trace of the program from a better time" },
	{ SCOPE_OPTION_COMPARE, "compare", "WINDOW",
	  .help = "compare a part of the trace with the rest: 30..40 (seconds after its\n"
		  "begin); 30.. (to the end); change: from when on units took longer" },
	{ SCOPE_OPTION_RELATE, "relate", "NAME",
	  .help = "print what correlates with this metric (default: with unit latency)" },
	{ SCOPE_OPTION_STEP, "step", "TIME", .help = "length of a step (default 1 second; 1ms at least)" },
	{ SCOPE_OPTION_LIVE, "live", "[=TIME]",
	  .help = "print a table every TIME while the capture runs; on a terminal,\n"
		  "letters choose the order of lines" },
	{ SCOPE_OPTION_LISTEN, "listen", "ADDRESS",
	  .help = "answer GET /metrics with OpenMetrics while the capture runs, on this port of\n"
		  "127.0.0.1, or on ADDRESS:PORT" },
	{ SCOPE_OPTION_SERIES, "series", "LIST",
	  .help = "only these metrics: run,units,latency_p99 (default: all; in a picture\n"
		  "states, futex waits, units and their latency)" },
	{ SCOPE_OPTION_FORMAT, "format", "NAME",
	  .help = "text, json, csv, openmetrics or svg, a picture (default: by the ending\n"
		  "of the name with -o; else text)",
	  .words = "text json csv openmetrics svg" },
	OUTPUT_OPTION,
	{ 'v', "verbose", .help = "print all lines and metrics, not only one screen" },
	{ SCOPE_OPTION_BLOCK, "block", NULL, .help = "record requests to block devices (needs the module)" },
	MEMORY_OPTIONS,
	KIND_BY_OPTION,
	SAVE_OPTION,
	SOURCE_OPTION,
	HELP_OPTION,
	{ 0 },
};

/* The formats of output, by the name for --format and by the end of a file's name. */
static const struct {
	const char *name;
	scope_metrics_printer *print;
} formats[] = {
	{ "text", scope_report_metrics_text }, { "json", scope_report_metrics_json },
	{ "csv", scope_report_metrics_csv },   { "openmetrics", scope_report_metrics_openmetrics },
	{ "svg", scope_report_metrics_svg },
};

#define LIVE_MIN_NS 500000000ull

static int take_by(const char *value, struct scope_cmd_metrics *request)
{
	for (enum scope_metrics_by by = 0; by < SCOPE_METRICS_BYS; by++)
		if (!strcmp(value, scope_metrics_by_name[by])) {
			request->by = by;
			request->metrics.objects = by == SCOPE_METRICS_BY_OBJECT;
			request->metrics.kinds = by == SCOPE_METRICS_BY_KIND;
			return 0;
		}
	return scope_cmd_misuse("metrics", "--by wants thread, group, object or kind, not '%s'", value);
}

/* The function that prints a format; NULL: there is no such format. */
static scope_metrics_printer *printer_of(const char *format)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (!strcmp(format, formats[i].name))
			return formats[i].print;
	return NULL;
}

static int take_format(const char *value, struct scope_cmd_metrics *request)
{
	request->print = printer_of(value);
	return request->print ? 0
			      : scope_cmd_misuse("metrics",
						 "--format wants text, json, csv, openmetrics or svg, not '%s'", value);
}

/* Reads a time since the begin; an empty text gives `fallback`. */
static int take_time(const char *text, uint64_t fallback, uint64_t *ret_ns)
{
	*ret_ns = fallback;
	if (!*text)
		return 0;
	*ret_ns = 0;
	return strcmp(text, "0") ? scope_cmd_seconds(text, ret_ns) : 0;
}

static int take_compare(const char *value, struct scope_cmd_metrics *request)
{
	const char *dots = strstr(value, "..");
	char from[32] = "";
	int wrong = !dots || (size_t)(dots - value) >= sizeof(from);

	request->compare = value;
	request->since_change = !strcmp(value, "change");
	if (request->since_change)
		return 0;
	if (!wrong) {
		memcpy(from, value, (size_t)(dots - value));
		wrong = take_time(from, 0, &request->from_ns) || take_time(dots + 2, UINT64_MAX, &request->to_ns) ||
			request->from_ns >= request->to_ns;
	}
	return wrong ? scope_cmd_misuse(
			       "metrics",
			       "--compare wants a part of the trace as 30..40 or 1m.., or the word change, not '%s'",
			       value)
		     : 0;
}

/* Reads names of series with commas between. */
static int take_series(const char *value, struct scope_cmd_metrics *request)
{
	for (const char *name = value; *name;) {
		const size_t length = strcspn(name, ",");
		unsigned series = 0;

		while (series < SCOPE_SERIES && (strlen(scope_report_metrics_series_name(series)) != length ||
						 strncmp(name, scope_report_metrics_series_name(series), length)))
			series++;
		if (series == SCOPE_SERIES)
			return scope_cmd_misuse("metrics",
						"--series: there is no '%.*s'; scope metrics -v names those there are",
						(int)length, name);
		request->chosen.count += !request->chosen.series[series];
		request->chosen.series[series] = true;
		name += length + (name[length] == ',');
	}
	return 0;
}

static int take_relate(const char *value, struct scope_cmd_metrics *request)
{
	for (request->relate = 0; request->relate < SCOPE_METRICS; request->relate++)
		if (!strcmp(scope_metrics_row[request->relate].name, value))
			return 0;
	return scope_cmd_misuse("metrics", "--relate: there is no '%s'; scope metrics -v names those there are", value);
}

/* 0, or the exit status for an invalid value. */
static int take_value(int option, const char *value, char **argv, struct scope_cmd_metrics *request)
{
	switch (option) {
	case 'd':
		request->duration = true;
		return scope_cmd_duration("metrics", value, &request->capture.duration_ns);
	case 'i':
		request->input = value;
		return 0;
	case 'o':
		request->output = value;
		return 0;
	case 'v':
		request->verbose = true;
		return 0;
	case SCOPE_OPTION_BY:
		return take_by(value, request);
	case SCOPE_OPTION_BASELINE:
		request->baseline = value;
		return 0;
	case SCOPE_OPTION_COMPARE:
		return take_compare(value, request);
	case SCOPE_OPTION_STEP:
		if (scope_cmd_seconds(value, &request->metrics.step_ns) ||
		    request->metrics.step_ns < SCOPE_METRICS_STEP_MIN_NS)
			return scope_cmd_misuse("metrics",
						"--step wants a time as 1, 100ms or 1m, 1ms at least, not '%s'", value);
		return 0;
	case SCOPE_OPTION_LIVE:
		request->live_ns = request->metrics.step_ns ? request->metrics.step_ns : SCOPE_METRICS_STEP_NS;
		if (value && (scope_cmd_seconds(value, &request->live_ns) || request->live_ns < LIVE_MIN_NS))
			return scope_cmd_misuse(
				"metrics", "--live wants a time as 1, 500ms or 1m, 500ms at least, not '%s'", value);
		return 0;
	case SCOPE_OPTION_LISTEN:
		request->listen = value;
		return 0;
	case SCOPE_OPTION_SERIES:
		return take_series(value, request);
	case SCOPE_OPTION_RELATE:
		return take_relate(value, request);
	case SCOPE_OPTION_FORMAT:
		return take_format(value, request);
	case SCOPE_OPTION_SAVE:
		request->save = value;
		return 0;
	case SCOPE_OPTION_SOURCE:
		request->source = value;
		return 0;
	default:
		return scope_cmd_line_wrong("metrics", argv);
	}
}

/* If no format was given, the end of the file's name selects it. */
static scope_metrics_printer *printer_for(const char *output)
{
	const char *end = output ? strrchr(output, '.') : NULL;
	scope_metrics_printer *print = end ? printer_of(end + 1) : NULL;

	return print ? print : scope_report_metrics_text;
}

/* Checks the options together, and sets values that follow from them. 0, or an exit status. */
static int settle(struct scope_cmd_metrics *request)
{
	request->capture.pid = request->selection.pid;
	request->capture.selection = &request->selection;
	if (!!request->capture.pid + !!request->input + !!request->command != 1)
		return scope_cmd_misuse("metrics", "of what? name a process with -p PID, a trace with -i FILE, or a "
						   "command after --");
	if (request->input && (request->duration || request->save || request->source || request->capture.block ||
			       request->capture.memory || request->capture.interrupts || request->capture.requests))
		return scope_cmd_misuse(
			"metrics", "--duration, --save, --source, --block, --memory, --interrupts and --kind-by go "
				   "with -p or a command");
	if (request->input && (request->live_ns || request->listen))
		return scope_cmd_misuse("metrics", "--live and --listen go with -p or a command");
	if (request->listen && request->by != SCOPE_METRICS_BY_GROUP)
		return scope_cmd_misuse("metrics", "--listen goes with --by group: others have series without end");
	if (request->compare && request->baseline)
		return scope_cmd_misuse("metrics", "--baseline and --compare exclude each other");
	if ((request->compare || request->baseline) && request->by != SCOPE_METRICS_BY_GROUP)
		return scope_cmd_misuse("metrics", "--baseline and --compare go with --by group");
	if (request->command && !request->duration)
		request->capture.duration_ns = 0;
	if (!request->print)
		request->print = printer_for(request->output);
	return 0;
}

int scope_cmd_metrics_parse(int argc, char **argv, struct scope_cmd_metrics *request)
{
	int option, status;

	*request = (struct scope_cmd_metrics){ .by = SCOPE_METRICS_BY_GROUP, .relate = SCOPE_METRICS };

	/* No stacks are needed. */
	scope_capture_options_init(&request->capture, 0);
	request->capture.stack_mode = SCOPE_STACK_NONE;
	request->capture.sample_period_ns = 0;

	while ((option = scope_cmd_line_next("metrics", argc, argv)) != -1) {
		if (option == 'h') {
			request->help = true;
			return 0;
		}
		status = scope_cmd_select("metrics", option, optarg, &request->selection);
		if (status < 0)
			status = scope_cmd_capture("metrics", option, optarg, &request->capture);
		if (status < 0)
			status = take_value(option, optarg, argv, request);
		if (status)
			return status;
	}
	if (optind < argc && !strcmp(argv[optind - 1], "--"))
		request->command = argv + optind;
	else if (optind + 1 == argc && !request->input)
		request->input = argv[optind];
	else if (optind < argc)
		return scope_cmd_misuse("metrics", "'%s' is not understood", argv[optind]);
	return settle(request);
}
