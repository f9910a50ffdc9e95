// SPDX-License-Identifier: GPL-2.0-only
/* Decides the verdict of a ranking: the program, a cause outside it, nothing, or unknown. */
#include "rank/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "evidence/stuck_tasks.h"
#include "rank/by_design.h"
#include "rank/verdict_outside.h"

#define ASKS_ALIKE 10  /* ratio of percentiles 95 to 5 of units that ask a peer: all take about as long … */
#define FIRST_ALIKE 10 /* … and of first requests of connections */
#define TOO_FEW_UNITS 20
#define SHORT_SHARE 0.1	  /* share of the window: from there on short requests slow the server as well */
#define CHANCE_WORTH 0.05 /* share of the excess, met by chance, that is reported */

/* Rules about the first finding, and others beside it. */

static bool may_be_idle(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)input;
	return scope_rank_finding_unsure(&ranking->finding[0]);
}

static void say_may_be_idle(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			    size_t room)
{
	const struct scope_stuck_tasks *tasks = ranking->finding[0].hang.tasks;

	if (tasks) {
		snprintf(text, room,
			 "%s. If clients wait for answers, it hangs there; one whose client asked for news looks the "
			 "same.",
			 tasks->asyncio ? "Tasks below have waited, maybe on behalf of requests"
					: "Goroutines below have waited for whichever of several things comes first");
		return;
	}
	snprintf(text, room,
		 "%s If clients wait for answers, it hangs where threads "
		 "are, below; an idle program looks the same.",
		 input->detection->busy_ns > 0 ? "Too few stacks show where threads like these work."
					       : "No thread did any work.");
}

static bool hangs(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)input;
	return ranking->finding[0].kind == SCOPE_FINDING_HANG;
}

static bool spins(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)input;
	return ranking->finding[0].kind == SCOPE_FINDING_SPIN;
}

static bool function_freezes(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)input;
	return scope_rank_finding_freezes(&ranking->finding[0]);
}

/* Without threads that may be idle, which come last: they say nothing about requests. */
static size_t sure_findings(const struct scope_ranking *ranking)
{
	size_t findings = ranking->findings;

	while (findings && scope_rank_finding_unsure(&ranking->finding[findings - 1]))
		findings--;
	return findings;
}

/*
 * True if all findings are requests that ask a peer, which others do not, and all of them take about as long. Of requests that wait in no
 * thread the part for which their loop was busy is left out, so that their times differ although the peer's do not.
 */
static bool only_ask(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	for (size_t i = 0; i < sure_findings(ranking); i++) {
		const struct scope_finding *finding = &ranking->finding[i];

		if (!scope_rank_finding_asks(finding) ||
		    (!ranking->finding[0].wait.held && finding->p95_ns > ASKS_ALIKE * finding->p05_ns))
			return false;
	}
	return !input->reference;
}

/* Such a request may always have taken as long: the trace has nothing to compare the peer with. */
static void say_only_ask(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			 size_t room)
{
	const bool requests = ranking->slow_requests > 0;
	const double all = requests ? ranking->requests : ranking->units;

	(void)input;
	snprintf(text, room,
		 "%.1f %% of the %s took longer, for the answer of a peer that others do not ask. Whether it "
		 "is slow cannot be seen in this trace alone: compare with a better time by --baseline.",
		 all > 0 ? 100 * (requests ? ranking->slow_requests : ranking->slow_units) / all : 0,
		 requests ? "requests" : "rounds of work");
}

/* True if all findings are in the first requests of connections, and each takes about as long on all of them. */
static bool only_first(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	for (size_t i = 0; i < sure_findings(ranking); i++) {
		const struct scope_finding *finding = &ranking->finding[i];

		if (!finding->first_requests || finding->p95_ns > FIRST_ALIKE * finding->p05_ns)
			return false;
	}
	return !input->reference;
}

/* Each connection has one: this may be how the server works. */
static void say_only_first(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			   size_t room)
{
	const struct scope_finding *first = &ranking->finding[0];

	(void)input;
	snprintf(
		text, room,
		"Only the first request of each connection took longer, in %.200s, as a log-in or an exchange of keys does. "
		"Whether that is slow cannot be seen in this trace alone: compare with a better time by --baseline.",
		first->function ? first->function->name : "no known function");
}

/* True if all findings are in larger requests, which take no longer than in proportion. */
static bool only_larger(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	for (size_t i = 0; i < sure_findings(ranking); i++)
		if (!scope_rank_in_proportion(input, &ranking->finding[i]))
			return false;
	return true;
}

