// SPDX-License-Identifier: GPL-2.0-only
/* Decides the verdict of a ranking: the program, a cause outside it, nothing, or unknown. */
#include "rank/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OUTSIDE_QUEUE 0.3   /* of busy time in the run queue for long: the CPU is short */
#define OWN_CPU 0.5	    /* of the time in the run queue for long: the program's own threads had the CPU */
#define OUTSIDE_EXCESS 0.05 /* unexplained excess, as a share of busy time, that is reported */
#define IDLE_SHARE 0.5	    /* of the excess, spent waiting for threads that wait for their own clients */
#define ASKS_ALIKE 10	    /* ratio of percentiles 95 to 5 of units that ask a peer: all take about as long */
#define TOO_FEW_UNITS 20
#define MEMORY_EXCESS 0.5 /* of the excess of slow functions, spent short of memory */
#define CHANCE_WORTH 0.05 /* share of the excess, met by chance, that is reported */

/* Excess that no finding explains, of the busy time. */
static double unexplained(const struct scope_ranking *ranking)
{
	return ranking->busy_ns > 0 ? (ranking->excess_ns - ranking->explained_ns) / ranking->busy_ns : 0;
}

/* True if most of the excess is waiting for idle threads, by as many units as a finding needs. */
static bool clients_pause(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	return ranking->idle_share > IDLE_SHARE && ranking->idle_units >= input->options->units_min &&
	       unexplained(ranking) > OUTSIDE_EXCESS;
}

/* The thread waited for is idle, so the cause is the client or peer that it waits for. */
static void blame_clients(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			  size_t room)
{
	const struct scope_thread *thread =
		scope_timeline_threads_at(input->units->timeline->threads, ranking->idle_thread);

	snprintf(text, room,
		 "%.0f %% of the extra time was spent waiting for threads that waited for their own clients, "
		 "most for %s (tid %u): look for clients that pause between requests and keep "
		 "a lock or a transaction.",
		 100 * ranking->idle_share, thread->comm, thread->tid);
}

/*
 * True if much of the busy time was spent in the run queue: by more than a few units while clients
 * wait, or for a large part of the window, because in a program that runs for milliseconds every
 * wait is a large part.
 */
static bool lacks_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	const struct scope_timeline *timeline = input->units->timeline;
	const double window_ns = (double)(timeline->end_ns - timeline->begin_ns);

	return ranking->long_queue_share > OUTSIDE_QUEUE &&
	       ((ranking->serves && ranking->long_queue_units >= input->options->units_min) ||
		ranking->long_queue_share * ranking->busy_ns >= input->options->floor_share * window_ns);
}

/* True if other threads of the program had the CPU that threads waited for; then no other process took it. */
static bool has_cpu_itself(const struct scope_rank_input *input)
{
	return input->own_cpu_share > OWN_CPU;
}

/* The named cause that keeps threads off the CPUs; NULL: not known. */
static const struct scope_outside_cause *named_cause(const struct scope_rank_input *input)
{
	const struct scope_outside_cause *cause;

	if (!input->outside || has_cpu_itself(input))
		return NULL;
	cause = scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_THROTTLED);
	return cause ? cause : scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_TAKEN);
}

/* What takes all CPUs of the machine. */
static const struct scope_outside_cause *machine_cause(const struct scope_rank_input *input)
{
	const struct scope_outside_cause *cause;

	if (!input->outside)
		return NULL;
	cause = scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_STOLEN);
	return cause ? cause : scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_INTERRUPTS);
}

/* A cause in the machine or beyond it: something else has the CPU while threads seem to run, or a device or a peer is slow. */
static const struct scope_outside_cause *host_cause(const struct scope_rank_input *input,
						    const struct scope_ranking *ranking)
{
	const struct scope_outside_cause *cause = machine_cause(input);

	if (!input->outside)
		return NULL;
	if (!cause)
		cause = scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_MEMORY);
	if (!cause)
		cause = scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_DEVICE);
	if (cause)
		return cause;
	/* It slows only some requests; a few of them do not matter. */
	cause = scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_PEER);
	return cause && cause->ns > OUTSIDE_EXCESS * ranking->busy_ns ? cause : NULL;
}

