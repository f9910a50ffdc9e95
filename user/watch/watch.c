// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches one capture after another: decides when the flight recorder's data is analysed, and responds to the results.
 */
#include "watch/watch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/forked.h"
#include "base/now.h"
#include "export/http.h"
#include "proc/root.h"
#include "recorder/cpu_lack.h"
#include "watch/expose.h"
#include "watch/judgement.h"
#include "watch/notify.h"
#include "watch/suspicion.h"
#include "watch/words.h"

#define NS_PER_S 1000000000ull
#define FIRST_NS (5 * NS_PER_S) /* after the begin of a capture */
#define SOON_NS (2 * NS_PER_S)	/* time between judgements while a target differs from its past */
#define EVERY_COST 400		/* a judgement takes at most this part (1/n) of the CPU time until the next one */
#define SOON_COST 5		/* the same while a target differs from its past */
/*
 * The size of the analysed copy: about 1,000,000 events, which take some 0.3 s of a CPU, or 20 s if these have more.
 * The trace of an incident has all of the recorder's content.
 */
#define COPY_BYTES (12ull << 20)
#define COPY_NS (20 * NS_PER_S)
#define RESPONSES_MAX 8
#define RESPONSE_S 90
#define STEPS 10 /* in a second */
#define JUDGE_END_MS 30000

struct scope_watch {
	const struct scope_watch_options *options;
	const volatile sig_atomic_t *stop;
	struct scope_recorder_judge hook;
	struct scope_watch_seen *seen;
	struct scope_watch_judge *judge;
	struct scope_http *http; /* NULL: not requested */
	struct scope_proc_root root;
	struct scope_watch_state state; /* as it is exposed */

	bool pending; /* an incident, whose trace is written at write_ns */
	struct scope_watch_incident incident;
	uint64_t write_ns;

	uint64_t begin_ns, judged_ns, tick_ns;
	struct scope_watch_suspicion suspicion;
	uint64_t current; /* findings after the judgement before */
	int copy_fd;	  /* -1: none is being made */
	bool ended;	  /* the content at the end was analysed */
	bool end_written; /* a trace of the content at the end was written */
	bool failed;	  /* the last judgement failed; this is reported once */
	pid_t response[RESPONSES_MAX];
	uint64_t responded_ns[RESPONSES_MAX]; /* when it began */
};

__attribute__((format(printf, 3, 4))) static void say(const struct scope_watch *watch, bool bad, const char *format,
						      ...)
{
	char text[5120];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	watch->options->response.say(watch->options->response.context, bad, text);
}

/* Frees the places of responses that ended. */
static void reap(struct scope_watch *watch)
{
	for (size_t i = 0; i < RESPONSES_MAX; i++) {
		if (!watch->response[i])
			continue;
		if (waitpid(watch->response[i], NULL, WNOHANG) == watch->response[i])
			watch->response[i] = 0;
		else
			scope_forked_hurry(watch->response[i], scope_now_ns() - watch->responded_ns[i]);
	}
}

/* Once a second: answers collectors and reports to the service manager. */
static void tick(struct scope_watch *watch, uint64_t now)
{
	struct scope_watch_counts counts;

	if (watch->http)
		scope_export_http_run(watch->http);
	if (now < watch->tick_ns)
		return;
	watch->tick_ns = now + NS_PER_S;
	reap(watch);
	scope_watch_notify("WATCHDOG=1");
	if (!watch->http)
		return;
	scope_watch_seen_count(watch->seen, &counts);
	watch->state.current = scope_watch_seen_current(watch->seen);
	scope_watch_expose(&watch->state, &counts, watch->http);
}

/* Reads the known findings again, because the user may have added some. */
static void read_known(struct scope_watch *watch)
{
	struct scope_error error = { "" };

	if (watch->options->known && scope_watch_seen_read_known(watch->seen, watch->options->known, &error))
		say(watch, true, "%s; what was known before stays known", error.text);
}

