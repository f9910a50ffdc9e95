// SPDX-License-Identifier: GPL-2.0-only
/* Causes outside the program, for the rules of the verdict: whether one applies, and its sentence. */
#include "rank/verdict_outside.h"

#include <stdio.h>
#include <string.h>

#define OUTSIDE_QUEUE 0.3 /* share of busy time in long stretches in the run queue: CPUs are short */
#define OWN_CPU 0.5	  /* share of these stretches: the program's own threads had the CPU */
#define IDLE_SHARE 0.5	  /* share of the excess that is spent waiting for idle threads or those of a runtime */
#define MEMORY_EXCESS 0.5 /* share of the excess of slow functions that is spent in memory stalls */

double scope_rank_unexplained(const struct scope_ranking *ranking)
{
	return ranking->busy_ns > 0 ? (ranking->excess_ns - ranking->explained_ns) / ranking->busy_ns : 0;
}

/* True if most of the excess is waiting for idle threads, by as many units as a finding needs. */
bool scope_rank_clients_pause(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	return ranking->idle_share > IDLE_SHARE && ranking->idle_units >= input->options->units_min &&
	       scope_rank_unexplained(ranking) > SCOPE_RANK_UNEXPLAINED;
}

/* The thread waited for is idle, so the cause is the client or peer that it waits for. */
void scope_rank_say_clients(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
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

/* True if most of the excess is waiting for the runtime's own threads, by as many units as a finding needs. */
bool scope_rank_waits_for_runtime(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	return ranking->runtime_share > IDLE_SHARE && ranking->runtime_units >= input->options->units_min &&
	       scope_rank_unexplained(ranking) > SCOPE_RANK_UNEXPLAINED;
}

void scope_rank_say_runtime(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			    size_t room)
{
	const struct scope_thread *thread =
		scope_timeline_threads_at(input->units->timeline->threads, ranking->runtime_thread);

	snprintf(
		text, room,
		"%.0f %% of the extra time was spent waiting for threads that run the language's runtime and nothing "
		"of the program, most for %s (tid %u): such threads collect garbage. Look at how much is allocated, at "
		"the size of the heap, and for calls that ask for a collection.",
		100 * ranking->runtime_share, thread->comm, thread->tid);
}

/*
 * True if much of the busy time was spent in the run queue: by more than a few units while clients
 * wait, or for a large part of the window, because in a program that runs for milliseconds every
 * wait is a large part.
 */
bool scope_rank_lacks_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking)
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

bool scope_rank_lacks_own_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	return scope_rank_lacks_cpu(input, ranking) && has_cpu_itself(input);
}

void scope_rank_say_own_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			    size_t room)
{
	(void)input;
	snprintf(text, room,
		 "%.0f %% of the busy time was spent waiting for a CPU that other threads of this program had: more "
		 "of them have work at once than there are CPUs for. Give it more, or make what runs cheaper.",
		 100 * ranking->long_queue_share);
}

/* The cause of that kind, if it applies. */
static const struct scope_outside_cause *cause_of(const struct scope_rank_input *input, enum scope_outside_kind kind)
{
	return input->outside ? scope_rank_outside_of(input->outside, kind) : NULL;
}

/* The named cause that keeps threads off the CPUs; NULL: not known. */
static const struct scope_outside_cause *named_cause(const struct scope_rank_input *input)
{
	const struct scope_outside_cause *throttled = cause_of(input, SCOPE_OUTSIDE_THROTTLED);

	if (has_cpu_itself(input))
		return NULL;
	return throttled ? throttled : cause_of(input, SCOPE_OUTSIDE_TAKEN);
}

/* What takes all CPUs of the machine. */
static const struct scope_outside_cause *machine_cause(const struct scope_rank_input *input)
{
	const struct scope_outside_cause *stolen = cause_of(input, SCOPE_OUTSIDE_STOLEN);

	return stolen ? stolen : cause_of(input, SCOPE_OUTSIDE_INTERRUPTS);
}