/* Writes a named cause and what to do. share: of the busy time spent waiting for a CPU; 0: none. */
static void say_cause(const struct scope_outside_cause *cause, double share, char *text, size_t room)
{
	char said[SCOPE_OUTSIDE_SAID], remedy[160], waited[96] = "";

	scope_rank_outside_say(cause, said, sizeof(said));
	scope_rank_outside_remedy(cause, remedy, sizeof(remedy));
	if (share > 0)
		snprintf(waited, sizeof(waited), "%.0f %% of the busy time was spent waiting for a CPU. ", 100 * share);
	snprintf(text, room, "%s%s %s", waited, said, remedy);
}

/*
 * Adds what else takes all CPUs at the same time: a hypervisor, or interrupts. The time that these take is that of the process in which
 * they run, too.
 */
static void say_host_causes(const struct scope_rank_input *input, const struct scope_outside_cause *was_said,
			    char *text, size_t room)
{
	static const enum scope_outside_kind kinds[] = { SCOPE_OUTSIDE_STOLEN, SCOPE_OUTSIDE_INTERRUPTS };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct scope_outside_cause *cause = scope_rank_outside_of(input->outside, kinds[i]);
		const size_t used = strlen(text);
		char said[SCOPE_OUTSIDE_SAID];

		if (!cause || cause == was_said)
			continue;
		scope_rank_outside_say(cause, said, sizeof(said));
		if (used + strlen(said) + 2 <= room)
			snprintf(text + used, room - used, " %s", said);
	}
}

/* Finds what slowed units from outside the program; false: no known cause. */
static bool find_outside(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			 size_t room)
{
	const struct scope_outside_cause *cause;

	if (clients_pause(input, ranking)) {
		blame_clients(input, ranking, text, room);
		return true;
	}
	if (!lacks_cpu(input, ranking)) {
		cause = host_cause(input, ranking);
		if (cause)
			say_cause(cause, 0, text, room);
		return cause;
	}
	if (has_cpu_itself(input)) {
		snprintf(
			text, room,
			"%.0f %% of the busy time was spent waiting for a CPU that other threads of this program had: more "
			"of them have work at once than there are CPUs for. Give it more, or make what runs cheaper.",
			100 * ranking->long_queue_share);
		return true;
	}
	cause = named_cause(input) ? named_cause(input) : machine_cause(input);
	if (cause) {
		say_cause(cause, ranking->long_queue_share, text, room);
		say_host_causes(input, cause, text, room);
		return true;
	}
	snprintf(text, room,
		 "%.0f %% of the busy time was spent waiting for a CPU, or for a thread that "
		 "waits for one: look for what else runs on this machine, or for a CPU limit.",
		 100 * ranking->long_queue_share);
	return true;
}

/*
 * True if a named cause kept units off the CPUs for longer than the excess of all slow functions, unless a finding
 * with high confidence has most of the excess.
 */
static bool cpu_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	const bool strong = ranking->inside_share >= SCOPE_RANK_MOST &&
			    ranking->finding[0].confidence == SCOPE_CONFIDENCE_HIGH;

	return !strong && lacks_cpu(input, ranking) && named_cause(input) &&
	       ranking->long_queue_share * ranking->busy_ns > ranking->inside_share * ranking->excess_ns;
}

/* True if a lack of memory held threads for most of the excess of all slow functions: they only touched a page. */
static bool memory_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	const struct scope_outside_cause *cause =
		input->outside ? scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_MEMORY) : NULL;

	return cause && cause->ns > MEMORY_EXCESS * ranking->inside_share * ranking->excess_ns;
}

/* True if all findings are waits for a disk, and a slow device is known. */
static bool device_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	if (!input->outside || !scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_DEVICE))
		return false;
	for (size_t i = 0; i < ranking->findings; i++) {
		const struct scope_finding *finding = &ranking->finding[i];

		if (finding->kind != SCOPE_FINDING_WAIT || finding->wait.class != SCOPE_WAIT_DISK)
			return false;
	}
	return true;
}

/*
 * True if the first finding is a wait for a peer that usual requests ask, too, and the functions inside the program
 * have a smaller part of the excess.
 */
static bool peer_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	const struct scope_finding *first = &ranking->finding[0];

	return input->outside && input->outside->peer.ns > 0 && ranking->inside_share < SCOPE_RANK_MOST &&
	       scope_rank_finding_outside(first) && !scope_rank_finding_asks(first) &&
	       first->wait.class == SCOPE_WAIT_NETWORK;
}

