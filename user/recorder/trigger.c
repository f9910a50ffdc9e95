// SPDX-License-Identifier: GPL-2.0-only
/* Parses conditions on a running target, and checks if one is true. */
#include "recorder/trigger.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scope/event.h>

#include "base/duration.h"
#include "base/syscall_name.h"
#include "recorder/activity.h"
#include "recorder/cpu_lack.h"
#include "recorder/unusual.h"

#define WHY_BYTES 128
#define NS_PER_S 1000000000ull
#define HISTORY 60   /* seconds */
#define USUAL_MIN 10 /* seconds that the baseline needs */
#define RATE_NOW 3   /* seconds that count as now */
#define QUEUE_SECONDS 10
#define QUEUE_MIN_NS NS_PER_S
#define UNIT_SECONDS 10 /* of a percentile */
#define UNITS_MIN 20

enum kind {
	TRIGGER_RATE,
	TRIGGER_UNIT,
	TRIGGER_HANG,
	TRIGGER_RUNQUEUE,
	TRIGGER_PERCENTILE,
	TRIGGER_NO_CPU,
	TRIGGER_UNUSUAL,
};

struct trigger {
	enum kind kind;
	char text[64];
	uint16_t nr;
	uint64_t limit;		 /* ns or percent */
	double quantile;	 /* PERCENTILE: 0 to 1 */
	uint32_t count[HISTORY]; /* RATE: calls in each second */
};

struct scope_triggers {
	struct scope_recorder_activity *live;
	struct trigger trigger[SCOPE_TRIGGERS_MAX];
	size_t count;
	uint64_t next_ns;  /* when the second is over */
	uint64_t seconds;  /* that are over */
	size_t next, left; /* which trigger is looked at next, and how many are for this second */
	uint64_t run_ns[QUEUE_SECONDS], queue_ns[QUEUE_SECONDS];
	struct scope_sketch units[UNIT_SECONDS];
	struct scope_recorder_unusual *unusual;
	struct scope_recorder_cpu_lack lack;
	uint64_t longest_unit_ns; /* of the second before, until it is reported */
	uint32_t unit_tid;
};

int scope_recorder_triggers_create(struct scope_triggers **ret_triggers)
{
	struct scope_triggers *triggers = calloc(1, sizeof(*triggers));

	if (!triggers)
		return -ENOMEM;
	if (scope_recorder_activity_create(&triggers->live) || scope_recorder_unusual_create(&triggers->unusual)) {
		scope_recorder_triggers_destroy(triggers);
		return -ENOMEM;
	}
	*ret_triggers = triggers;
	return 0;
}

void scope_recorder_triggers_destroy(struct scope_triggers *triggers)
{
	if (!triggers)
		return;
	scope_recorder_activity_destroy(triggers->live);
	scope_recorder_unusual_destroy(triggers->unusual);
	for (size_t i = 0; i < UNIT_SECONDS; i++)
		scope_sketch_free(&triggers->units[i]);
	free(triggers);
}

/* "50%" as 50, from 1 to 100. */
static bool parse_percent(const char *text, uint64_t *ret_percent)
{
	char *end;
	unsigned long number;

	if (*text < '0' || *text > '9')
		return false;
	number = strtoul(text, &end, 10);
	if (strcmp(end, "%") || !number || number > 100)
		return false;
	*ret_percent = number;
	return true;
}

static bool parse_time(const char *text, uint64_t *ret_ns)
{
	return !scope_duration_parse(text, ret_ns);
}

static int parse_rate(const char *text, struct trigger *trigger, struct scope_error *error)
{
	const char *sign = strchr(text, '<');
	char name[32];

	if (!sign || !parse_percent(sign + 1, &trigger->limit))
		return scope_error_set(error, -EINVAL,
				       "'rate:%s' wants the name of a syscall, '<' and "
				       "a percentage, as in rate:sendmsg<50%%",
				       text);
	snprintf(name, sizeof(name), "%.*s", (int)(sign - text), text);
	if (scope_syscall_number(name, &trigger->nr))
		return scope_error_set(error, -EINVAL, "'%s' is no system call of this machine", name);
	return 0;
}

/* "p99.9>50ms". */
static int parse_percentile(const char *text, struct trigger *trigger, struct scope_error *error)
{
	char *end;
	const double percent = strtod(text + 1, &end);

	if (percent > 0 && percent < 100 && *end == '>' && parse_time(end + 1, &trigger->limit)) {
		trigger->quantile = percent / 100;
		return 0;
	}
	return scope_error_set(error, -EINVAL, "'%s' wants a percentile below 100 and a time, as in p99>50ms", text);
}

