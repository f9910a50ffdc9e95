// SPDX-License-Identifier: GPL-2.0-only
/* scope signatures: list, show, export or import learned signatures. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/newfile.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/document.h"
#include "signature/json_exchange.h"

struct request {
	const char *db, *output; /* NULL: not given */
	struct scope_mine_options mine;
	char **word; /* words after the action */
	int words;
	FILE *from; /* the file that is imported */
	bool help, json;
};

/* State while builds, functions or episodes are printed. */
struct printer {
	struct scope_store *store;
	struct scope_error *error;
	const struct request *request;
	size_t found;
	json_t *rows;			       /* NULL for text */
	json_t *function;		       /* the row to which episodes are added */
	const struct scope_store_build *build; /* the build of the functions */
};

/* Prints the rows as JSON under that name, and frees them. 0 or -errno. */
static int end_rows(struct printer *printer, const char *name, int err)
{
	json_t *document;

	if (!printer->rows)
		return err;
	if (err) {
		json_decref(printer->rows);
		return err;
	}
	document = scope_cmd_document_begin("signatures");
	json_object_set_new(document, name, printer->rows);
	return scope_cmd_document_end("signatures", document) ? -EIO : 0;
}

static int print_build(void *user, const struct scope_store_build *build)
{
	struct printer *printer = user;

	if (printer->rows) {
		printer->found++;
		return json_array_append_new(
			       printer->rows,
			       json_pack("{s:o, s:o, s:I, s:I, s:I}", "module", scope_cmd_document_text(build->module),
					 "build_id", scope_cmd_document_text(build->build_id), "runs",
					 (json_int_t)build->runs, "functions", (json_int_t)build->functions,
					 "signatures", (json_int_t)build->episodes))
			       ? -ENOMEM
			       : 0;
	}
	if (!printer->found++)
		printf("%-24s %-40s %6s %9s %10s\n", "module", "build-id", "runs", "functions", "signatures");
	printf("%-24s %-40s %6" PRIu64 " %9" PRIu64 " %10" PRIu64 "\n", build->module, build->build_id, build->runs,
	       build->functions, build->episodes);
	return 0;
}

static int list(struct scope_store *store, const struct request *request, struct scope_error *error)
{
	struct printer printer = { .store = store, .error = error, .request = request };
	int err;

	printer.rows = request->json ? json_array() : NULL;
	if (!request->json)
		scope_cmd_text_stdout();
	err = scope_signature_store_each_build(store, error, print_build, &printer);
	if (printer.rows)
		return end_rows(&printer, "builds", err);
	if (!err && !printer.found)
		puts("nothing was learned yet: `scope learn -- COMMAND`");
	return err;
}

static int add_episode(json_t *function, const struct scope_episode *episode)
{
	json_t *calls = json_array();

	for (unsigned i = 0; i < episode->length; i++) {
		const char *name = scope_signature_episode_call_name(episode->nr[i]);

		json_array_append_new(calls, name ? json_string(name) : json_integer(episode->nr[i]));
	}
	return json_array_append_new(json_object_get(function, "episodes"),
				     json_pack("{s:I, s:b, s:o}", "support", (json_int_t)episode->support, "contiguous",
					       episode->contiguous, "calls", calls))
		       ? -ENOMEM
		       : 0;
}

static int print_episode(void *user, const struct scope_episode *episode)
{
	struct printer *printer = user;

	if (printer->rows)
		return add_episode(printer->function, episode);
	printf("  %8" PRIu64 "  ", episode->support);
	for (unsigned i = 0; i < episode->length; i++) {
		const char *name = scope_signature_episode_call_name(episode->nr[i]);

		printf("%s", !i ? "" : episode->contiguous ? " " : " … ");
		if (name)
			fputs(name, stdout);
		else
			printf("%u", episode->nr[i]);
	}
	putchar('\n');
	return 0;
}

static int add_function(struct printer *printer, const struct scope_store_function *function)
{
	printer->function = json_pack("{s:o, s:I, s:I, s:I, s:I, s:o, s:o}", "name",
				      scope_cmd_document_text(function->name), "calls", (json_int_t)function->calls,
				      "strings", (json_int_t)function->strings, "left_out",
				      (json_int_t)function->left_out, "signatures", (json_int_t)function->episodes,
				      "module", scope_cmd_document_text(printer->build->module), "build_id",
				      scope_cmd_document_text(printer->build->build_id));
	if (json_array_append_new(printer->rows, printer->function))
		return -ENOMEM;
	if (printer->request->words < 2)
		return 0;
	json_object_set_new(printer->function, "episodes", json_array());
	return scope_signature_store_each_episode(printer->store, function->id, printer->error, print_episode, printer);
}

static int print_function(void *user, const struct scope_store_function *function)
{
	struct printer *printer = user;
	const struct request *request = printer->request;

	if (request->words > 1 && strcmp(request->word[1], function->name))
		return 0;
	printer->found++;
	if (printer->rows)
		return add_function(printer, function);
	printf("%s: %" PRIu64 " calls, %" PRIu64 " strings, %" PRIu64 " signatures", function->name, function->calls,
	       function->strings, function->episodes);
	if (function->left_out)
		printf(" (%" PRIu64 " strings left out)", function->left_out);
	putchar('\n');
	return request->words < 2 ? 0
				  : scope_signature_store_each_episode(printer->store, function->id, printer->error,
								       print_episode, printer);
}

static int show_build(void *user, const struct scope_store_build *build)
{
	struct printer *printer = user;

	if (!scope_signature_store_build_matches(build, printer->request->word[0]))
		return 0;
	printer->build = build;
	if (!printer->rows)
		printf("%s, build-id %s, %" PRIu64 " runs\n", build->module, build->build_id, build->runs);
	if (printer->request->words < 2)
		printer->found++;
	return scope_signature_store_each_function(printer->store, build->id, printer->error, print_function, printer);
}

