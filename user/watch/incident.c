// SPDX-License-Identifier: GPL-2.0-only
/* Responds to an incident in a child process: writes reports beside its trace, then runs a program and a webhook. */
#include "watch/incident.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/forked.h"
#include "base/newfile.h"
#include "base/now.h"
#include "base/plain.h"
#include "report/json.h"
#include "report/numbers.h"
#include "report/page.h"
#include "report/text.h"
#include "watch/judgement.h"
#include "watch/webhook.h"

#define PROGRAM_NS 60000000000ull
#define POLL_MS 50
#define VARIABLES 10
#define VALUE_BYTES 4200

const char *const scope_watch_ends[] = { ".txt", ".json", ".html", NULL };

/* The facts that a program gets in its environment, and a webhook as members. */
struct facts {
	const char *name[VARIABLES], *member[VARIABLES];
	char value[VARIABLES][VALUE_BYTES];
	size_t count;
};

__attribute__((format(printf, 3, 4))) static void say(const struct scope_watch_response *response, bool bad,
						      const char *format, ...)
{
	char text[5120];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	response->say(response->context, bad, text);
}

static bool shows(const struct scope_analysis *analysis, const struct scope_watch_finding *finding)
{
	const struct scope_ranking *ranking = analysis->ranking;

	for (size_t i = 0; i < ranking->findings; i++)
		if (ranking->finding[i].function && !strcmp(ranking->finding[i].function->name, finding->function))
			return true;
	return false;
}

/* The report covers the whole trace, so its answer may differ. */
static int print_text(const struct scope_analysis *analysis, const struct scope_watch_incident *incident,
		      const struct scope_report_style *style, FILE *out)
{
	char text[512];

	snprintf(
		text, sizeof(text), "%s; since %s.%s", incident->finding.sentence, incident->began,
		shows(analysis, &incident->finding)
			? ""
			: " The report below is of the whole trace, by its requests and stuck threads, and does not show it.");
	scope_report_format_paragraph(out, "INCIDENT  ", text);
	fputc('\n', out);
	return scope_report_text(analysis, style, out);
}

static int print_report(const struct scope_analysis *analysis, const struct scope_watch_incident *incident,
			enum scope_watch_format format, FILE *out)
{
	const struct scope_report_style style = { .verbose = true, .trace = incident->trace };

	if (format == SCOPE_WATCH_JSON)
		return scope_report_json(analysis, &style, out);
	if (format == SCOPE_WATCH_HTML)
		return scope_report_page(analysis, &style, out);
	return print_text(analysis, incident, &style, out);
}

static int write_report(const struct scope_analysis *analysis, const struct scope_watch_incident *incident,
			unsigned index, struct scope_error *error)
{
	struct scope_newfile *file;
	char path[4200];
	FILE *out;
	int err;

	snprintf(path, sizeof(path), "%s%s", incident->trace, scope_watch_ends[index]);
	err = scope_newfile_create(path, 0600, error, &file);
	if (err)
		return err;
	out = scope_newfile_stream(file);
	errno = 0;
	err = out ? print_report(analysis, incident, 1u << index, out) : -ENOMEM;
	if (!err && (fflush(out) || ferror(out)))
		err = -EIO;
	/* errno has the reason of the last failed write. */
	if (err == -EIO && errno)
		err = -errno;
	if (err)
		scope_error_set(error, err, "%.400s cannot be written: %s; free some room", path, strerror(-err));
	else
		err = scope_newfile_finish(file, error);
	scope_newfile_destroy(file);
	return err;
}

/* Returns true if the text was written. */
static bool write_reports(const struct scope_watch_incident *incident, const struct scope_watch_response *response)
{
	struct scope_analysis *analysis;
	struct scope_error error = { "" };
	bool text = false;
	int err;

	if (!response->formats || !incident->trace[0])
		return false;
	err = scope_watch_judge_analyse(incident->trace, incident->root[0] ? incident->root : NULL,
					response->formats & (SCOPE_WATCH_JSON | SCOPE_WATCH_HTML), &analysis);
	if (err) {
		say(response, true, "%s cannot be analysed: %s; try `scope report -i` on it", incident->trace,
		    strerror(-err));
		return false;
	}
	for (unsigned i = 0; scope_watch_ends[i]; i++) {
		if (!(response->formats & 1u << i))
			continue;
		if (write_report(analysis, incident, i, &error))
			say(response, true, "%s", error.text);
		else
			text |= 1u << i == SCOPE_WATCH_TEXT;
	}
	return text;
}