static int parse(const char *text, struct trigger *trigger, struct scope_error *error)
{
	static const struct {
		const char *word;
		enum kind kind;
		bool (*parse)(const char *text, uint64_t *ret_limit);
		const char *want;
	} rows[] = {
		{ "unit>", TRIGGER_UNIT, parse_time, "a time, as in unit>200ms" },
		{ "hang>", TRIGGER_HANG, parse_time, "a time, as in hang>10s" },
		{ "runqueue>", TRIGGER_RUNQUEUE, parse_percent, "a percentage, as in runqueue>20%" },
	};

	snprintf(trigger->text, sizeof(trigger->text), "%s", text);
	if (!strncmp(text, "rate:", 5)) {
		trigger->kind = TRIGGER_RATE;
		return parse_rate(text + 5, trigger, error);
	}
	if (text[0] == 'p' && text[1] >= '0' && text[1] <= '9') {
		trigger->kind = TRIGGER_PERCENTILE;
		return parse_percentile(text, trigger, error);
	}
	if (!strcmp(text, "unusual") || !strcmp(text, "no-cpu")) {
		trigger->kind = text[0] == 'u' ? TRIGGER_UNUSUAL : TRIGGER_NO_CPU;
		return 0;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strncmp(text, rows[i].word, strlen(rows[i].word)))
			continue;
		trigger->kind = rows[i].kind;
		if (rows[i].parse(text + strlen(rows[i].word), &trigger->limit))
			return 0;
		return scope_error_set(error, -EINVAL, "'%s' wants %s", text, rows[i].want);
	}
	return scope_error_set(error, -EINVAL,
			       "'%s' is no trigger: rate:SYSCALL<N%%, unit>TIME, pN>TIME, "
			       "hang>TIME, runqueue>N%%, no-cpu and unusual are",
			       text);
}

int scope_recorder_triggers_add(struct scope_triggers *triggers, const char *text, struct scope_error *error)
{
	struct trigger trigger = { 0 };
	int err;

	if (triggers->count == SCOPE_TRIGGERS_MAX)
		return scope_error_set(error, -E2BIG, "%d triggers are the most there can be", SCOPE_TRIGGERS_MAX);
	err = parse(text, &trigger, error);
	if (!err)
		triggers->trigger[triggers->count++] = trigger;
	return err;
}

void scope_recorder_triggers_take(struct scope_triggers *triggers, const struct scope_subbuf *subbuf)
{
	scope_recorder_activity_take(triggers->live, subbuf);
}