static void say_only_larger(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			    size_t room)
{
	const struct scope_finding *first = &ranking->finding[0];

	(void)input;
	snprintf(
		text, room,
		"Only larger requests took longer, in %.200s: they have %.0f times the bytes of usual ones, and take "
		"%.1f times as long. Whether that is slow cannot be seen in this trace alone: compare with a better time "
		"by --baseline.",
		first->function ? first->function->name : "no known function", first->bytes_times,
		first->usual_ns > 0 ? first->p50_ns / first->usual_ns : 0);
}

static bool is_round(const struct scope_rank_input *input, const struct scope_finding *finding)
{
	return !input->reference && !finding->asks && finding->usual_ns > 0;
}

/* Requests that have more bytes are excused by only_larger(), if they are in proportion. */
static bool is_kind(const struct scope_finding *finding)
{
	return finding->by_design == SCOPE_BY_DESIGN_NOT_USUAL || finding->by_design == SCOPE_BY_DESIGN_SHORT;
}

/*
 * True if all findings are in requests that may be of a kind of their own, or in rounds without a request, and are short.
 * Kinds of requests differ by as little, and such a short bug harms nobody unless it takes much of the window.
 */
static bool only_short(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	double window_share = 0;

	for (size_t i = 0; i < sure_findings(ranking); i++) {
		const struct scope_finding *finding = &ranking->finding[i];

		window_share += finding->window_share;
		if (!(is_kind(finding) || is_round(input, finding)) || !scope_rank_short(input->options, finding))
			return false;
	}
	return window_share < SHORT_SHARE;
}

static void say_only_short(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			   size_t room)
{
	const struct scope_finding *first = &ranking->finding[0];
	const bool own_kind = first->by_design == SCOPE_BY_DESIGN_NOT_USUAL;
	const char *who = own_kind	   ? "requests of a kind of their own"
			  : is_kind(first) ? "some requests"
					   : "rounds of work without a request";

	(void)input;
	snprintf(
		text, room,
		"Only %s took longer, in %.200s: %.2f ms instead of %.2f ms.%s Whether that is slow cannot be seen in this "
		"trace alone: compare with a better time by --baseline.",
		who, first->function ? first->function->name : "no known function", first->p50_ns / 1e6,
		first->usual_ns / 1e6, own_kind ? " Usual ones hardly run it." : "");
}

static bool always(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)input;
	(void)ranking;
	return true;
}

/* Rules if nothing was found. */

static bool no_event(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)ranking;
	return !input->units->timeline->events;
}

static void say_no_event(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			 size_t room)
{
	(void)input;
	(void)ranking;
	snprintf(text, room, "The trace holds no event: was the process running?");
}

static bool few_units(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)input;
	return ranking->units < TOO_FEW_UNITS;
}

static void say_few_units(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			  size_t room)
{
	static const char advice[] = "seen: capture for longer (-d), or while the program has work to do.";

	(void)input;
	if (ranking->units)
		snprintf(text, room, "Only %" PRIu64 " %s %s", ranking->units,
			 ranking->units == 1 ? "request or round of work was" : "requests or rounds of work were",
			 advice);
	else
		snprintf(text, room, "No requests or rounds of work were %s", advice);
}

static bool freezes(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)ranking;
	return input->freezes && input->freezes->count;
}

static void say_freezes(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			size_t room)
{
	(void)input;
	(void)ranking;
	snprintf(text, room,
		 "No function of the program stands out in that time: record with stacks, or look for what "
		 "stops this process or this machine.");
}

static bool is_unexplained(const struct scope_ranking *ranking)
{
	return scope_rank_unexplained(ranking) > SCOPE_RANK_UNEXPLAINED;
}

double scope_rank_nameless_share(const struct scope_evidence *evidence)
{
	return evidence->stacks ? (double)(evidence->nameless - evidence->language) / (double)evidence->stacks : 0;
}

double scope_rank_foldered_share(const struct scope_evidence *evidence)
{
	return evidence->stacks ? (double)evidence->foldered / (double)evidence->stacks : 0;
}

static bool no_names(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	return is_unexplained(ranking) && scope_rank_nameless_share(input->evidence) > SCOPE_RANK_NAMELESS;
}

static void say_no_names(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			 size_t room)
{
	(void)ranking;
	snprintf(text, room,
		 "There is extra time, but %.0f %% of the stacks name no function of the "
		 "program: %s.",
		 100 * scope_rank_nameless_share(input->evidence),
		 input->names_need ? input->names_need : "install its debug symbols");
}

/* Share of the extra time in the function that came nearest to a finding, if that is code made at run time that has no names. */
static double in_unknown_code(const struct scope_ranking *ranking)
{
	const struct scope_finding *nearest = ranking->nears ? &ranking->near[0].finding : NULL;

	return nearest && nearest->function && scope_rank_is_unknown_code(nearest->function) ? nearest->share : 0;
}