__attribute__((format(printf, 4, 5))) static void add(struct facts *facts, const char *name, const char *member,
						      const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(facts->value[facts->count], VALUE_BYTES, format, arguments);
	va_end(arguments);
	facts->member[facts->count] = member;
	facts->name[facts->count++] = name;
}

static void collect(const struct scope_watch_incident *incident, bool text, struct facts *facts)
{
	char host[256] = "", comm[SCOPE_PLAIN_COMM_BYTES];

	gethostname(host, sizeof(host) - 1);
	add(facts, "SCOPE_SENTENCE", "sentence", "%s", incident->finding.sentence);
	add(facts, "SCOPE_KIND", "kind", "%s", incident->finding.kind);
	add(facts, "SCOPE_FUNCTION", "function", "%s", incident->finding.function);
	add(facts, "SCOPE_MODULE", "module", "%s", incident->finding.module);
	add(facts, "SCOPE_BEGAN", "began", "%s", incident->began);
	add(facts, "SCOPE_TARGET", "target", "%s", scope_plain_comm(comm, incident->target.comm));
	add(facts, "SCOPE_PID", "pid", "%" PRIu32, incident->target.tgid);
	add(facts, "SCOPE_HOST", "host", "%s", host);
	add(facts, "SCOPE_TRACE", "trace", "%s", incident->trace);
	add(facts, "SCOPE_REPORT", "report", "%s%s", text ? incident->trace : "", text ? scope_watch_ends[0] : "");
}

static void execute(const char *program, const struct facts *facts)
{
	char *const arguments[] = { (char *)(uintptr_t)program, NULL };

	for (size_t i = 0; i < facts->count; i++)
		setenv(facts->name[i], facts->value[i], 1);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	/* The program must end with this child, because no other process would end it. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	execv(program, arguments);
	_exit(127);
}

static pid_t start_program(const struct scope_watch_response *response, const struct facts *facts)
{
	const pid_t child = fork();

	if (!child)
		execute(response->program, facts);
	if (child < 0)
		say(response, true, "%s cannot be started: %s", response->program, strerror(errno));
	return child;
}

static void end_program(const struct scope_watch_response *response, pid_t child, uint64_t begin_ns)
{
	int status = 0;

	while (!waitpid(child, &status, WNOHANG)) {
		if (scope_now_ns() - begin_ns >= PROGRAM_NS) {
			kill(child, SIGKILL);
			waitpid(child, NULL, 0);
			say(response, true, "%s was killed: it took over %llu s", response->program,
			    PROGRAM_NS / 1000000000);
			return;
		}
		poll(NULL, 0, POLL_MS);
	}
	if (WIFSIGNALED(status))
		say(response, true, "%s ended by signal %d", response->program, WTERMSIG(status));
	else if (WEXITSTATUS(status))
		say(response, true, "%s ended with status %d%s", response->program, WEXITSTATUS(status),
		    WEXITSTATUS(status) == 127 ? ": it could not be executed" : "");
}

static void post(const struct scope_watch_response *response, const struct facts *facts)
{
	struct scope_error error = { "" };
	json_t *all = json_object();
	char *text;

	for (size_t i = 0; i < facts->count; i++)
		json_object_set_new(all, facts->member[i], json_string(facts->value[i]));
	text = all ? json_dumps(all, JSON_COMPACT) : NULL;
	if (!text)
		say(response, true, "no memory for the webhook");
	else if (scope_watch_webhook_post(response->webhook, text, &error))
		say(response, true, "%s", error.text);
	free(text);
	json_decref(all);
}

/* The work of the child. */
static void respond(const struct scope_watch_incident *incident, const struct scope_watch_response *response)
{
	struct facts *facts = calloc(1, sizeof(*facts));
	const bool text = write_reports(incident, response);
	const uint64_t begin_ns = scope_now_ns();
	pid_t program = 0;

	if (!facts)
		_exit(1);
	collect(incident, text, facts);
	if (text)
		say(response, false, "the report is %s%s", incident->trace, scope_watch_ends[0]);
	/* Program and webhook run at the same time, because one of them may hang. */
	if (response->program)
		program = start_program(response, facts);
	if (response->webhook)
		post(response, facts);
	if (program > 0)
		end_program(response, program, begin_ns);
	_exit(0);
}

pid_t scope_watch_incident_respond(const struct scope_watch_incident *incident,
				   const struct scope_watch_response *response)
{
	const pid_t child = scope_forked();

	if (!child)
		respond(incident, response);
	return child < 0 ? -errno : child;
}
