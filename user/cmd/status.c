// SPDX-License-Identifier: GPL-2.0-only
/* scope status: print which module is loaded, what its sessions do and cost, and the state of recorders. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/duration.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/document.h"
#include "control/control.h"
#include "recorder/control_socket.h"
#include "report/status_openmetrics.h"

static uint64_t all_lost(const struct scope_session_status *status)
{
	uint64_t sum = 0;
	int i;

	for (i = 0; i < SCOPE_LOST_REASONS; i++)
		sum += status->total.lost[i];
	return sum;
}

static void print_state(const struct scope_session_status *status)
{
	static const char *const states[] = {
		[SCOPE_RUN_NEW] = "not configured yet",
		[SCOPE_RUN_READY] = "configured, not started",
		[SCOPE_RUN_ON] = "running",
		[SCOPE_RUN_STOPPED] = "stopped",
	};
	const unsigned state = status->run_state;
	char size[SCOPE_DURATION_TEXT], took[SCOPE_DURATION_TEXT];

	printf("session %u %s", status->session,
	       state < sizeof(states) / sizeof(states[0]) ? states[state] : "in an unknown state");
	if (status->run_ns)
		printf(" %s%s", state == SCOPE_RUN_ON ? "for " : "after ", scope_duration_write(took, status->run_ns));
	if (status->stop_reason == SCOPE_STOP_GUARD)
		printf(" by the overload guard: probes took %u.%u %% of CPU %u", status->guard_share / 10,
		       status->guard_share % 10, status->guard_cpu);
	if (status->owner)
		printf(", opened by process %u", status->owner);
	printf("\n          %s mode, %u process%s, %s\n", status->ring_mode == SCOPE_RING_FLIGHT ? "flight" : "stream",
	       status->processes, status->processes == 1 ? "" : "es", scope_size_write(size, status->memory_bytes));
}

static json_t *make_guard(const struct scope_session_status *now)
{
	if (now->stop_reason != SCOPE_STOP_GUARD)
		return json_null();
	return json_pack("{s:I, s:f}", "cpu", (json_int_t)now->guard_cpu, "share", now->guard_share / 1000.0);
}

/* The same as print_session(), for JSON. */
static void add_session(const struct scope_session_status *before, const struct scope_session_status *now,
			json_t *sessions)
{
	static const char *const states[] = {
		[SCOPE_RUN_NEW] = "new",
		[SCOPE_RUN_READY] = "ready",
		[SCOPE_RUN_ON] = "running",
		[SCOPE_RUN_STOPPED] = "stopped",
	};
	const double seconds = (double)(now->run_ns - before->run_ns) / 1e9;
	const unsigned state = now->run_state;
	json_t *session = json_pack("{s:I, s:s?, s:I, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "session",
				    (json_int_t)now->session, "state",
				    state < sizeof(states) / sizeof(states[0]) ? states[state] : NULL, "run_ns",
				    (json_int_t)now->run_ns, "owner",
				    now->owner ? json_integer(now->owner) : json_null(), "mode",
				    now->ring_mode == SCOPE_RING_FLIGHT ? "flight" : "stream", "processes",
				    (json_int_t)now->processes, "memory_bytes", (json_int_t)now->memory_bytes, "events",
				    (json_int_t)now->total.records, "lost", (json_int_t)all_lost(now), "overwritten",
				    (json_int_t)now->total.overwritten, "stacks", (json_int_t)now->total.stacks,
				    "stacks_skipped", (json_int_t)now->total.stacks_skipped, "guard", make_guard(now));
	const bool runs = seconds > 0;

	json_object_set_new(session, "events_per_s",
			    runs ? json_real((double)(now->total.records - before->total.records) / seconds)
				 : json_null());
	json_object_set_new(session, "lost_per_s",
			    runs ? json_real((double)(all_lost(now) - all_lost(before)) / seconds) : json_null());
	json_object_set_new(
		session, "probe_share",
		runs ? json_real(((double)now->total.probe_ns - (double)before->total.probe_ns) / (seconds * 1e9))
		     : json_null());
	json_array_append_new(sessions, session);
}

/* before: the session's state a moment earlier. */
static void print_session(const struct scope_session_status *before, const struct scope_session_status *now)
{
	const double seconds = (double)(now->run_ns - before->run_ns) / 1e9;
	uint32_t i;

	print_state(now);
	if (!now->run_ns)
		return;
	printf("          %" PRIu64 " events, %" PRIu64 " lost, %" PRIu64 " overwritten, %" PRIu64 " stacks (%" PRIu64
	       " over the limit)\n",
	       now->total.records, all_lost(now), now->total.overwritten, now->total.stacks, now->total.stacks_skipped);
	for (i = 0; i < now->cpus; i++)
		if (now->cpu[i].lost[SCOPE_LOST_FULL] || now->cpu[i].lost[SCOPE_LOST_NESTED] ||
		    now->cpu[i].lost[SCOPE_LOST_TOO_BIG])
			printf("          CPU %u lost %" PRIu64 " (ring full), %" PRIu64 " (nested), %" PRIu64
			       " (larger than a sub-buffer)\n",
			       now->cpu[i].cpu, now->cpu[i].lost[SCOPE_LOST_FULL], now->cpu[i].lost[SCOPE_LOST_NESTED],
			       now->cpu[i].lost[SCOPE_LOST_TOO_BIG]);
	if (seconds > 0)
		printf("          now %.0f events/s, %.0f lost/s, probes take %.2f %% of a CPU\n",
		       (double)(now->total.records - before->total.records) / seconds,
		       (double)(all_lost(now) - all_lost(before)) / seconds,
		       100.0 * ((double)now->total.probe_ns - (double)before->total.probe_ns) / (seconds * 1e9));
}