static bool unknown_code(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)input;
	return is_unexplained(ranking) && in_unknown_code(ranking) > SCOPE_RANK_MOST;
}

static void say_unknown_code(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			     size_t room)
{
	snprintf(text, room,
		 "There is extra time, but %.0f %% of it is in code made at run time that has no names: %s.",
		 100 * in_unknown_code(ranking),
		 input->names_need ? input->names_need : "have its runtime write /tmp/perf-PID.map");
}

static bool no_stacks(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	return is_unexplained(ranking) && !input->evidence->stacks && !input->second;
}

static void say_no_stacks(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			  size_t room)
{
	(void)input;
	(void)ranking;
	snprintf(text, room,
		 "There is extra time, but there are no stacks, and nothing was learned of this "
		 "program: record without --no-stacks and --no-samples, or learn signatures with "
		 "`scope learn`.");
}

/* Appends a sentence about waits for threads at usual work. */
static void add_chance(const struct scope_ranking *ranking, char *text, size_t room)
{
	const size_t used = strlen(text);

	if (ranking->chance_share >= CHANCE_WORTH)
		snprintf(text + used, room - used,
			 " %.0f %% of the extra time was spent waiting for threads at usual work, met by chance.",
			 100 * ranking->chance_share);
}

/* Of the populations that are slow as a whole compared with another run, the one with most units; NULL: none is. */
static const struct scope_population *slower_population(const struct scope_detection *detection)
{
	const struct scope_population *most = NULL;

	for (size_t i = 0; i < detection->populations; i++) {
		const struct scope_population *population = &detection->population[i];

		if (population->slower && !population->background && (!most || population->units > most->units))
			most = population;
	}
	return most;
}

static bool all_slower(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	(void)ranking;
	return input->evidence->stacks && slower_population(input->detection);
}

static void say_all_slower(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			   size_t room)
{
	snprintf(text, room,
		 "%s take %.1f times as long as in the baseline, but no function has clearly more of their time "
		 "than it had: a slower or busier machine does that.",
		 ranking->slow_requests > 0 ? "Requests" : "Rounds of work",
		 slower_population(input->detection)->grown);
	add_chance(ranking, text, room);
}

static void say_nothing(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			size_t room)
{
	snprintf(text, room,
		 "No function was found that makes some requests slower than others by %.0f %% or more of the busy "
		 "time.%s",
		 100 * input->options->excess_share,
		 input->reference ? ""
				  : " If all requests are slow alike, this trace does not show it: compare "
				    "with a better time by --baseline.");
	add_chance(ranking, text, room);
}

