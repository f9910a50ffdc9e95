// SPDX-License-Identifier: GPL-2.0-only
/* scope fleet: summarize traces of hosts, and report over the summaries of all of them. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/newfile.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/document.h"
#include "cmd/fleet.h"
#include "cmd/fleet_send.h"
#include "cmd/shared_options.h"
#include "cmd/symbols.h"
#include "fleet/clickhouse.h"
#include "fleet/database.h"
#include "fleet/load_files.h"
#include "fleet/summarize.h"
#include "fleet/summary_file.h"

const struct scope_option scope_cmd_fleet_options[] = {
	{ 'o', "output", "FILE", .help = "summarize: the file to write, best named *.scopesum" },
	{ SCOPE_OPTION_LABEL, "label", "KEY=VALUE",
	  .help = "summarize: a property of this host, as rack=b7; up to 16 times" },
	{ SCOPE_OPTION_HOST, "host", "NAME", .help = "summarize: the host's name (default: as in the trace)" },
	{ SCOPE_OPTION_SINCE, "since", "TIME",
	  .help = "report: only the last TIME of each program on each host; with\n"
		  "--clickhouse what the server got in the last TIME: 90, 10m, 2h" },
	{ SCOPE_OPTION_DB, "db", "FILE",
	  .help = "report: keep summaries in this SQLite database, and report over all of\n"
		  "them (default: only the files, in memory)" },
	{ SCOPE_OPTION_CLICKHOUSE, "clickhouse", "URL",
	  .help = "send: the server; report: use its summaries; as http://host:8123" },
	{ SCOPE_OPTION_SETTINGS, "settings", "FILE",
	  .help = "with --clickhouse: file of user, password, database, ca (KEY = VALUE)" },
	{ SCOPE_OPTION_CONSUME, "consume", NULL,
	  .help = "send: remove each file when all of it was sent; a watch may still write" },
	FORMAT_OPTION,
	{ 'v', "verbose", .help = "report: all functions, not only one screen" },
	SYMBOL_OPTIONS,
	HELP_OPTION,
	{ 0 },
};

struct request {
	const char *output, *database;
	const char *server, *settings; /* NULL: files */
	struct scope_fleet_summarize_options summarize;
	const char *label[SCOPE_FLEET_LABELS_MAX];
	struct scope_cmd_symbols symbols;
	char **word; /* words after the action */
	int words;
	uint64_t since_ns;
	bool help, json, verbose, consume;
};

static int summarize_one(const struct request *request, struct scope_trace *trace, int fd, struct scope_error *error)
{
	struct scope_analysis_options options;
	struct scope_fleet_summary *summary;
	struct scope_analysis *analysis;
	int err;

	scope_analysis_options_init(&options);
	options.symbols = request->symbols.options;
	err = scope_analysis_run(trace, &options, &analysis);
	if (err)
		return scope_error_set(error, err, "the trace cannot be analysed: %s", strerror(-err));
	err = scope_fleet_summarize(analysis, &request->summarize, &summary);
	scope_analysis_destroy(analysis);
	if (err == -ENODATA)
		return scope_error_set(error, err,
				       "the trace does not say when it was recorded, so it cannot be compared with "
				       "others: record it by scope");
	if (err)
		return scope_error_set(error, err, "the trace cannot be summarized: %s", strerror(-err));
	err = scope_fleet_file_append(fd, summary);
	scope_fleet_summary_destroy(summary);
	return err ? scope_error_set(error, err,
				     "the summary cannot be written: %s; free some room, or name another "
				     "place with -o",
				     strerror(-err))
		   : 0;
}

static int summarize(const struct request *request, struct scope_error *error)
{
	const char *path = request->words ? request->word[0] : NULL;
	struct scope_newfile *file = NULL;
	struct scope_trace *trace = NULL;
	int err;

	err = scope_cmd_open_traces(1, &path, error, &trace);
	if (!err)
		err = scope_newfile_create(request->output, 0666, error, &file);
	if (!err)
		err = summarize_one(request, trace, scope_newfile_fd(file), error);
	scope_trace_close(trace);
	return file ? scope_cmd_newfile_end("fleet", file, err, error) : err;
}