/* list: NULL for text, or the array of them for JSON. */
static int print_sessions(struct scope_control *control, const struct scope_control_info *info, json_t *list,
			  struct scope_error *error)
{
	struct scope_session_status *before = calloc(info->session_count + 1, sizeof(*before)), now;
	const struct timespec second = { .tv_sec = 1 };
	uint32_t i;

	if (!before)
		return scope_error_set(error, -ENOMEM, "no memory for the list of sessions");
	/* A session that ends before the query gets the number 0 and is left out. */
	for (i = 0; i < info->session_count; i++)
		if (scope_control_query(control, info->sessions[i], NULL, &before[i]))
			before[i].session = 0;
	if (info->session_count)
		nanosleep(&second, NULL);
	for (i = 0; i < info->session_count; i++) {
		if (before[i].session && !scope_control_query(control, before[i].session, NULL, &now)) {
			if (list)
				add_session(&before[i], &now, list);
			else
				print_session(&before[i], &now);
			scope_control_session_status_destroy(&now);
		}
		scope_control_session_status_destroy(&before[i]);
	}
	free(before);
	return 0;
}

static void print_recorder(void *context, unsigned int pid, const char *answer)
{
	(void)context;
	printf("\nrecorder  %u\n", pid);
	scope_cmd_print_lines(answer);
}

static void add_recorder(void *context, unsigned int pid, const char *answer)
{
	json_t *recorders = context, *lines = json_array();

	for (size_t bytes; *answer; answer += bytes + (answer[bytes] == '\n')) {
		char line[512];

		bytes = strcspn(answer, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)bytes, answer);
		json_array_append_new(lines, scope_cmd_document_text(line));
	}
	json_array_append_new(recorders, json_pack("{s:I, s:o}", "pid", (json_int_t)pid, "lines", lines));
}

/* Prints and frees the document. Returns the exit status. */
static int end_openmetrics(json_t *document)
{
	const int err = scope_report_status_openmetrics(document, stdout);

	json_decref(document);
	return err || fflush(stdout) ? SCOPE_EXIT_ERROR : SCOPE_EXIT_DONE;
}

/* Returns the exit status, as print_status() does. */
static int print_document(bool openmetrics)
{
	json_t *document = scope_cmd_document_begin("status"), *sessions = json_array(), *recorders = json_array();
	struct scope_control_info info;
	struct scope_error error = { 0 }, unasked = { 0 };
	struct scope_control *control;
	int err, count;

	err = scope_control_open(&error, &control, &info);
	if (!err) {
		json_object_set_new(document, "module",
				    json_pack("{s:s, s:I, s:I, s:I}", "version", info.version, "protocol",
					      (json_int_t)info.protocol, "protocol_min",
					      (json_int_t)info.module_protocol_min, "protocol_max",
					      (json_int_t)info.module_protocol));
		err = print_sessions(control, &info, sessions, &error);
		scope_control_close(control);
	} else {
		json_object_set_new(document, "module", json_null());
	}
	count = scope_recorder_socket_ask(SCOPE_RECORDER_SOCKET_DIRECTORY, SCOPE_RECORDER_REQUEST_STATUS, add_recorder,
					  recorders, err ? &unasked : &error);
	json_object_set_new(document, "problem", err || count < 0 ? scope_cmd_document_text(error.text) : json_null());
	json_object_set_new(document, "sessions", sessions);
	json_object_set_new(document, "recorders", recorders);
	if (openmetrics ? end_openmetrics(document) : scope_cmd_document_end("status", document))
		return SCOPE_EXIT_ERROR;
	return (err && !(err == -ENOENT && count > 0)) || count < 0 ? SCOPE_EXIT_ERROR : SCOPE_EXIT_DONE;
}

static int print_status(void)
{
	struct scope_control_info info;
	struct scope_error error = { 0 };
	struct scope_control *control;
	int err, recorders;

	err = scope_control_open(&error, &control, &info);
	if (!err) {
		printf("module    loaded, version %s\nprotocol  %u (the module speaks %u to %u)\n"
		       "sessions  %u\n",
		       info.version, info.protocol, info.module_protocol_min, info.module_protocol, info.session_count);
		err = print_sessions(control, &info, NULL, &error);
		scope_control_close(control);
	}
	recorders = scope_recorder_socket_ask(SCOPE_RECORDER_SOCKET_DIRECTORY, SCOPE_RECORDER_REQUEST_STATUS,
					      print_recorder, NULL, err ? NULL : &error);
	/* Some recorders need no module. */
	if (err == -ENOENT && recorders > 0) {
		printf("\nmodule    not loaded, or not to be reached from here; recorders by perf events need none\n");
		return SCOPE_EXIT_DONE;
	}
	if (err || recorders < 0)
		return scope_cmd_fail("status", &error);
	return SCOPE_EXIT_DONE;
}

int scope_cmd_status(int argc, char **argv)
{
	bool json = false, openmetrics = false;
	int option, status = 0;

	while (!status && (option = scope_cmd_line_next("status", argc, argv)) != -1) {
		if (option == SCOPE_OPTION_FORMAT) {
			openmetrics = !strcmp(optarg, "openmetrics");
			json = !strcmp(optarg, "json");
			if (!json && !openmetrics && strcmp(optarg, "text"))
				status = scope_cmd_misuse("status",
							  "--format wants text, json or openmetrics, not '%s'", optarg);
			continue;
		}
		if (option != 'h')
			return scope_cmd_line_wrong("status", argv);
		scope_cmd_line_help("status");
		return SCOPE_EXIT_DONE;
	}
	if (status)
		return status;
	if (optind < argc)
		return scope_cmd_misuse("status", "'%s' is not understood", argv[optind]);
	return json || openmetrics ? print_document(openmetrics) : print_status();
}