static void take_judgement(struct scope_watch *watch, const struct scope_watch_judgement *judgement, uint64_t now)
{
	size_t current;

	watch->state.judgements++;
	watch->state.judge_ns += judgement->cpu_ns;
	watch->state.last_judge_ns = judgement->cpu_ns;
	watch->judged_ns = now;
	if (judgement->err) {
		watch->state.failures++;
		if (!watch->failed)
			say(watch, true, "what is held cannot be analysed: %s; recording goes on",
			    strerror(-judgement->err));
		watch->failed = true;
		return;
	}
	watch->failed = false;
	if (judgement->findings)
		read_known(watch);
	scope_watch_seen_judge(watch->seen, judgement, now);
	current = scope_watch_seen_current(watch->seen);
	scope_watch_suspicion_judged(&watch->suspicion,
				     current > watch->current || scope_watch_seen_in_doubt(watch->seen), now);
	watch->current = current;
}

static uint64_t longer(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_due(const struct scope_watch *watch, uint64_t now)
{
	const uint64_t cost = watch->state.last_judge_ns;
	const uint64_t since = now - longer(watch->judged_ns, watch->begin_ns);
	const bool doubt = scope_watch_seen_in_doubt(watch->seen);

	if (now - watch->begin_ns < FIRST_NS)
		return false;
	if (since >= longer(SCOPE_WATCH_EVERY_NS, cost * EVERY_COST))
		return true;
	if (!doubt && !scope_watch_suspicion_now(&watch->suspicion, now))
		return false;
	return since >= longer(SOON_NS, (cost * SOON_COST) << (doubt ? 0 : watch->suspicion.patience));
}

/* A condition that the user named has fired: "p99>50ms: 61.2 ms …". */
static void take_condition(struct scope_watch *watch, const char *trigger, uint64_t now)
{
	struct scope_watch_finding finding = { .kind = "when", .sure = true, .began_ns = now };

	snprintf(finding.function, sizeof(finding.function), "[%.*s]", (int)strcspn(trigger, ":"), trigger);
	snprintf(finding.sentence, sizeof(finding.sentence), "%s", trigger);
	if (!strncmp(trigger, "rate:", 5))
		snprintf(finding.function, sizeof(finding.function), "[%.*s]", (int)strcspn(trigger + 5, ":") + 5,
			 trigger);
	scope_watch_seen_add(watch->seen, &finding, now);
}

/*
 * A lack of CPU is known from the waits themselves: the analysis uses only waits within units of work, and needs a
 * minute.
 */
static void take_cpu_lack(struct scope_watch *watch, const char *trigger, double for_s, uint64_t now)
{
	struct scope_watch_finding finding = {
		.function = SCOPE_WATCH_OUTSIDE,
		.kind = "outside",
		.sure = true,
		.began_ns = now - (uint64_t)(for_s * 1e9),
	};

	snprintf(finding.sentence, sizeof(finding.sentence),
		 "its threads wait for a CPU that other processes have, or a limit takes: %s",
		 trigger + strcspn(trigger, " ") + 1);
	scope_watch_seen_add(watch->seen, &finding, now);
}

static void take_trigger(struct scope_watch *watch, const char *trigger, uint64_t now)
{
	enum scope_unusual_reason reason;
	double times, for_s;

	if (!trigger[0])
		return;
	if (watch->options->outside && scope_recorder_cpu_lack_read(trigger, &for_s)) {
		take_cpu_lack(watch, trigger, for_s, now);
		return;
	}
	if (!scope_recorder_unusual_read(trigger, &reason, &times)) {
		take_condition(watch, trigger, now);
		return;
	}
	scope_watch_suspicion_take(&watch->suspicion, reason, times, now);
	watch->state.suspicions++;
}

/* Checks if a finding is an incident now. last: the recorder will write no further trace. */
static void announce(struct scope_watch *watch, uint64_t now, bool last)
{
	struct scope_watch_incident *incident = &watch->incident;
	struct scope_watch_next next;
	char text[SCOPE_WATCH_WORDS];

	while (!watch->pending && scope_watch_seen_next(watch->seen, now, last, &next)) {
		if (next.wait_ns) {
			scope_watch_words_held(&next, now, text);
			say(watch, !next.since_ns, "%s", text);
			continue;
		}
		incident->finding = next.finding;
		scope_watch_words_date(next.finding.began_ns, incident->began);
		scope_watch_words_incident(&next, now, text);
		say(watch, true, "%s%s", text, watch->end_written ? "; it is in the trace of the one before" : "");
		watch->state.last_began_ns = next.finding.began_ns;
		watch->pending = !watch->end_written;
		watch->write_ns = now + watch->options->after_ns;
	}
}

static enum scope_recorder_order order_copy(struct scope_watch *watch, int *ret_fd)
{
	watch->copy_fd = memfd_create("scope-watch", MFD_CLOEXEC);
	if (watch->copy_fd < 0) {
		watch->judged_ns = scope_now_ns();
		return SCOPE_RECORDER_ORDER_NOTHING;
	}
	*ret_fd = watch->copy_fd;
	return SCOPE_RECORDER_ORDER_COPY;
}

static enum scope_recorder_order order_file(const struct scope_watch *watch, char *ret_why)
{
	snprintf(ret_why, 128, "watch %.100s", watch->incident.finding.function);
	return SCOPE_RECORDER_ORDER_FILE;
}

/* The target ended, or the user ended the watch: analyses the rest. */
static enum scope_recorder_order look_at_end(struct scope_watch *watch, char *ret_why, int *ret_fd)
{
	struct scope_watch_judgement judgement;

	if (scope_watch_judge_end(watch->judge, JUDGE_END_MS, &judgement))
		take_judgement(watch, &judgement, scope_now_ns());
	announce(watch, scope_now_ns(), true);
	watch->end_written |= watch->pending;
	if (watch->pending)
		return order_file(watch, ret_why);
	if (*watch->stop || watch->ended || scope_now_ns() - watch->begin_ns < FIRST_NS)
		return SCOPE_RECORDER_ORDER_NOTHING;
	watch->ended = true;
	return order_copy(watch, ret_fd);
}

static enum scope_recorder_order look(void *context, const char *trigger, bool ended, char *ret_why, int *ret_fd)
{
	struct scope_watch *watch = context;
	struct scope_watch_judgement judgement;
	const uint64_t now = scope_now_ns();

	tick(watch, now);
	if (ended)
		return look_at_end(watch, ret_why, ret_fd);
	if (scope_watch_judge_end(watch->judge, 0, &judgement))
		take_judgement(watch, &judgement, now);
	take_trigger(watch, trigger, now);
	announce(watch, now, false);
	if (watch->pending && now >= watch->write_ns)
		return order_file(watch, ret_why);
	if (!scope_watch_judge_runs(watch->judge) && is_due(watch, now))
		return order_copy(watch, ret_fd);
	return SCOPE_RECORDER_ORDER_NOTHING;
}

static void copied(void *context, const struct scope_error *error)
{
	struct scope_watch *watch = context;
	int err = 0;

	watch->judged_ns = scope_now_ns();
	if (error) {
		watch->state.failures++;
		if (!watch->failed)
			say(watch, true, "%s; what is held was not analysed", error->text);
		watch->failed = true;
	} else {
		err = scope_watch_judge_begin(watch->judge, watch->copy_fd,
					      watch->root.path[0] ? watch->root.path : NULL);
	}
	if (err)
		say(watch, true, "what is held cannot be analysed: %s", strerror(-err));
	close(watch->copy_fd);
	watch->copy_fd = -1;
}

static void written(void *context, const char *path, const struct scope_error *error)
{
	struct scope_watch *watch = context;
	struct scope_watch_incident *incident = &watch->incident;
	size_t place = 0;
	pid_t child;

	watch->pending = false;
	watch->end_written &= !error;
	snprintf(incident->trace, sizeof(incident->trace), "%s", error ? "" : path);
	snprintf(incident->root, sizeof(incident->root), "%s", watch->root.path);
	reap(watch);
	while (place < RESPONSES_MAX && watch->response[place])
		place++;
	if (place == RESPONSES_MAX) {
		say(watch, true, "nothing follows from this incident but its trace: %d before it are not done yet",
		    RESPONSES_MAX);
		return;
	}
	child = scope_watch_incident_respond(incident, &watch->options->response);
	if (child < 0) {
		say(watch, true, "nothing follows from this incident but its trace: %s", strerror((int)-child));
		return;
	}
	watch->response[place] = child;
	watch->responded_ns[place] = scope_now_ns();
}

static int open_http(struct scope_watch *watch, struct scope_error *error)
{
	int err = scope_export_http_create(watch->options->listen, error, &watch->http);

	if (!err)
		say(watch, false, "listening on port %u, GET /metrics", scope_export_http_port(watch->http));
	return err;
}

int scope_watch_create(const struct scope_watch_options *options, const volatile sig_atomic_t *stop,
		       struct scope_error *error, struct scope_watch **ret_watch)
{
	struct scope_watch *watch = calloc(1, sizeof(*watch));
	int err;

	if (!watch)
		return scope_error_set(error, -ENOMEM, "no memory to watch");
	watch->options = options;
	watch->stop = stop;
	watch->root = SCOPE_PROC_ROOT_NONE;
	watch->copy_fd = -1;
	watch->hook = (struct scope_recorder_judge){
		.look = look,
		.copied = copied,
		.written = written,
		.copy_bytes = COPY_BYTES,
		.copy_ns = COPY_NS,
		.context = watch,
	};
	err = scope_watch_seen_create(options->span_ns, options->min_interval_ns, &watch->seen);
	if (!err)
		err = scope_watch_judge_create(options->outside, &watch->judge);
	if (err)
		scope_error_set(error, err, "no memory to watch");
	if (!err)
		scope_watch_judge_listen(watch->judge, options->analysed, options->analysed_context);
	if (!err && options->known)
		err = scope_watch_seen_read_known(watch->seen, options->known, error);
	if (!err && options->listen)
		err = open_http(watch, error);
	if (err)
		scope_watch_destroy(watch);
	else
		*ret_watch = watch;
	return err;
}

/* Waits until the last responses are done, or took too long. */
static void wait_for_responses(struct scope_watch *watch)
{
	const struct timespec pause = { .tv_nsec = NS_PER_S / STEPS };
	bool left = true;

	for (unsigned i = 0; left && i < RESPONSE_S * STEPS; i++) {
		reap(watch);
		left = false;
		for (size_t j = 0; j < RESPONSES_MAX; j++)
			left |= watch->response[j];
		if (i == STEPS && left)
			say(watch, false, "waiting for the report, program and webhook of the last incident%s",
			    *watch->stop ? " (Ctrl-C again: do not wait)" : "");
		if (i % STEPS == 0)
			scope_watch_notify("WATCHDOG=1");
		if (left)
			nanosleep(&pause, NULL);
	}
}

void scope_watch_destroy(struct scope_watch *watch)
{
	if (!watch)
		return;
	scope_watch_notify("STOPPING=1");
	wait_for_responses(watch);
	scope_watch_judge_destroy(watch->judge);
	scope_watch_seen_destroy(watch->seen);
	scope_export_http_destroy(watch->http);
	scope_proc_root_release(&watch->root);
	free(watch);
}

const struct scope_recorder_judge *scope_watch_judge_of(struct scope_watch *watch)
{
	return &watch->hook;
}

void scope_watch_begun(struct scope_watch *watch, const struct scope_target *target)
{
	watch->incident.target = *target;
	watch->begin_ns = scope_now_ns();
	watch->ended = watch->end_written = false;
	scope_watch_seen_restart(watch->seen);
	watch->suspicion = (struct scope_watch_suspicion){ 0 };
	watch->state.captures++;
	watch->state.running = true;
	scope_proc_root_hold(&watch->root, target->tgid);
	scope_watch_notify("READY=1");
}

void scope_watch_progress(struct scope_watch *watch, const struct scope_capture_progress *now,
			  const struct scope_recorder_flight *flight)
{
	scope_proc_root_hold(&watch->root, watch->incident.target.tgid);
	watch->state.events = now->records;
	watch->state.lost = now->lost;
	watch->state.held_s = flight->covered_s;
	watch->state.held_bytes = flight->held_bytes;
}

void scope_watch_idle(struct scope_watch *watch)
{
	watch->state.running = false;
	tick(watch, scope_now_ns());
}
