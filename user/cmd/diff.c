// SPDX-License-Identifier: GPL-2.0-only
/* scope diff: print what became slower, and what disappeared, from one report or trace to another. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/document.h"
#include "report/compare.h"
#include "report/json.h"
#include "trace/trace.h"

#define THRESHOLD 0.2
/*
 * 1 means twice as long, like a slow request compared with a usual one. Captures of one healthy server on a busy
 * machine differ by half.
 */
#define TIME_THRESHOLD 1.0

struct request {
	const char *path[2];
	double threshold, time_threshold; /* parts: 0.2 is 20 % */
	bool json, help;
};

static int analyse(const char *path, int fd, struct scope_error *error, json_t **ret_report)
{
	const struct scope_report_style style = { .trace = path };
	struct scope_analysis_options options;
	struct scope_analysis *analysis;
	struct scope_trace *trace;
	int err = scope_trace_open_fd(fd, path, error, &trace);

	if (err)
		return err;
	scope_analysis_options_init(&options);
	options.over_time = true; /* for intervals of the time of threads */
	scope_cmd_progress("analysing %s", path);
	err = scope_analysis_run(trace, &options, &analysis);
	scope_cmd_progress_end();
	if (err) {
		scope_error_set(error, err, "%s cannot be analysed: %s", path, strerror(-err));
	} else {
		scope_cmd_note_damage("diff", path, trace);
		*ret_report = scope_report_json_make(analysis, &style);
		if (!*ret_report)
			err = scope_error_set(error, -ENOMEM, "no memory left for the report on %s", path);
		scope_analysis_destroy(analysis);
	}
	scope_trace_close(trace);
	return err;
}

/* Loads a report in JSON, or a trace. Only JSON begins with a brace. */
static int load(const char *path, FILE *file, struct scope_error *error, json_t **ret_report)
{
	const int first = fgetc(file);
	json_error_t wrong;

	rewind(file);
	if (first != '{')
		return analyse(path, fileno(file), error, ret_report);
	*ret_report = json_loadf(file, 0, &wrong);
	if (!*ret_report)
		return scope_error_set(error, -EBADMSG,
				       "%s is no JSON (line %d: %s): make it again with scope report "
				       "--format json",
				       path, wrong.line, wrong.text);
	if (json_integer_value(json_object_get(*ret_report, "schema")) == SCOPE_REPORT_SCHEMA &&
	    json_is_array(json_object_get(*ret_report, "findings")))
		return 0;
	json_decref(*ret_report);
	*ret_report = NULL;
	return scope_error_set(error, -EBADMSG,
			       "%s is no report of schema %d: make it again with scope report --format json", path,
			       SCOPE_REPORT_SCHEMA);
}

/* The files are opened with root's rights, and read as the user who called sudo. */
static int load_both(const struct request *request, struct scope_error *error, json_t **ret_reports)
{
	FILE *file[2] = { NULL, NULL };
	int err = 0;

	for (int i = 0; i < 2 && !err; i++) {
		file[i] = fopen(request->path[i], "re");
		if (!file[i])
			err = scope_cmd_say_similar(request->path[i],
						    scope_error_set(error, -errno, "%s cannot be read: %s",
								    request->path[i], strerror(errno)),
						    error);
	}
	if (!err)
		err = scope_cmd_drop_privilege(error);
	for (int i = 0; i < 2 && !err; i++)
		err = load(request->path[i], file[i], error, &ret_reports[i]);
	for (int i = 0; i < 2; i++)
		if (file[i])
			fclose(file[i]);
	return err;
}

static int print(const struct request *request, json_t *const *reports)
{
	json_t *found = scope_report_compare(reports[0], reports[1], request->threshold, request->time_threshold);
	const bool worse = json_is_true(json_object_get(found, "worse"));
	json_t *document;
	int status = SCOPE_EXIT_DONE;

	if (request->json) {
		document = scope_cmd_document_begin("diff");
		json_object_update(document, found);
		status = scope_cmd_document_end("diff", document);
	} else {
		scope_cmd_text_stdout();
		scope_report_compare_print(found, request->path, stdout);
	}
	json_decref(found);
	return status ? status : worse ? SCOPE_EXIT_FOUND : SCOPE_EXIT_DONE;
}

/* 0, or the exit status for an invalid value. */
static int take_value(int option, const char *value, char **argv, struct request *request)
{
	uint64_t percent;

	switch (option) {
	case 'h':
		request->help = true;
		return 0;
	case SCOPE_OPTION_FORMAT:
		return scope_cmd_document_format("diff", value, &request->json);
	case SCOPE_OPTION_THRESHOLD:
		if (scope_cmd_number(value, 0, 100000, &percent))
			return scope_cmd_misuse("diff", "--threshold wants percent as a whole number, not '%s'", value);
		request->threshold = request->time_threshold = (double)percent / 100;
		return 0;
	default:
		return scope_cmd_line_wrong("diff", argv);
	}
}

int scope_cmd_diff(int argc, char **argv)
{
	struct request request = { .threshold = THRESHOLD, .time_threshold = TIME_THRESHOLD };
	json_t *reports[2] = { NULL, NULL };
	struct scope_error error = { "" };
	int option, status = 0;

	while (!status && !request.help && (option = scope_cmd_line_next("diff", argc, argv)) != -1)
		status = take_value(option, optarg, argv, &request);
	if (status)
		return status;
	if (request.help) {
		scope_cmd_line_help("diff");
		return SCOPE_EXIT_DONE;
	}
	if (argc - optind != 2)
		return scope_cmd_misuse("diff", "name two traces or reports: the one before, and the one after");
	request.path[0] = argv[optind];
	request.path[1] = argv[optind + 1];
	status = load_both(&request, &error, reports) ? scope_cmd_fail("diff", &error) : print(&request, reports);
	json_decref(reports[0]);
	json_decref(reports[1]);
	return status;
}