static int by_count(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

/* The median over the seconds before the last ones. 0: not known yet. */
static uint32_t usual_rate(const struct scope_triggers *triggers, const struct trigger *trigger)
{
	uint32_t sorted[HISTORY];
	size_t count = 0;

	for (uint64_t age = RATE_NOW; age < HISTORY && age < triggers->seconds; age++)
		sorted[count++] = trigger->count[(triggers->seconds - 1 - age) % HISTORY];
	if (count < USUAL_MIN)
		return 0;
	qsort(sorted, count, sizeof(*sorted), by_count);
	return sorted[count / 2];
}

static bool rate_fired(const struct scope_triggers *triggers, const struct trigger *trigger, char *ret_why)
{
	const uint32_t usual = usual_rate(triggers, trigger);
	uint64_t now = 0;

	for (uint64_t age = 0; age < RATE_NOW; age++)
		now += trigger->count[(triggers->seconds - 1 - age) % HISTORY];
	if (!usual || now * 100 >= (uint64_t)usual * RATE_NOW * trigger->limit)
		return false;
	snprintf(ret_why, WHY_BYTES, "%s: %" PRIu64 " in %d s, usual are %u a second", trigger->text, now, RATE_NOW,
		 usual);
	return true;
}

static bool runqueue_fired(const struct scope_triggers *triggers, const struct trigger *trigger, char *ret_why)
{
	uint64_t run_ns = 0, queue_ns = 0;

	for (size_t i = 0; i < QUEUE_SECONDS; i++) {
		run_ns += triggers->run_ns[i];
		queue_ns += triggers->queue_ns[i];
	}
	if (run_ns + queue_ns < QUEUE_MIN_NS || queue_ns * 100 <= (run_ns + queue_ns) * trigger->limit)
		return false;
	snprintf(ret_why, WHY_BYTES, "%s: %.0f %% in the last %d s", trigger->text,
		 100.0 * (double)queue_ns / (double)(run_ns + queue_ns), QUEUE_SECONDS);
	return true;
}

static bool unit_fired(const struct scope_triggers *triggers, const struct trigger *trigger, uint64_t now_ns,
		       char *ret_why)
{
	uint32_t tid = triggers->unit_tid, open_tid = 0;
	uint64_t longest = triggers->longest_unit_ns;
	const uint64_t open = scope_recorder_activity_open_unit(triggers->live, now_ns, &open_tid);
	const bool goes_on = open > longest;

	if (goes_on) {
		longest = open;
		tid = open_tid;
	}
	if (longest <= trigger->limit)
		return false;
	snprintf(ret_why, WHY_BYTES, "%s: thread %u, %.3f s%s", trigger->text, tid, (double)longest / 1e9,
		 goes_on ? " so far" : "");
	return true;
}

/* Without memory the sketches are those that could be merged. */
static bool percentile_fired(const struct scope_triggers *triggers, const struct trigger *trigger, char *ret_why)
{
	struct scope_sketch all = { 0 };
	double ns;
	bool fires;

	for (size_t i = 0; i < UNIT_SECONDS; i++)
		scope_sketch_merge(&all, &triggers->units[i]);
	ns = scope_sketch_quantile(&all, trigger->quantile);
	fires = all.total >= UNITS_MIN && ns > (double)trigger->limit;
	if (fires)
		snprintf(ret_why, WHY_BYTES, "%s: %.3f ms, of %" PRIu64 " in the last %d s", trigger->text, ns / 1e6,
			 all.total, UNIT_SECONDS);
	scope_sketch_free(&all);
	return fires;
}

static bool hang_fired(const struct scope_triggers *triggers, const struct trigger *trigger, uint64_t now_ns,
		       char *ret_why)
{
	struct scope_live_hang hang;
	const char *name;

	if (!scope_recorder_activity_find_hang(triggers->live, now_ns, trigger->limit, &hang))
		return false;
	name = hang.nr == SCOPE_NR_NONE ? "no call" : scope_syscall_name(hang.nr);
	snprintf(ret_why, WHY_BYTES, "%s: thread %u in %s for %.1f s", trigger->text, hang.tid, name ? name : "a call",
		 (double)hang.for_ns / 1e9);
	return true;
}

/* Closes the second that is over. */
static void end_second(struct scope_triggers *triggers)
{
	const struct scope_recorder_activity_period *period = scope_recorder_activity_period(triggers->live);
	const uint64_t second = triggers->seconds++;

	triggers->run_ns[second % QUEUE_SECONDS] = period->run_ns;
	triggers->queue_ns[second % QUEUE_SECONDS] = period->queue_ns;
	scope_sketch_free(&triggers->units[second % UNIT_SECONDS]);
	scope_recorder_activity_units(triggers->live, &triggers->units[second % UNIT_SECONDS]);
	scope_recorder_cpu_lack_second(&triggers->lack, period);
	scope_recorder_unusual_second(triggers->unusual, period, &triggers->units[second % UNIT_SECONDS]);
	triggers->longest_unit_ns = period->longest_unit_ns;
	triggers->unit_tid = period->unit_tid;
	for (size_t i = 0; i < triggers->count; i++)
		if (triggers->trigger[i].kind == TRIGGER_RATE)
			triggers->trigger[i].count[second % HISTORY] = period->call[triggers->trigger[i].nr];
}

static bool fired(const struct scope_triggers *triggers, const struct trigger *trigger, uint64_t now_ns, char *ret_why)
{
	switch (trigger->kind) {
	case TRIGGER_RATE:
		return rate_fired(triggers, trigger, ret_why);
	case TRIGGER_UNIT:
		return unit_fired(triggers, trigger, now_ns, ret_why);
	case TRIGGER_HANG:
		return hang_fired(triggers, trigger, now_ns, ret_why);
	case TRIGGER_RUNQUEUE:
		return runqueue_fired(triggers, trigger, ret_why);
	case TRIGGER_PERCENTILE:
		return percentile_fired(triggers, trigger, ret_why);
	case TRIGGER_NO_CPU:
		return scope_recorder_cpu_lack_find(&triggers->lack, now_ns, ret_why);
	case TRIGGER_UNUSUAL:
		return scope_recorder_unusual_find(triggers->unusual, triggers->live, now_ns, ret_why);
	}
	return false;
}

bool scope_recorder_triggers_fired(struct scope_triggers *triggers, uint64_t now_ns, char *ret_why)
{
	scope_recorder_activity_settle(triggers->live);
	if (!triggers->next_ns)
		triggers->next_ns = now_ns + NS_PER_S;
	/* Late by more than a second: all events since count as one second. */
	if (now_ns >= triggers->next_ns) {
		triggers->next_ns = now_ns + NS_PER_S;
		end_second(triggers);
		triggers->left = triggers->count;
	}
	/* A condition that is true for long must not hide later ones, which are checked in the next calls. */
	while (triggers->left) {
		const size_t i = triggers->next++ % triggers->count;

		triggers->left--;
		if (fired(triggers, &triggers->trigger[i], now_ns, ret_why))
			return true;
	}
	return false;
}