static int show(struct scope_store *store, const struct request *request, struct scope_error *error)
{
	struct printer printer = { .store = store, .error = error, .request = request };
	int err;

	printer.rows = request->json ? json_array() : NULL;
	if (!request->json)
		scope_cmd_text_stdout();
	err = scope_signature_store_each_build(store, error, show_build, &printer);
	if (!err && !printer.found)
		err = scope_error_set(error, -ENOENT,
				      "nothing was learned of %.100s%s%.100s: `scope "
				      "signatures list` shows what was",
				      request->word[0], request->words > 1 ? " " : "",
				      request->words > 1 ? request->word[1] : "");
	return end_rows(&printer, "learned", err);
}

static int export(struct scope_store *store, const struct request *request, struct scope_error *error)
{
	struct scope_newfile *file;
	FILE *to;
	int err = scope_newfile_create(request->output, 0666, error, &file);

	if (err)
		return err;
	to = scope_newfile_stream(file);
	err = to ? scope_signature_export(store, request->words ? request->word[0] : NULL, to, error)
		 : scope_error_set(error, -ENOMEM, "no memory left to export");
	return scope_cmd_newfile_end("signatures", file, err, error);
}

static int import(struct scope_store *store, const struct request *request, struct scope_error *error)
{
	struct scope_imported *imported;
	size_t episodes = 0;
	int err = scope_signature_import(request->from, request->word[0], error, &imported);

	if (err)
		return err;
	err = scope_signature_store_add(store, scope_signature_imported_learned(imported), &request->mine, error,
					&episodes);
	if (!err)
		printf("%zu programs, %zu functions; they have %zu signatures now\n",
		       scope_signature_imported_learned(imported)->builds,
		       scope_signature_imported_learned(imported)->functions, episodes);
	scope_signature_imported_destroy(imported);
	return err;
}

static const struct action {
	const char *name;
	int words_min, words_max;
	enum scope_store_mode mode;
	int (*run)(struct scope_store *store, const struct request *request, struct scope_error *error);
} actions[] = {
	{ "list", 0, 0, SCOPE_STORE_READ, list },
	{ "show", 1, 2, SCOPE_STORE_READ, show },
	{ "export", 0, 1, SCOPE_STORE_READ, export },
	{ "import", 1, 1, SCOPE_STORE_WRITE, import },
};

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

/* 0, or the exit status for an invalid value. */
static int take_value(int option, const char *value, char **argv, struct request *request)
{
	uint64_t number;

	if (option == SCOPE_OPTION_FORMAT) {
		return scope_cmd_document_format("signatures", value, &request->json);
	} else if (option == SCOPE_OPTION_DB) {
		request->db = value;
	} else if (option == 'o') {
		request->output = value;
	} else if (option == 'h') {
		request->help = true;
	} else if (option == '?') {
		return scope_cmd_line_wrong("signatures", argv);
	} else if (scope_cmd_number(value, 1, 100000, &number)) {
		return scope_cmd_misuse("signatures",
					"--min-support and --max-episodes want a number "
					"from 1 to 100000, not '%s'",
					value);
	} else if (option == SCOPE_OPTION_MIN_SUPPORT) {
		request->mine.support_min = number;
	} else {
		request->mine.episodes_max = number;
	}
	return 0;
}

static int act_as_user(const struct action *action, const struct request *request, struct scope_error *error)
{
	struct scope_store *store;
	char path[PATH_MAX];
	int err = scope_cmd_signature_path(request->db, path, sizeof(path), error);

	if (!err)
		err = scope_signature_store_open(path, action->mode, error, &store);
	if (err)
		return err;
	err = action->run(store, request, error);
	scope_signature_store_close(store);
	return err;
}

/*
 * Drops privileges first: an imported file or a named database may come from another host, so root must not parse it.
 */
static int act(const struct action *action, struct request *request, struct scope_error *error)
{
	const bool imports = action->run == import;
	int err;

	if (imports) {
		request->from = fopen(request->word[0], "re");
		if (!request->from)
			return scope_error_set(error, -errno, "%s cannot be read: %s", request->word[0],
					       strerror(errno));
	}
	err = imports || request->db ? scope_cmd_drop_privilege(error) : 0;
	if (!err)
		err = act_as_user(action, request, error);
	if (request->from)
		fclose(request->from);
	return err;
}

int scope_cmd_signatures(int argc, char **argv)
{
	struct request request = {
		.mine = { SCOPE_MINE_SUPPORT_MIN, SCOPE_MINE_EPISODES_MAX },
	};
	const struct action *action;
	struct scope_error error = { "" };
	int option, status = 0;

	while (!status && (option = scope_cmd_line_next("signatures", argc, argv)) != -1)
		status = take_value(option, optarg, argv, &request);
	if (status)
		return status;
	if (request.help) {
		scope_cmd_line_help("signatures");
		return SCOPE_EXIT_DONE;
	}
	action = optind < argc ? find_action(argv[optind]) : NULL;
	if (!action)
		return scope_cmd_misuse("signatures", "which of list, show, export and import?");
	if (request.json && action->run != list && action->run != show)
		return scope_cmd_misuse("signatures", "--format goes with list and show");
	request.word = argv + optind + 1;
	request.words = argc - optind - 1;
	if (request.words < action->words_min || request.words > action->words_max)
		return scope_cmd_misuse("signatures", "%s takes %d to %d words", action->name, action->words_min,
					action->words_max);
	return act(action, &request, &error) ? scope_cmd_fail("signatures", &error) : SCOPE_EXIT_DONE;
}