static int print(const struct request *request, const struct scope_fleet_ranking *ranking,
		 const struct scope_fleet_read *read, struct scope_error *error)
{
	json_t *document;
	int err;

	if (!request->json) {
		scope_cmd_text_stdout();
		err = scope_fleet_text_print(ranking, read, request->verbose, stdout);
		return err ? scope_error_set(error, err, "the report cannot be written: %s", strerror(-err)) : 0;
	}
	document = scope_cmd_document_begin("fleet");
	err = document ? scope_fleet_json(ranking, read, document) : -ENOMEM;
	if (err) {
		json_decref(document);
		return scope_error_set(error, err, "no memory for the report");
	}
	return scope_cmd_document_end("fleet", document) ? scope_error_set(error, -EIO, "the report was not printed")
							 : 0;
}

static int report_of(const struct request *request, const struct scope_fleet_facts *facts,
		     const struct scope_fleet_read *read, struct scope_error *error)
{
	struct scope_fleet_ranking *ranking;
	int err = scope_fleet_rank_run(facts, &ranking);

	if (err)
		return scope_error_set(error, err, "no memory for the report");
	err = print(request, ranking, read, error);
	scope_fleet_ranking_destroy(ranking);
	return err;
}

/* If nothing could be read, an empty report is no answer. */
static int check_read(const struct request *request, const struct scope_fleet_facts *facts,
		      const struct scope_fleet_read *read, struct scope_error *error)
{
	if (facts->members || !request->words)
		return 0;
	return scope_error_set(error, -ENODATA, "there is no summary to report: %s",
			       read->problems ? read->problem[0] : "all were left out");
}

static int add(void *store, const struct scope_fleet_summary *summary, struct scope_fleet_read *read,
	       struct scope_error *error)
{
	enum scope_fleet_added added;
	int err = scope_fleet_store_add(store, summary, error, &added);

	if (err)
		return err;
	read->summaries += added == SCOPE_FLEET_ADDED;
	read->twice += added == SCOPE_FLEET_TWICE;
	read->overlapping += added == SCOPE_FLEET_OVERLAP;
	return 0;
}

/* The server adds up the summaries that it has. */
static int report_of_server(const struct request *request, struct scope_error *error)
{
	struct scope_fleet_client *client = NULL;
	struct scope_fleet_facts *facts = NULL;
	struct scope_fleet_read read = { 0 };
	int err = scope_fleet_client_create(request->server, request->settings, error, &client);

	if (!err)
		err = scope_fleet_clickhouse_prepare(client, error);
	if (!err)
		err = scope_fleet_clickhouse_facts(client, request->since_ns / 1000000000, error, &facts);
	for (size_t i = 0; !err && i < facts->members; i++)
		read.summaries += facts->member[i].summaries;
	if (!err && !facts->members)
		err = scope_error_set(error, -ENODATA,
				      "there is no summary to report: send some by `scope fleet send`");
	if (!err)
		err = report_of(request, facts, &read, error);
	scope_fleet_facts_destroy(facts);
	scope_fleet_client_destroy(client);
	return err;
}

static int send(const struct request *request, struct scope_error *error)
{
	const struct scope_cmd_fleet_send sending = {
		.url = request->server,
		.settings = request->settings,
		.path = request->word,
		.paths = request->words,
		.consume = request->consume,
	};
	int err = scope_cmd_drop_privilege(error);

	return err ? err : scope_cmd_fleet_send(&sending, error);
}

static int report(const struct request *request, struct scope_error *error)
{
	struct scope_fleet_facts *facts = NULL;
	struct scope_fleet_read read = { 0 };
	struct scope_fleet_store *store;
	int err = scope_cmd_drop_privilege(error);

	if (!err && request->server)
		return report_of_server(request, error);
	if (!err)
		err = scope_fleet_store_open(request->database, error, &store);
	if (err)
		return err;
	for (int i = 0; !err && i < request->words; i++)
		err = scope_fleet_load(request->word[i], add, store, &read, error);
	if (!err)
		err = scope_fleet_store_finish(store, error);
	if (!err)
		err = scope_fleet_store_facts(store, request->since_ns / 1000000000, error, &facts);
	if (!err)
		err = check_read(request, facts, &read, error);
	if (!err)
		err = report_of(request, facts, &read, error);
	scope_fleet_facts_destroy(facts);
	scope_fleet_store_close(store);
	scope_fleet_read_free(&read);
	return err;
}