/* True if all findings are requests that ask a peer, which others do not, and all of them take about as long. */
static bool only_ask(const struct scope_ranking *ranking)
{
	for (size_t i = 0; i < ranking->findings; i++) {
		const struct scope_finding *finding = &ranking->finding[i];

		if (!scope_rank_finding_asks(finding) || finding->p95_ns > ASKS_ALIKE * finding->p05_ns)
			return false;
	}
	return true;
}

/* Such a request may always have taken as long: the trace has nothing to compare the peer with. */
static void leave_open(struct scope_ranking *ranking)
{
	const bool requests = ranking->slow_requests > 0;
	const double all = requests ? ranking->requests : ranking->units;

	ranking->verdict = SCOPE_VERDICT_NOTHING;
	snprintf(ranking->reason, sizeof(ranking->reason),
		 "%.1f %% of the %s took longer, for the answer of a peer that others do not ask. Whether it "
		 "is slow cannot be seen in this trace alone: compare with a better time by --baseline.",
		 all > 0 ? 100 * (requests ? ranking->slow_requests : ranking->slow_units) / all : 0,
		 requests ? "requests" : "rounds of work");
}

double scope_rank_nameless_share(const struct scope_evidence *evidence)
{
	return evidence->stacks ? (double)(evidence->nameless - evidence->language) / (double)evidence->stacks : 0;
}

