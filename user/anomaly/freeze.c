// SPDX-License-Identifier: GPL-2.0-only
/* Rare long stalls of threads that serve clients, each judged by the requests that it kept waiting. */
#include "anomaly/freeze.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

#define FREEZE_MIN_NS 1000000000ull
#define SHORT_MIN_NS 100000000ull /* time that people notice: several such stalls count if many requests wait */
#define BRIEF_MIN_NS 50000000ull  /* the same for stalls of this time, if none of the others counts */
#define SHORT_MIN 2		  /* shorter stalls of one thread: a single one is chance, … */
#define SHORT_MOST 4		  /* … and if more than these took a request, they are judged like other slow units */
#define SHORT_KEPT 0.01 /* share of all requests that stalls kept waiting: these requests decide the 99th percentile */
#define TIMES_USUAL 10	/* times what units of its group take: far more than others */
#define KEPT_MIN 5	/* requests kept waiting, as many as the units of a finding */
#define STALLS_MAX 256	/* no rule: stalls that come as often are not rare, and are found by other rules */

/* Stalls of less than a second count together with those that are as long. */
static const uint64_t level_ns[] = { SHORT_MIN_NS, BRIEF_MIN_NS };

#define LEVELS (sizeof(level_ns) / sizeof(*level_ns))

struct stall {
	struct scope_freeze freeze;
	uint64_t behind; /* requests taken after it without a pause */
	bool asked;	 /* it took a request itself */
};

struct thread {
	uint64_t asked; /* requests taken in all */
	struct {
		double kept;	       /* requests, by stalls of less than a second that are this long at least */
		uint32_t times, asked; /* how many there were, and took a request */
	} of[LEVELS];
	uint64_t stalled_ns;
	uint64_t end_ns; /* of its last unit */
	int32_t after;	 /* number of the stall since which it was not idle yet; -1: none */
};

struct search {
	const struct scope_distributions *distributions;
	const struct scope_groups *groups;
	uint64_t *limit_ns; /* by group; UINT64_MAX: none of its units can be one */
	struct thread *thread;
	size_t threads;
	struct stall *stall;
	size_t stalls, capacity;
	uint64_t asked; /* requests taken by all threads */
};

static uint64_t limit_of(const struct scope_distributions *distributions, const struct scope_groups *groups,
			 uint32_t group, uint64_t min_ns)
{
	const struct scope_sketch *wall = &distributions->group[group].request_wall;
	/* A loop in which many clients wait for each turn has no long turns by design, however many there are. */
	const double share = groups->group[group].pickup == SCOPE_CALL_POLL ? 0.5 : 0.95;
	const double usual = scope_sketch_quantile(wall, share) * TIMES_USUAL;

	if (!groups->group[group].serves || groups->group[group].granularity != SCOPE_UNIT_REQUEST ||
	    wall->most < min_ns)
		return UINT64_MAX;
	return usual > (double)min_ns ? (uint64_t)usual : min_ns;
}

static uint64_t duration(const struct scope_freeze *freeze)
{
	return freeze->end_ns - freeze->begin_ns;
}

/*
 * The time from which on units of the group are slow: that of a stall that counts alone, or that of shorter stalls if
 * some of them are freezes.
 */
static uint64_t slow_from(const struct scope_distributions *distributions, const struct scope_groups *groups,
			  const struct scope_freezes *freezes, uint32_t group)
{
	uint64_t min_ns = FREEZE_MIN_NS;

	for (size_t i = 0; i < freezes->count; i++)
		for (size_t level = 0; freezes->freeze[i].group == group && level < LEVELS; level++)
			if (duration(&freezes->freeze[i]) < min_ns)
				min_ns = level_ns[level];
	return limit_of(distributions, groups, group, min_ns);
}

