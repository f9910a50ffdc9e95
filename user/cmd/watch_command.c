// SPDX-License-Identifier: GPL-2.0-only
/* scope watch: watch a target all the time, and report incidents when they begin. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/plain.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/watch_options.h"
#include "cmd/watch_summary.h"
#include "proc/named.h"
#include "source/source.h"

#define GROUP_MAX 512
#define AGAIN_NS 500000000 /* time between two searches for a target that has ended */

struct session {
	struct scope_cmd_watch *request;
	const struct scope_source *source;
	const volatile sig_atomic_t *stop;
	struct scope_watch *watch;
};

static void say_level(void *context, bool bad, const char *text)
{
	(void)context;
	scope_cmd_journal_level(bad ? LOG_WARNING : LOG_INFO);
	scope_cmd_say("watch", "%s", text);
}

static void say(void *context, const char *text)
{
	say_level(context, false, text);
}

static void begun(void *context, const struct scope_target *target)
{
	const struct session *session = context;
	char comm[SCOPE_PLAIN_COMM_BYTES], text[128];

	if (target->note[0])
		say(NULL, target->note);
	snprintf(text, sizeof(text), "watching %s[%u]", scope_plain_comm(comm, target->comm), target->tgid);
	say(NULL, text);
	scope_watch_begun(session->watch, target);
}

static void progress(void *context, const struct scope_capture_progress *now,
		     const struct scope_recorder_flight *flight)
{
	const struct session *session = context;
	char size[SCOPE_DURATION_TEXT];

	scope_watch_progress(session->watch, now, flight);
	scope_cmd_warn_lossy("watch", now->lost);
	scope_cmd_progress("watching: holds the last %.0f of %.0f s in %s, %" PRIu64 " events, %" PRIu64 " lost",
			   flight->covered_s, flight->wanted_s, scope_size_write(size, flight->held_bytes),
			   now->records, now->lost);
}

/* The name of the group in /proc/PID/cgroup. */
static void name_group(const struct scope_cmd_watch *request, char *name, size_t size)
{
	static const char mount[] = "/sys/fs/cgroup";
	const char *path = request->group;
	size_t length;

	if (request->unit) {
		snprintf(name, size, "%s%s", request->unit, strchr(request->unit, '.') ? "" : ".service");
		return;
	}
	if (!strncmp(path, mount, strlen(mount)))
		path += strlen(mount);
	snprintf(name, size, "%s%s", *path == '/' ? "" : "/", path);
	for (length = strlen(name); length > 1 && name[length - 1] == '/';)
		name[--length] = '\0';
}

static int add_process(struct scope_selection *selection, uint32_t tgid, struct scope_error *error)
{
	char number[16];

	snprintf(number, sizeof(number), "%u", tgid);
	return scope_source_selection_process(selection, number, error);
}

/* perf events follow only one process and its descendants. */
static int add_group(const struct session *session, struct scope_selection *selection, struct scope_error *error)
{
	const bool one = session->source->lacks[0];
	uint32_t tgid[SCOPE_TARGET_MAX];
	char name[GROUP_MAX], text[160];
	size_t count = 0;
	int err;

	name_group(session->request, name, sizeof(name));
	err = scope_proc_target_group(name, tgid, SCOPE_TARGET_MAX, error, &count);
	if (!err && one && count > 1) {
		snprintf(text, sizeof(text),
			 "--source %s follows one process and its descendants: %zu others of the group are left out",
			 session->source->name, count - 1);
		say_level(NULL, true, text);
		count = 1;
	}
	for (size_t i = 0; !err && i < count; i++)
		err = add_process(selection, tgid[i], error);
	return err;
}

/* A zombie, whose parent has not read its status, counts as ended. */
static int find(const struct session *session, struct scope_selection *selection, struct scope_error *error)
{
	struct scope_target target;
	int err;

	*selection = (struct scope_selection){ 0 };
	err = session->request->process ? scope_source_selection_process(selection, session->request->process, error)
					: add_group(session, selection, error);
	return err ? err : scope_proc_target_find(selection->pid, error, &target);
}

/*
 * After the user's conditions there are two more triggers: the analysis, which finds unusual requests, and a lack of
 * CPU, which is reported immediately.
 */
static int make_triggers(const struct scope_cmd_watch *request, struct scope_triggers **ret_triggers)
{
	int err = scope_recorder_triggers_create(ret_triggers);

	for (size_t i = 0; !err && i < request->whens; i++)
		err = scope_recorder_triggers_add(*ret_triggers, request->when[i], NULL);
	if (!err && request->watch.outside)
		err = scope_recorder_triggers_add(*ret_triggers, "no-cpu", NULL);
	return err ? err : scope_recorder_triggers_add(*ret_triggers, "unusual", NULL);
}