/* A cause in the machine or beyond it: something else has the CPU while threads seem to run, or a device or a peer is slow. */
static const struct scope_outside_cause *host_cause(const struct scope_rank_input *input,
						    const struct scope_ranking *ranking)
{
	const struct scope_outside_cause *cause = machine_cause(input);

	if (!cause)
		cause = cause_of(input, SCOPE_OUTSIDE_MEMORY);
	if (!cause)
		cause = cause_of(input, SCOPE_OUTSIDE_DEVICE);
	if (cause)
		return cause;
	/* It slows only some requests; a few of them do not matter. */
	cause = cause_of(input, SCOPE_OUTSIDE_PEER);
	return cause && cause->ns > SCOPE_RANK_UNEXPLAINED * ranking->busy_ns ? cause : NULL;
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
static void say_machine_causes(const struct scope_rank_input *input, const struct scope_outside_cause *was_said,
			       char *text, size_t room)
{
	static const enum scope_outside_kind kinds[] = { SCOPE_OUTSIDE_STOLEN, SCOPE_OUTSIDE_INTERRUPTS };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct scope_outside_cause *cause = cause_of(input, kinds[i]);
		const size_t used = strlen(text);
		char said[SCOPE_OUTSIDE_SAID];

		if (!cause || cause == was_said)
			continue;
		scope_rank_outside_say(cause, said, sizeof(said));
		if (used + strlen(said) + 2 <= room)
			snprintf(text + used, room - used, " %s", said);
	}
}

void scope_rank_say_cpu(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			size_t room)
{
	const struct scope_outside_cause *cause = named_cause(input) ? named_cause(input) : machine_cause(input);

	if (cause) {
		say_cause(cause, ranking->long_queue_share, text, room);
		say_machine_causes(input, cause, text, room);
		return;
	}
	snprintf(text, room,
		 "%.0f %% of the busy time was spent waiting for a CPU, or for a thread that "
		 "waits for one: look for what else runs on this machine, or for a CPU limit.",
		 100 * ranking->long_queue_share);
}

bool scope_rank_host_is_slow(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	return host_cause(input, ranking) != NULL;
}

void scope_rank_say_host(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			 size_t room)
{
	say_cause(host_cause(input, ranking), 0, text, room);
}

bool scope_rank_clients_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	return scope_rank_clients_pause(input, ranking) && ranking->inside_share < SCOPE_RANK_MOST;
}

/*
 * True if a named cause kept units off the CPUs for longer than the excess of all slow functions, unless a finding
 * with high confidence has most of the excess.
 */
bool scope_rank_cpu_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	const bool strong = ranking->inside_share >= SCOPE_RANK_MOST &&
			    ranking->finding[0].shown == SCOPE_CONFIDENCE_HIGH;

	return !strong && scope_rank_lacks_cpu(input, ranking) && named_cause(input) &&
	       ranking->long_queue_share * ranking->busy_ns > ranking->inside_share * ranking->excess_ns;
}

/* True if a lack of memory held threads for most of the excess of all slow functions: they only touched a page. */
bool scope_rank_memory_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	const struct scope_outside_cause *cause = cause_of(input, SCOPE_OUTSIDE_MEMORY);

	return cause && cause->ns > MEMORY_EXCESS * ranking->inside_share * ranking->excess_ns;
}

void scope_rank_say_memory(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			   size_t room)
{
	(void)ranking;
	say_cause(cause_of(input, SCOPE_OUTSIDE_MEMORY), 0, text, room);
}

/* True if all findings are waits for a disk, and a slow device is known. */
bool scope_rank_device_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	if (!cause_of(input, SCOPE_OUTSIDE_DEVICE))
		return false;
	for (size_t i = 0; i < ranking->findings; i++) {
		const struct scope_finding *finding = &ranking->finding[i];

		if (finding->kind != SCOPE_FINDING_WAIT || finding->wait.class != SCOPE_WAIT_DISK)
			return false;
	}
	return true;
}

void scope_rank_say_device(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			   size_t room)
{
	(void)ranking;
	say_cause(cause_of(input, SCOPE_OUTSIDE_DEVICE), 0, text, room);
}

/*
 * True if the first finding is a wait for a peer that usual requests ask, too, and the functions inside the program
 * have a smaller part of the excess.
 */
bool scope_rank_peer_before_functions(const struct scope_rank_input *input, const struct scope_ranking *ranking)
{
	const struct scope_finding *first = &ranking->finding[0];

	return input->outside && input->outside->peer.ns > 0 && ranking->inside_share < SCOPE_RANK_MOST &&
	       scope_rank_finding_outside(first) && !scope_rank_finding_asks(first) &&
	       first->wait.class == SCOPE_WAIT_NETWORK;
}

void scope_rank_say_peer(const struct scope_rank_input *input, const struct scope_ranking *ranking, char *text,
			 size_t room)
{
	(void)ranking;
	say_cause(&input->outside->peer, 0, text, room);
}