void scope_anomaly_freeze_mark(const struct scope_distributions *distributions, const struct scope_groups *groups,
			       const struct scope_freezes *freezes, struct scope_detection *detection)
{
	for (size_t i = 0; i < detection->populations; i++) {
		struct scope_population *population = &detection->population[i];
		const uint64_t limit_ns = slow_from(distributions, groups, freezes, population->group);

		if (limit_ns == UINT64_MAX || population->reference || population->threshold_ns <= (double)limit_ns)
			continue;
		population->stall_ns = (double)limit_ns;
		population->unstalled_ns =
			scope_sketch_quantile(&distributions->group[population->group].request_wall, 0.5);
	}
}

/* For a request that was held: the part before that, or the part after it, whichever took longer. */
static struct scope_unit_part longest_part(const struct scope_unit *unit)
{
	const struct scope_unit_part own = { unit->begin_ns, unit->end_ns, unit->thread };
	const struct scope_unit_part *before = unit->earlier ? &unit->earlier->part : &own;

	return before->end_ns - before->begin_ns > own.end_ns - own.begin_ns ? *before : own;
}

static int note_stall(struct search *search, const struct scope_unit *unit)
{
	const struct scope_unit_part part = longest_part(unit);

	if (search->stalls == STALLS_MAX)
		return 0;
	if (scope_grow(&search->stall, &search->capacity, search->stalls + 1, sizeof(*search->stall)))
		return -ENOMEM;
	search->thread[unit->thread].after = (int32_t)search->stalls;
	search->thread[unit->thread].stalled_ns += part.end_ns - part.begin_ns;
	search->stall[search->stalls++] = (struct stall){
		.freeze = { .thread = unit->thread,
			    .group = unit->group,
			    .begin_ns = part.begin_ns,
			    .end_ns = part.end_ns },
		.asked = unit->asked,
	};
	return 0;
}

/* Units end in order of time, nearly: those of one thread do. */
static int look(void *user, struct scope_unit *unit, const struct scope_unit_call *call)
{
	struct search *search = user;
	struct thread *thread = &search->thread[unit->thread];

	(void)call;
	if (thread->after >= 0 && unit->begin_ns > thread->end_ns + SCOPE_UNIT_IDLE_MIN_NS)
		thread->after = -1;
	thread->end_ns = unit->end_ns > thread->end_ns ? unit->end_ns : thread->end_ns;
	thread->asked += unit->asked;
	search->asked += unit->asked;
	if (thread->after >= 0)
		search->stall[thread->after].behind += unit->asked;
	/* A task that waits keeps no thread from other requests. */
	if (unit->open || scope_unit_measure(unit) - scope_unit_task_ns(unit) < search->limit_ns[unit->group])
		return 0;
	return note_stall(search, unit);
}

/* Requests that the thread takes in as long as a stall lasted. */
static double usual_in(const struct search *search, const struct scope_freeze *freeze)
{
	const struct scope_timeline *timeline = search->distributions->run->timeline;
	const struct thread *thread = &search->thread[freeze->thread];
	const uint64_t first_ns = scope_timeline_threads_at(timeline->threads, freeze->thread)->first_ns;
	const uint64_t from_ns = first_ns > timeline->begin_ns ? first_ns : timeline->begin_ns;
	const double served_ns = (double)(timeline->end_ns - from_ns) - (double)thread->stalled_ns;

	return served_ns > 0 ? (double)thread->asked * (double)(freeze->end_ns - freeze->begin_ns) / served_ns : 0;
}

/* Only requests that no other thread could take waited for this one. */
static double kept_by(const struct search *search, const struct stall *stall)
{
	const uint32_t thread = stall->freeze.thread;
	const double usual = usual_in(search, &stall->freeze);

	if (!search->distributions->run->thread[thread].many)
		return 0;
	if (search->thread[thread].asked == search->asked)
		return usual;
	if (search->distributions->run->thread[thread].tasked)
		return 0;
	return search->groups->group[stall->freeze.group].pickup == SCOPE_CALL_POLL ? fmin(usual, (double)stall->behind)
										    : 0;
}

/*
 * True if stalls of the thread that are this long keep many clients waiting. If many of them took a request, they are
 * compared with other requests. The others are rounds of a kind that may always take that long; frequent rounds keep
 * requests waiting as well.
 */