/* One capture, from the begin of the target to its end. */
static int watch_once(const struct session *session, struct scope_selection *selection, struct scope_error *error,
		      enum scope_capture_end *ret_end)
{
	struct scope_capture_options capture = session->request->capture;
	struct scope_recorder_options recorder = session->request->recorder;
	const struct scope_recorder_watch watch = {
		.begun = begun,
		.progress = progress,
		.say = say,
		.context = (void *)(uintptr_t)session,
	};
	struct scope_recorder_result result;
	int err = make_triggers(session->request, &recorder.triggers);

	if (err)
		return scope_error_set(error, err, "no memory to watch");
	capture.pid = selection->pid;
	capture.selection = selection;
	recorder.judge = scope_watch_judge_of(session->watch);
	err = scope_recorder_run(&recorder, session->source, &capture, session->stop, scope_cmd_catch_usr1(), &watch,
				 error, &result);
	scope_cmd_progress_end();
	scope_recorder_triggers_destroy(recorder.triggers);
	if (!err)
		*ret_end = result.stats.end;
	return err;
}

/* Waits until the target exists again. Returns false if the user ended the watch. */
static bool wait_again(const struct session *session, struct scope_selection *selection)
{
	const struct timespec pause = { .tv_nsec = AGAIN_NS };
	struct scope_error error;

	while (!*session->stop) {
		scope_watch_idle(session->watch);
		nanosleep(&pause, NULL);
		if (!find(session, selection, &error))
			return true;
	}
	return false;
}

static bool comes_again(const struct scope_cmd_watch *request)
{
	return !request->process || *request->process < '0' || *request->process > '9';
}

static int watch_all(const struct session *session, struct scope_error *error)
{
	struct scope_selection selection;
	int err = find(session, &selection, error);

	while (!err && !*session->stop) {
		enum scope_capture_end end = SCOPE_CAPTURE_TARGET_GONE;

		err = watch_once(session, &selection, error, &end);
		if (!err && end == SCOPE_CAPTURE_GUARD)
			return scope_error_set(error, -EOVERFLOW,
					       "stopped by the overload guard: allow more with --max-overhead");
		/* The target may end between the search and the begin of its capture. */
		if (err && !(err == -ESRCH && comes_again(session->request)))
			return err;
		if (*session->stop || end == SCOPE_CAPTURE_INTERRUPT)
			return 0;
		if (!comes_again(session->request)) {
			say(NULL, "the process has ended");
			return 0;
		}
		say(NULL, "the target has ended; it is watched again when it is back (Ctrl-C: end)");
		if (!wait_again(session, &selection))
			return 0;
		err = 0;
	}
	return err;
}

/* Makes the name of the output: "scope-watch-nginx.trace". */
static void name_output(const struct scope_cmd_watch *request, char *output, size_t size)
{
	const char *target = request->process ? request->process : request->unit;
	size_t length;

	if (!target)
		target = request->group;
	length = strlen(target);
	while (length > 1 && target[length - 1] == '/')
		length--;
	snprintf(output, size, "scope-watch-%.*s.trace", (int)length, target);
	for (char *at = output; *at; at++)
		if (*at == '/')
			*at = '-';
}

int scope_cmd_watch(int argc, char **argv)
{
	static struct scope_cmd_watch request;
	struct session session = { .request = &request };
	struct scope_error error = { "" };
	char output[600];
	struct scope_cmd_watch_summary *summary = NULL;
	int status = scope_cmd_watch_parse(argc, argv, &request), err = 0;

	if (status)
		return status;
	if (request.help) {
		scope_cmd_line_help("watch");
		return SCOPE_EXIT_DONE;
	}
	status = scope_cmd_source("watch", request.source, &session.source);
	if (status)
		return status;
	name_output(&request, output, sizeof(output));
	request.recorder.output = request.output ? request.output : output;
	request.watch.response.say = say_level;
	session.stop = scope_cmd_catch_signals();
	if (request.summary) {
		err = scope_cmd_watch_summary_create(request.summary, request.label, request.labels, &error, &summary);
		request.watch.analysed = scope_cmd_watch_summary_add;
		request.watch.analysed_context = summary;
	}
	if (!err)
		err = scope_watch_create(&request.watch, session.stop, &error, &session.watch);
	if (!err)
		err = watch_all(&session, &error);
	scope_watch_destroy(session.watch);
	scope_cmd_watch_summary_destroy(summary);
	return err ? scope_cmd_fail("watch", &error) : SCOPE_EXIT_DONE;
}
