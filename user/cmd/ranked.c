// SPDX-License-Identifier: GPL-2.0-only
/* Makes the functions that a report names, in the ranking or as bottlenecks, sites of delay experiments. */
#include "cmd/ranked.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/syscall_name.h"
#include "cmd/cmd.h"
#include "cmd/signature_options.h"
#include "proc/target.h"
#include "trace/trace.h"

#define FAILED "!" /* begin of a line with the reason why there are no names */

int scope_cmd_ranked_site(const struct scope_function *function, char ret_text[SCOPE_SITE_TEXT],
			  struct scope_error *why)
{
	if (!function || !function->known)
		return scope_error_set(why, -EINVAL, "its name is not known");
	if (function->library)
		return scope_error_set(why, -EINVAL, "a function of the system, not of the program");
	if (snprintf(ret_text, SCOPE_SITE_TEXT, "function:%s:%s", function->module, function->symbol) >=
	    SCOPE_SITE_TEXT)
		return scope_error_set(why, -EINVAL, "its name is too long");
	return 0;
}

static void print_site(const struct scope_function *function)
{
	char text[SCOPE_SITE_TEXT];

	if (!scope_cmd_ranked_site(function, text, NULL))
		puts(text);
}

/* For a function that sleeps the site is its call, because a speedup of a function affects only its time on a CPU. */
static void print_bottleneck(const struct scope_bottleneck *bottleneck)
{
	const char *call = bottleneck->nr == SCOPE_NR_NONE ? NULL : scope_syscall_name(bottleneck->nr);

	if (call)
		printf("syscall:%s\n", call);
	else
		print_site(bottleneck->function);
}

/* Prints a line for each finding that can be a site, then for each bottleneck. */
static int print_sites(const char *path, struct scope_error *error)
{
	struct scope_analysis_options options;
	struct scope_signatures *signatures = NULL;
	struct scope_cmd_learned learned;
	struct scope_analysis *analysis;
	struct scope_trace *trace;
	int err = scope_cmd_open_traces(1, &path, error, &trace);

	if (err)
		return err;
	scope_analysis_options_init(&options);
	scope_cmd_learned_init(&learned);
	err = scope_cmd_learned_load("delay", &learned, trace, error, &signatures);
	options.signatures = signatures;
	if (!err) {
		err = scope_analysis_run(trace, &options, &analysis);
		if (err)
			scope_error_set(error, err, "%.200s cannot be analysed: %s", path, strerror(-err));
	}
	if (!err) {
		for (size_t i = 0; i < analysis->ranking->findings; i++)
			print_site(analysis->ranking->finding[i].function);
		for (size_t i = 0; i < analysis->waits->bottlenecks; i++)
			print_bottleneck(&analysis->waits->bottleneck[i]);
		scope_analysis_destroy(analysis);
	}
	scope_signatures_destroy(signatures);
	scope_trace_close(trace);
	return err;
}

/* The work of the child, whose standard output is the pipe. */
static void name_sites(const char *path, int pipe_fd)
{
	struct scope_error error = { "" };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (dup2(pipe_fd, STDOUT_FILENO) < 0)
		_exit(SCOPE_EXIT_ERROR);
	if (print_sites(path, &error))
		printf(FAILED "%s\n", error.text);
	_exit(fflush(stdout) ? SCOPE_EXIT_ERROR : SCOPE_EXIT_DONE);
}

static bool is_there(const struct scope_delay_request *request, const char *text)
{
	for (uint32_t i = 0; i < request->sites; i++)
		if (!strcmp(request->site[i], text))
			return true;
	return false;
}

/*
 * Checks that the line can be a site of that process. The line is not trusted, because its writer has read a foreign
 * file.
 */
static int check_site(const struct scope_delay_request *request, uint32_t tgid, const char *line,
		      struct scope_error *why)
{
	struct scope_site site;
	int err;

	if ((strncmp(line, "function:", 9) && strncmp(line, "syscall:", 8)) || strchr(line, '/'))
		return scope_error_set(why, -EINVAL, "no name of a function or a system call");
	err = (request->kind == SCOPE_CAUSAL_SPEEDUP ? scope_causal_site_parse_speedup
						     : scope_causal_site_parse)(tgid, line, why, &site);
	if (!err)
		scope_causal_site_free(&site);
	return err;
}

/* Takes the lines of the child. 0, or the error of the child. */
static int take_lines(FILE *in, uint32_t tgid, unsigned most, char (*text)[SCOPE_SITE_TEXT],
		      struct scope_delay_request *request, struct scope_error *error)
{
	char line[sizeof(error->text)];
	struct scope_error why;
	unsigned taken = 0;

	while (taken < most && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == FAILED[0])
			return scope_error_set(error, -EBADMSG, "%s", line + 1);
		if (strlen(line) >= SCOPE_SITE_TEXT || is_there(request, line))
			continue;
		if (request->sites == SCOPE_DELAY_SITES_MAX)
			break;
		if (check_site(request, tgid, line, &why)) {
			scope_cmd_say(request->command, "%s is left out: %s", line, why.text);
			continue;
		}
		strcpy(text[taken], line);
		request->site[request->sites++] = text[taken++];
	}
	return taken ? 0
		     : scope_error_set(error, -ENODATA,
				       "the report names no function of the program "
				       "that could be held up: name one with --site");
}

int scope_cmd_ranked_add(const char *path, unsigned most, char (*text)[SCOPE_SITE_TEXT],
			 struct scope_delay_request *request, struct scope_error *error)
{
	struct scope_target target;
	int ends[2], err = scope_proc_target_find(request->pid, error, &target);
	pid_t child;
	FILE *in;

	if (err)
		return err;
	if (pipe(ends))
		return scope_error_set(error, -errno, "no pipe to be had: %s", strerror(errno));
	child = fork();
	if (!child) {
		close(ends[0]);
		name_sites(path, ends[1]);
	}
	close(ends[1]);
	in = child > 0 ? fdopen(ends[0], "r") : NULL;
	if (!in) {
		err = scope_error_set(error, -errno, "no process to read the trace: %s", strerror(errno));
		close(ends[0]);
	} else {
		err = take_lines(in, target.tgid, most, text, request, error);
		fclose(in);
	}
	/* The child may still be writing lines that are not read. */
	if (child > 0)
		waitpid(child, NULL, 0);
	return err;
}