static bool level_counts(const struct search *search, const struct thread *thread, size_t level)
{
	return thread->of[level].times >= SHORT_MIN && thread->of[level].asked <= SHORT_MOST &&
	       thread->of[level].kept >= SHORT_KEPT * (double)search->asked;
}

/* A stall of a second counts alone. Shorter stalls count if a thread has several, and many clients wait for them. */
static bool counts(const struct search *search, const struct scope_freeze *freeze)
{
	const struct thread *thread = &search->thread[freeze->thread];
	size_t level = 0;

	if (freeze->kept < KEPT_MIN)
		return false;
	while (level < LEVELS && !level_counts(search, thread, level))
		level++;
	return duration(freeze) >= FREEZE_MIN_NS || (level < LEVELS && duration(freeze) >= level_ns[level]);
}

/* Adds a stall that does not count alone to the sums of its thread. */
static void add_short(struct thread *thread, const struct stall *stall)
{
	const struct scope_freeze *freeze = &stall->freeze;

	if (freeze->kept < KEPT_MIN || duration(freeze) >= FREEZE_MIN_NS)
		return;
	for (size_t level = 0; level < LEVELS; level++)
		if (duration(freeze) >= level_ns[level]) {
			thread->of[level].kept += freeze->kept;
			thread->of[level].times++;
			thread->of[level].asked += stall->asked;
		}
}

static int judge(struct search *search, struct scope_freezes *freezes)
{
	freezes->freeze = calloc(search->stalls + 1, sizeof(*freezes->freeze));
	if (!freezes->freeze)
		return -ENOMEM;
	for (size_t i = 0; i < search->stalls; i++) {
		struct scope_freeze *freeze = &search->stall[i].freeze;

		freeze->kept = kept_by(search, &search->stall[i]);
		add_short(&search->thread[freeze->thread], &search->stall[i]);
	}
	for (size_t i = 0; i < search->stalls; i++) {
		const struct scope_freeze freeze = search->stall[i].freeze;

		if (!counts(search, &freeze))
			continue;
		freezes->kept += freeze.kept;
		freezes->freeze[freezes->count++] = freeze;
	}
	return 0;
}

static int run(struct search *search, struct scope_freezes *freezes)
{
	const struct scope_unit_sink sink = { .unit = look, .user = search };
	int err = scope_unit_distributions_replay(search->distributions, search->groups, &sink);

	return err || !search->stalls ? err : judge(search, freezes);
}

int scope_anomaly_freeze_find(const struct scope_distributions *distributions, const struct scope_groups *groups,
			      struct scope_freezes *ret_freezes)
{
	struct search search = { .distributions = distributions,
				 .groups = groups,
				 .threads = distributions->run->threads };
	struct scope_freezes freezes = { 0 };
	bool any = false;
	int err = 0;

	search.limit_ns = calloc(distributions->groups + 1, sizeof(*search.limit_ns));
	search.thread = calloc(search.threads + 1, sizeof(*search.thread));
	if (!search.limit_ns || !search.thread)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < search.threads; i++)
		search.thread[i].after = -1;
	for (uint32_t i = 0; !err && i < distributions->groups; i++) {
		search.limit_ns[i] = limit_of(distributions, groups, i, BRIEF_MIN_NS);
		any |= search.limit_ns[i] != UINT64_MAX;
	}
	if (any)
		err = run(&search, &freezes);
	free(search.limit_ns);
	free(search.thread);
	free(search.stall);
	if (!err)
		*ret_freezes = freezes;
	return err;
}

const struct scope_freeze *scope_anomaly_freeze_of(const struct scope_freezes *freezes, const struct scope_unit *unit)
{
	const uint64_t begin_ns = longest_part(unit).begin_ns;

	for (size_t i = 0; freezes && i < freezes->count; i++)
		if (freezes->freeze[i].thread == unit->thread && freezes->freeze[i].begin_ns == begin_ns)
			return &freezes->freeze[i];
	return NULL;
}
