// SPDX-License-Identifier: GPL-2.0-only
/* The texts of the rules of thumb that apply to a finding, each with its line. */
#include <math.h>
#include <string.h>

#include "base/syscall_name.h"
#include "rank/hint.h"
#include "report/numbers.h"
#include "report/source_lines.h"

#define RESOLVER_TIMEOUT_NS 5e9 /* no rule */

struct room {
	char *text;
	size_t bytes;
};

static const char *call_of(const struct scope_finding *finding)
{
	const char *call = scope_syscall_name(finding->nr);

	return call ? call : "a call";
}

static void say_sleep(const struct scope_model_finding *one, struct room to)
{
	snprintf(to.text, to.bytes,
		 "it sleeps for a set time (%s): if it waits for something, wait for that itself, with a limit",
		 call_of(one->finding));
}

/* Whole numbers of the resolver's time-out: RES_TIMEOUT of <resolv.h>, which resolv.conf(5) has as the default. */
static bool is_resolver_timeout(double extra_ns)
{
	const double times = extra_ns / RESOLVER_TIMEOUT_NS, whole = round(times);

	return whole >= 1 && fabs(times - whole) <= 0.05;
}

static void say_names(const struct scope_model_finding *one, struct room to)
{
	snprintf(to.text, to.bytes, "%.60s asks a name server while the request waits: %s",
		 scope_rank_hint_plain_name(one->below->name),
		 is_resolver_timeout(one->finding->p50_ns - one->finding->usual_ns)
			 ? "5 s is the time-out of resolv.conf, so the first server there gives no answer"
			 : "keep the answer, or ask in a thread of its own");
}

static void say_lock(const struct scope_model_finding *one, struct room to)
{
	snprintf(to.text, to.bytes,
		 "it is in %.60s, which blocks, while others wait for its lock: call that without the lock",
		 scope_rank_hint_plain_name(one->below->name));
}

static void say_loop(const struct scope_model_finding *one, struct room to)
{
	const struct scope_source_loop *loop = &one->loop.lines;
	char where[64] = "as a loop does";

	if (loop->file)
		snprintf(where, sizeof(where), "in the loop of lines %d-%d", loop->first, loop->last);
	snprintf(to.text, to.bytes, "%s is called %.0f times as often as usual, %s: do more with each call",
		 call_of(one->finding), one->finding->calls_times, where);
}

static void say_limit(const struct scope_model_finding *one, struct room to)
{
	struct scope_text age;

	snprintf(to.text, to.bytes,
		 "no time-out has ended its %s on a connection in %s: set one (SO_RCVTIMEO, SO_SNDTIMEO, poll)",
		 call_of(one->finding), scope_report_format_ns(&age, (double)one->finding->hang.age_ns));
}

static void (*const say[SCOPE_HINTS])(const struct scope_model_finding *one, struct room to) = {
	[SCOPE_HINT_CONSTANT_SLEEP] = say_sleep,    [SCOPE_HINT_NAME_LOOK_UP] = say_names,
	[SCOPE_HINT_LOCK_OVER_BLOCKING] = say_lock, [SCOPE_HINT_IO_IN_A_LOOP] = say_loop,
	[SCOPE_HINT_NO_TIME_OUT] = say_limit,
};

/* The function's own line with most of its stacks. */
static const struct scope_model_line *own_line(const struct scope_model_finding *one)
{
	const struct scope_model_line *most = NULL;

	for (size_t i = 0; i < one->lines; i++)
		if (!*one->line[i].inlined && one->line[i].share > 0 && (!most || one->line[i].share > most->share))
			most = &one->line[i];
	return most;
}

/* The line that the first screen names, too. */
static void set_line(const struct scope_model_finding *one, struct scope_model_hint *hint)
{
	const struct scope_source_line *line = one->places ? scope_evidence_place_line(&one->place[0]) : NULL;
	const struct scope_model_line *own = line ? NULL : own_line(one);

	if (line) {
		hint->file = line->file;
		hint->line = line->line;
	} else if (own) {
		hint->file = own->file;
		hint->line = own->number;
	}
}

void scope_report_hints_make(struct scope_model_finding *one)
{

	for (int rule = 0; rule < SCOPE_HINTS && one->hints < SCOPE_MODEL_HINTS; rule++) {
		struct scope_model_hint *hint = &one->hint[one->hints];

		if (!(one->finding->hints >> rule & 1))
			continue;
		*hint = (struct scope_model_hint){ .rule = scope_rank_hint_name[rule] };
		set_line(one, hint);
		say[rule](one, (struct room){ hint->text, sizeof(hint->text) });
		one->hints++;
	}
}
