// SPDX-License-Identifier: GPL-2.0-only
/* Prints the part of the analysis that a command prints, in the requested format, to the requested file. */
#include <errno.h>
#include <string.h>

#include "base/newfile.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/pager.h"
#include "cmd/report.h"
#include "cmd/report_options.h"
#include "report/json.h"
#include "report/libcalls_text.h"
#include "report/page.h"
#include "report/profile_json.h"
#include "report/server_text.h"
#include "report/text.h"
#include "report/variance_text.h"
#include "report/waits_text.h"

struct scope_report_style scope_cmd_report_style(const struct scope_cmd_report *request)
{
	return (struct scope_report_style){
		.verbose = request->verbose,
		.quiet = request->quiet,
		.details = request->details,
		.trace = request->input ? request->input : request->save,
		.part = request->part_words,
		.kind = request->part.kind,
	};
}

/* This takes one more pass over the trace. */
static int print_profile(const struct scope_analysis *analysis, FILE *out)
{
	const struct scope_found_units *found = &analysis->found;
	struct scope_server_counter *counter = NULL;
	struct scope_server_calls *calls;
	struct scope_profile *profile = NULL;
	int err = scope_server_calls_begin(analysis->server, found->distributions, &counter);

	if (!err) {
		const struct scope_pass_listener listener = scope_server_calls_listener(counter);

		err = scope_server_profile_create(analysis->trace, analysis->server, found->distributions,
						  found->groups, found->pickups, &listener, &profile);
	}
	calls = scope_server_calls_end(counter);
	if (!err)
		err = scope_report_profile_json(analysis, calls, profile, out);
	scope_server_profile_destroy(profile);
	scope_server_calls_destroy(calls);
	return err;
}

static int print_model(const struct scope_cmd_report *request, const struct scope_analysis *analysis,
		       const struct scope_report_style *style, FILE *out)
{
	struct scope_server_calls *calls = NULL;
	int err = 0;

	/* This takes one more pass, so it is done only if it is requested. */
	if (request->args)
		err = scope_server_calls_create(analysis->trace, analysis->server, analysis->found.distributions,
						&calls);
	if (!err)
		err = request->json ? scope_report_server_json(analysis, calls, out)
				    : scope_report_server_text(analysis, calls, style, out);
	scope_server_calls_destroy(calls);
	return err;
}

/* This takes one more pass over the trace. */
static int print_libcalls(const struct scope_cmd_report *request, const struct scope_analysis *analysis,
			  const struct scope_report_style *style, FILE *out, const char **ret_missing)
{
	struct scope_libcalls *libcalls;
	int err = scope_server_libcalls_create(analysis->trace, analysis->symbols, analysis->found.distributions,
					       &libcalls);

	if (err)
		return err;
	err = request->json ? scope_report_libcalls_json(analysis, libcalls, &request->pair, ret_missing, out)
			    : scope_report_libcalls_text(analysis, libcalls, &request->pair, style, ret_missing, out);
	scope_server_libcalls_destroy(libcalls);
	return err;
}

int scope_cmd_report_print(const struct scope_cmd_report *request, const struct scope_analysis *analysis,
			   const struct scope_report_causal *causal, struct scope_newfile *file,
			   struct scope_error *error)
{
	const char *name = request->output ? request->output : "the report";
	struct scope_report_style style = scope_cmd_report_style(request);
	FILE *out = scope_newfile_stream(file), *shown = out, *text = out;
	struct scope_cmd_pager pager = { 0 };
	const char *missing = NULL;
	int err;

	style.causal = causal;
	style.columns = scope_cmd_columns(scope_newfile_fd(file));
	style.colour = scope_cmd_colour(request->colour, scope_newfile_fd(file));
	if (out && !request->json && !request->html && !request->live_ns)
		shown = scope_cmd_pager_begin(&pager, out, scope_newfile_fd(file));
	if (out && !request->json && !request->html)
		text = scope_cmd_text_begin(shown);
	if (!out)
		err = -ENOMEM;
	else if (request->waits)
		err = request->json ? scope_report_waits_json(analysis, out)
				    : scope_report_waits_text(analysis, &style, text);
	else if (request->profile)
		err = print_profile(analysis, out);
	else if (request->model)
		err = print_model(request, analysis, &style, request->json ? out : text);
	else if (request->libcalls)
		err = print_libcalls(request, analysis, &style, request->json ? out : text, &missing);
	else if (request->explore)
		err = request->json ? scope_report_explore_json(analysis, &request->limits, out)
				    : scope_report_explore_text(analysis, &style, &request->limits, text);
	else if (request->json && request->live_ns)
		err = scope_report_json_line(analysis, &style, NULL, out);
	else if (request->json)
		err = scope_report_json(analysis, &style, out);
	else if (request->html)
		err = scope_report_page(analysis, &style, out);
	else
		err = scope_report_text(analysis, &style, text);
	scope_cmd_text_end(text, shown);
	scope_cmd_pager_end(&pager);
	if (err == -ENOENT && missing)
		scope_error_set(
			error, err,
			"the program made no system call by a function '%.100s': without --compare the functions "
			"are listed",
			missing);
	else if (err)
		scope_error_set(error, err,
				"%s cannot be written: %s; free some room, or name "
				"another place with -o",
				name, strerror(-err));
	else
		err = scope_newfile_finish(file, error);
	scope_cmd_note(request->name, scope_newfile_note(file));
	return err;
}