/* Of the rules for rankings with findings, or of those for rankings without, the first that holds decides. */
static const struct {
	const char *name;
	bool found; /* is looked at if there are findings, else if there are none */
	bool (*holds)(const struct scope_rank_input *input, const struct scope_ranking *ranking);
	enum scope_verdict verdict;
	/* Writes the reason; NULL: the findings are the reason. */
	void (*say)(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text, size_t room);
	bool beside; /* is also said beside slow functions */
} rules[SCOPE_VERDICT_RULES] = {
	[SCOPE_DECIDED_IDLE_THREADS] = { "idle_threads", true, may_be_idle, SCOPE_VERDICT_UNKNOWN, say_may_be_idle },
	[SCOPE_DECIDED_HANG] = { "hang", true, hangs, SCOPE_VERDICT_HANG },
	[SCOPE_DECIDED_SPIN] = { "spin", true, spins, SCOPE_VERDICT_SPIN },
	[SCOPE_DECIDED_FUNCTION_FREEZES] = { "function_freezes", true, function_freezes, SCOPE_VERDICT_FREEZES },
	[SCOPE_DECIDED_CLIENTS_FIRST] = { "clients_first", true, scope_rank_clients_before_functions,
					  SCOPE_VERDICT_OUTSIDE, scope_rank_say_clients },
	[SCOPE_DECIDED_CPU_FIRST] = { "cpu_first", true, scope_rank_cpu_before_functions, SCOPE_VERDICT_OUTSIDE,
				      scope_rank_say_cpu },
	[SCOPE_DECIDED_MEMORY_FIRST] = { "memory_first", true, scope_rank_memory_before_functions,
					 SCOPE_VERDICT_OUTSIDE, scope_rank_say_memory },
	[SCOPE_DECIDED_DEVICE_FIRST] = { "device_first", true, scope_rank_device_before_functions,
					 SCOPE_VERDICT_OUTSIDE, scope_rank_say_device },
	[SCOPE_DECIDED_PEER_FIRST] = { "peer_first", true, scope_rank_peer_before_functions, SCOPE_VERDICT_OUTSIDE,
				       scope_rank_say_peer },
	[SCOPE_DECIDED_PEER_ASKED] = { "peer_asked", true, only_ask, SCOPE_VERDICT_NOTHING, say_only_ask },
	[SCOPE_DECIDED_FIRST_REQUESTS] = { "first_requests", true, only_first, SCOPE_VERDICT_NOTHING, say_only_first },
	[SCOPE_DECIDED_LARGER_REQUESTS] = { "larger_requests", true, only_larger, SCOPE_VERDICT_NOTHING,
					    say_only_larger },
	[SCOPE_DECIDED_SHORT_REQUESTS] = { "short_requests", true, only_short, SCOPE_VERDICT_NOTHING, say_only_short },
	[SCOPE_DECIDED_FUNCTIONS] = { "functions", true, always, SCOPE_VERDICT_SLOWDOWN },
	[SCOPE_DECIDED_NO_EVENT] = { "no_event", false, no_event, SCOPE_VERDICT_UNKNOWN, say_no_event },
	[SCOPE_DECIDED_FEW_UNITS] = { "few_units", false, few_units, SCOPE_VERDICT_UNKNOWN, say_few_units },
	[SCOPE_DECIDED_CLIENTS] = { "clients", false, scope_rank_clients_pause, SCOPE_VERDICT_OUTSIDE,
				    scope_rank_say_clients, .beside = true },
	[SCOPE_DECIDED_RUNTIME] = { "runtime", false, scope_rank_waits_for_runtime, SCOPE_VERDICT_OUTSIDE,
				    scope_rank_say_runtime, .beside = true },
	[SCOPE_DECIDED_FREEZES] = { "freezes", false, freezes, SCOPE_VERDICT_FREEZES, say_freezes },
	[SCOPE_DECIDED_OWN_CPU] = { "own_cpu", false, scope_rank_lacks_own_cpu, SCOPE_VERDICT_NOTHING,
				    scope_rank_say_own_cpu, .beside = true },
	[SCOPE_DECIDED_CPU] = { "cpu", false, scope_rank_lacks_cpu, SCOPE_VERDICT_OUTSIDE, scope_rank_say_cpu,
				.beside = true },
	[SCOPE_DECIDED_HOST] = { "host", false, scope_rank_host_is_slow, SCOPE_VERDICT_OUTSIDE, scope_rank_say_host,
				 .beside = true },
	[SCOPE_DECIDED_NO_NAMES] = { "no_names", false, no_names, SCOPE_VERDICT_UNKNOWN, say_no_names },
	[SCOPE_DECIDED_UNKNOWN_CODE] = { "unknown_code", false, unknown_code, SCOPE_VERDICT_UNKNOWN, say_unknown_code },
	[SCOPE_DECIDED_NO_STACKS] = { "no_stacks", false, no_stacks, SCOPE_VERDICT_UNKNOWN, say_no_stacks },
	[SCOPE_DECIDED_ALL_SLOWER] = { "all_slower", false, all_slower, SCOPE_VERDICT_NOTHING, say_all_slower },
	[SCOPE_DECIDED_NOTHING] = { "nothing", false, always, SCOPE_VERDICT_NOTHING, say_nothing },
};

const char *scope_rank_verdict_rule_name(enum scope_verdict_rule rule)
{
	return rules[rule].name;
}

/*
 * A cause that slows requests as well, for one more sentence. It may be another one than what is stuck, and begin at another
 * time.
 */
static void say_beside(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	size_t i = 0;

	while (i < SCOPE_VERDICT_RULES && !(rules[i].beside && rules[i].holds(input, ranking)))
		i++;
	if (i == SCOPE_VERDICT_RULES)
		return;
	if (ranking->verdict == SCOPE_VERDICT_SLOWDOWN)
		rules[i].say(input, ranking, ranking->beside, sizeof(ranking->beside));
	if (rules[i].verdict == SCOPE_VERDICT_OUTSIDE)
		rules[i].say(input, ranking, ranking->outside, sizeof(ranking->outside));
}

void scope_rank_verdict(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	enum scope_verdict_rule rule = SCOPE_DECIDED_BY_NONE + 1;

	while (rules[rule].found != (ranking->findings > 0) || !rules[rule].holds(input, ranking))
		rule++;
	ranking->decided = rule;
	ranking->verdict = rules[rule].verdict;
	if (rules[rule].say)
		rules[rule].say(input, ranking, ranking->reason, sizeof(ranking->reason));
	if (rule == SCOPE_DECIDED_FUNCTIONS || ranking->verdict == SCOPE_VERDICT_HANG ||
	    ranking->verdict == SCOPE_VERDICT_SPIN || rule == SCOPE_DECIDED_FUNCTION_FREEZES)
		say_beside(input, ranking);
}