static int take_label(const char *value, struct request *request)
{
	if (!scope_fleet_label_check(value))
		return scope_cmd_misuse("fleet",
					"--label wants KEY=VALUE, with letters, digits, '.', '-' and '_' in KEY, "
					"not '%s'",
					value);
	if (request->summarize.labels == SCOPE_FLEET_LABELS_MAX)
		return scope_cmd_misuse("fleet", "at most %d times --label", SCOPE_FLEET_LABELS_MAX);
	request->label[request->summarize.labels++] = value;
	return 0;
}

/* 0, or the exit status for an invalid value. */
static int take(int option, const char *value, char **argv, struct request *request)
{
	switch (option) {
	case 'h':
		request->help = true;
		return 0;
	case 'o':
		request->output = value;
		return 0;
	case 'v':
		request->verbose = true;
		return 0;
	case SCOPE_OPTION_FORMAT:
		return scope_cmd_document_format("fleet", value, &request->json);
	case SCOPE_OPTION_DB:
		request->database = value;
		return 0;
	case SCOPE_OPTION_CLICKHOUSE:
		request->server = value;
		return 0;
	case SCOPE_OPTION_SETTINGS:
		request->settings = value;
		return 0;
	case SCOPE_OPTION_CONSUME:
		request->consume = true;
		return 0;
	case SCOPE_OPTION_LABEL:
		return take_label(value, request);
	case SCOPE_OPTION_HOST:
		request->summarize.host = value;
		return 0;
	case SCOPE_OPTION_SINCE:
		if (scope_cmd_seconds(value, &request->since_ns) || request->since_ns < 1000000000)
			return scope_cmd_misuse("fleet", "--since wants a time as 90, 10m or 2h, not '%s'", value);
		return 0;
	default:
		return scope_cmd_line_wrong("fleet", argv);
	}
}

static const struct {
	const char *name;
	int (*run)(const struct request *request, struct scope_error *error);
} actions[] = {
	{ "report", report },
	{ "send", send },
	{ "summarize", summarize },
};

static int run(const char *action, const struct request *request)
{
	struct scope_error error = { "" };

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++) {
		if (strcmp(actions[i].name, action))
			continue;
		if (actions[i].run == summarize && (request->words != 1 || !request->output))
			return scope_cmd_misuse("fleet", "summarize wants one trace, and -o FILE");
		if (actions[i].run == send && (!request->words || !request->server))
			return scope_cmd_misuse("fleet", "send wants files of summaries, and --clickhouse URL");
		if (actions[i].run == report && request->server && (request->words || request->database))
			return scope_cmd_misuse("fleet", "report is over files, or over what --clickhouse has");
		if (actions[i].run == report && !request->words && !request->database && !request->server)
			return scope_cmd_misuse("fleet", "report wants files of summaries, or folders that have some");
		return actions[i].run(request, &error) ? scope_cmd_fail("fleet", &error) : SCOPE_EXIT_DONE;
	}
	return scope_cmd_misuse("fleet", "'%s' is neither report, summarize nor send", action);
}

int scope_cmd_fleet(int argc, char **argv)
{
	struct request request = { .output = NULL };
	int option, status = 0;

	request.summarize = (struct scope_fleet_summarize_options){ .label = request.label, .to_ns = UINT64_MAX };
	while (!status && !request.help && (option = scope_cmd_line_next("fleet", argc, argv)) != -1) {
		status = scope_cmd_symbols("fleet", option, optarg, &request.symbols);
		if (status == -1)
			status = take(option, optarg, argv, &request);
	}
	if (!status && request.help) {
		scope_cmd_line_help("fleet");
	} else if (!status && optind == argc) {
		status = scope_cmd_misuse("fleet", "what shall be done? scope fleet summarize, or scope fleet report");
	} else if (!status) {
		request.word = argv + optind + 1;
		request.words = argc - optind - 1;
		status = run(argv[optind], &request);
	}
	scope_cmd_symbols_free(&request.symbols);
	return status;
}