/* Share of the extra time in the function that came nearest to a finding, if that is code made at run time that has no names. */
static double in_unknown_code(const struct scope_ranking *ranking)
{
	const struct scope_finding *nearest = ranking->nears ? &ranking->near[0].finding : NULL;

	return nearest && nearest->function && scope_rank_is_unknown_code(nearest->function) ? nearest->share : 0;
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

/* The verdict if nothing is found. */
static void give_reason(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	const struct scope_evidence *evidence = input->evidence;
	const double rest = unexplained(ranking);
	const struct scope_population *slower = slower_population(input->detection);
	char *reason = ranking->reason;
	size_t room = sizeof(ranking->reason);

	if (!input->units->timeline->events) {
		ranking->verdict = SCOPE_VERDICT_UNKNOWN;
		snprintf(reason, room, "The trace holds no event: was the process running?");
	} else if (ranking->units < TOO_FEW_UNITS) {
		ranking->verdict = SCOPE_VERDICT_UNKNOWN;
		snprintf(reason, room,
			 "Only %" PRIu64 " %s seen: capture for longer (-d), or while the "
			 "program has work to do.",
			 ranking->units,
			 ranking->units == 1 ? "request or round of work was" : "requests or rounds of work were");
	} else if (clients_pause(input, ranking)) {
		find_outside(input, ranking, reason, room);
		ranking->verdict = SCOPE_VERDICT_OUTSIDE;
	} else if (input->freezes && input->freezes->count) {
		ranking->verdict = SCOPE_VERDICT_FREEZES;
		snprintf(reason, room,
			 "No function of the program stands out in that time: record with stacks, or look for what "
			 "stops this process or this machine.");
	} else if (find_outside(input, ranking, reason, room)) {
		ranking->verdict = lacks_cpu(input, ranking) && has_cpu_itself(input) ? SCOPE_VERDICT_NOTHING
										      : SCOPE_VERDICT_OUTSIDE;
	} else if (rest > OUTSIDE_EXCESS && evidence->stacks &&
		   scope_rank_nameless_share(evidence) > SCOPE_RANK_NAMELESS) {
		ranking->verdict = SCOPE_VERDICT_UNKNOWN;
		snprintf(reason, room,
			 "There is extra time, but %.0f %% of the stacks name no function of the "
			 "program: %s.",
			 100 * scope_rank_nameless_share(evidence),
			 input->names_need ? input->names_need : "install its debug symbols");
	} else if (rest > OUTSIDE_EXCESS && in_unknown_code(ranking) > SCOPE_RANK_MOST) {
		ranking->verdict = SCOPE_VERDICT_UNKNOWN;
		snprintf(reason, room,
			 "There is extra time, but %.0f %% of it is in code made at run time that has no names: %s.",
			 100 * in_unknown_code(ranking),
			 input->names_need ? input->names_need : "have its runtime write /tmp/perf-PID.map");
	} else if (rest > OUTSIDE_EXCESS && !evidence->stacks && !input->second) {
		ranking->verdict = SCOPE_VERDICT_UNKNOWN;
		snprintf(reason, room,
			 "There is extra time, but there are no stacks, and nothing was learned of this "
			 "program: record without --no-stacks and --no-samples, or learn signatures with "
			 "`scope learn`.");
	} else if (slower && evidence->stacks) {
		ranking->verdict = SCOPE_VERDICT_NOTHING;
		snprintf(
			reason, room,
			"%s take %.1f times as long as in the baseline, but no function has clearly more of their time "
			"than it had: a slower or busier machine does that.",
			ranking->slow_requests > 0 ? "Requests" : "Rounds of work", slower->grown);
		add_chance(ranking, reason, room);
	} else {
		ranking->verdict = SCOPE_VERDICT_NOTHING;
		snprintf(reason, room,
			 "No function takes %.0f %% or more of the busy time as extra time that normal requests do not "
			 "have.%s",
			 100 * input->options->excess_share,
			 input->reference ? ""
					  : " What slows all alike is not seen this way: compare "
					    "with a better time by --baseline.");
		add_chance(ranking, reason, room);
	}
}

/*
 * A cause outside in addition to slow functions: it is the verdict if the functions have the smaller part, else one
 * more sentence.
 */
static void weigh_outside(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	const bool most_inside = ranking->inside_share >= SCOPE_RANK_MOST;

	if (clients_pause(input, ranking) && !most_inside) {
		blame_clients(input, ranking, ranking->reason, sizeof(ranking->reason));
		ranking->verdict = SCOPE_VERDICT_OUTSIDE;
	} else if (cpu_before_functions(input, ranking)) {
		find_outside(input, ranking, ranking->reason, sizeof(ranking->reason));
		ranking->verdict = SCOPE_VERDICT_OUTSIDE;
	} else if (memory_before_functions(input, ranking)) {
		say_cause(scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_MEMORY), 0, ranking->reason,
			  sizeof(ranking->reason));
		ranking->verdict = SCOPE_VERDICT_OUTSIDE;
	} else if (device_before_functions(input, ranking)) {
		say_cause(scope_rank_outside_of(input->outside, SCOPE_OUTSIDE_DEVICE), 0, ranking->reason,
			  sizeof(ranking->reason));
		ranking->verdict = SCOPE_VERDICT_OUTSIDE;
	} else if (peer_before_functions(input, ranking)) {
		say_cause(&input->outside->peer, 0, ranking->reason, sizeof(ranking->reason));
		ranking->slow_peer = true;
		ranking->verdict = SCOPE_VERDICT_OUTSIDE;
	} else if (!input->reference && only_ask(ranking)) {
		leave_open(ranking);
	} else {
		find_outside(input, ranking, ranking->beside, sizeof(ranking->beside));
	}
}

void scope_rank_verdict(const struct scope_rank_input *input, struct scope_ranking *ranking)
{
	char *reason = ranking->reason;
	size_t room = sizeof(ranking->reason);

	if (ranking->findings && scope_rank_finding_unsure(&ranking->finding[0])) {
		ranking->verdict = SCOPE_VERDICT_UNKNOWN;
		snprintf(reason, room,
			 "%s If clients wait for answers, it hangs where threads "
			 "are, below; an idle program looks the same.",
			 input->detection->busy_ns > 0 ? "Too few stacks show where threads like these work."
						       : "No thread did any work.");
		return;
	}
	if (ranking->findings) {
		enum scope_finding_kind kind = ranking->finding[0].kind;

		ranking->verdict = kind == SCOPE_FINDING_HANG	? SCOPE_VERDICT_HANG
				   : kind == SCOPE_FINDING_SPIN ? SCOPE_VERDICT_SPIN
								: SCOPE_VERDICT_SLOWDOWN;
		if (ranking->verdict == SCOPE_VERDICT_SLOWDOWN && scope_rank_finding_freezes(&ranking->finding[0]))
			ranking->verdict = SCOPE_VERDICT_FREEZES;
		else if (ranking->verdict == SCOPE_VERDICT_SLOWDOWN)
			weigh_outside(input, ranking);
		return;
	}
	give_reason(input, ranking);
}
