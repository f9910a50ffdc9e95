// SPDX-License-Identifier: GPL-2.0-only
/* Measures one function by the evidence: counts, shares, percentiles. */
#include "rank/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "anomaly/robust.h"
#include "rank/shares.h"
#include "rank/sums.h"

#define OFTEN_QUICK 0.5	  /* at least this share of the units with the same calls is not slow */
#define QUICK_SHARE 0.5	  /* share of a finding's median: units that take no longer are quick */
#define CALLS_TIMES 4	  /* a call made this many times as often as usual is a better sign than time */
#define CALLS_KERNEL 0.1  /* share of its running time in the kernel: with less its calls do not take long */
#define CONNECTS_MORE 0.5 /* connections, beyond usual ones: most of its units open one */
#define PAUSES_USUAL 0.1  /* times that usual units make a call, in which those that pause sleep */

/* Stacks of one unit repeat the same fact: how many stacks of the function each unit has. */
static double stacks_of_unit(const struct scope_sums *sums, enum scope_finding_kind kind)
{
	const bool run = kind == SCOPE_FINDING_TIME || kind == SCOPE_FINDING_CALLS;
	const double stacks = sums->samples + (run ? 0 : sums->sleeps);

	return sums->units ? fmax(stacks / sums->units, 1) : 1;
}

/*
 * A function that runs longer is compared only with running time, because units may sleep for
 * another bug elsewhere. If others wait for a function, its running time in its own usual units
 * does not matter: only sleeps count.
 */
static struct scope_shares shares_of(const struct scope_evidence *evidence, const struct scope_sums *sums,
				     const struct scope_finding *finding)
{
	const enum scope_finding_kind kind = finding->kind;
	const bool blamed = kind == SCOPE_FINDING_LOCK || kind == SCOPE_FINDING_LATE;
	const double all = sums->all_ns[0], run = sums->all_run_ns[0];
	const double each = stacks_of_unit(sums, kind);

	if (kind == SCOPE_FINDING_TIME || kind == SCOPE_FINDING_CALLS)
		return (struct scope_shares){
			.here_ns = sums->run_ns,
			.all_here_ns = sums->all_run_ns[1],
			.usual_ns = sums->normal_ns - sums->normal_wait_ns,
			.all_usual_ns = run,
			.stacks = sums->samples / each,
			.all_stacks = sums->all_samples[1] / each,
			.usual_stacks = run > 0 ? run * run / sums->usual_run_ns2 : 0,
		};
	return (struct scope_shares){
		.here_ns = sums->abnormal_ns,
		.all_here_ns = sums->all_ns[1],
		.usual_ns = blamed ? sums->normal_wait_ns : sums->normal_ns,
		.all_usual_ns = all,
		.stacks = (sums->samples + sums->sleeps) / each,
		.all_stacks = sums->all[1] / each,
		.usual_stacks = all > 0 ? all * all / sums->usual_ns2 : 0,
		/* Their waits in it or for it cannot be longer than all their waits. */
		.usual_units = !scope_rank_finding_outside(finding) && evidence->usual_ns > 0 ? evidence->usual_units
											      : 0,
		.usual_share_max =
			(evidence->usual_blocked_ns + (blamed ? 0 : sums->normal_ns - sums->normal_wait_ns)) /
			evidence->usual_ns,
	};
}

static uint32_t most_common_population(const struct scope_rank_input *input, const struct scope_sums *sums)
{
	uint32_t *count = calloc(input->detection->populations + 1, sizeof(*count));
	uint32_t best = 0;

	if (!count)
		return 0;
	for (size_t i = 0; i < sums->units; i++)
		count[input->kept->population[sums->unit[i]]]++;
	for (uint32_t i = 1; i < input->detection->populations; i++)
		if (count[i] > count[best])
			best = i;
	free(count);
	return best;
}

static int measure_units(const struct scope_rank_input *input, const struct scope_sums *sums,
			 struct scope_finding *finding)
{
	double *value = calloc(sums->units + 1, sizeof(*value));
	double target, nearest = HUGE_VAL;

	if (!value)
		return -ENOMEM;
	finding->first_ns = sums->units ? UINT64_MAX : 0;
	for (size_t i = 0; i < sums->units; i++) {
		const struct scope_unit *unit = &input->units->unit[sums->unit[i]];

		value[i] = scope_unit_measure(unit);
		if (unit->begin_ns < finding->first_ns)
			finding->first_ns = unit->begin_ns;
		if (unit->end_ns > finding->last_ns)
			finding->last_ns = unit->end_ns;
	}
	scope_anomaly_sort(value, sums->units);
	finding->units = sums->units;
	finding->p50_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.5);
	finding->p95_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.95);
	finding->p99_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.99);
	finding->p05_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.05);
	free(value);
	target = finding->p50_ns;
	finding->example = UINT32_MAX;
	for (size_t i = 0; i < sums->units; i++) {
		const struct scope_unit *unit = &input->units->unit[sums->unit[i]];
		double distance = fabs(scope_unit_measure(unit) - target);

		if (distance < nearest) {
			nearest = distance;
			finding->example = sums->unit[i];
		}
	}
	return 0;
}

/* Where sizes explain times: the median of what is usual for the sizes of its units. */
static int measure_usual(const struct scope_rank_input *input, const struct scope_sums *sums,
			 struct scope_finding *finding)
{
	const struct scope_population *population = &input->detection->population[finding->population];
	double *value;

	if (!population->size || !sums->units)
		return 0;
	value = calloc(sums->units, sizeof(*value));
	if (!value)
		return -ENOMEM;
	for (size_t i = 0; i < sums->units; i++)
		value[i] = scope_anomaly_population_norm(population, input->units->unit[sums->unit[i]].bytes).usual_ns;
	scope_anomaly_sort(value, sums->units);
	finding->usual_ns = scope_anomaly_quantile_sorted(value, sums->units, 0.5);
	free(value);
	return 0;
}

static const struct scope_vector *vector_of(const struct scope_units *units, uint32_t unit)
{
	const struct scope_unit *of = &units->unit[unit];

	return scope_cluster_vector_set_get(units->groups->group[of->group].vectors, of->vector);
}

/* The usual units with which a population is compared: of its own trace, or of the baseline. */
static const struct scope_kept *norm_of(const struct scope_rank_input *input, uint32_t population)
{
	return input->detection->population[population].reference ? input->reference : input->kept;
}

static bool is_usual(const struct scope_kept *baseline, uint32_t population, size_t unit)
{
	return baseline->population[unit] == population && baseline->mark[unit] == SCOPE_UNIT_USUAL;
}

/* A usual unit to show with the example: the one with the most similar calls, then nearest to the median. */
static void find_usual(const struct scope_rank_input *input, struct scope_finding *finding)
{
	const struct scope_population *of = &input->detection->population[finding->population];
	const struct scope_kept *baseline = norm_of(input, finding->population);
	uint32_t likest = UINT32_MAX;
	double nearest = HUGE_VAL, usual_ns;

	finding->usual_example = UINT32_MAX;
	finding->usual_elsewhere = baseline == input->reference;
	if (finding->example == UINT32_MAX)
		return;
	usual_ns = scope_anomaly_population_norm(of, input->units->unit[finding->example].bytes).usual_ns;
	for (size_t i = 0; i < baseline->units->count; i++) {
		const struct scope_unit *unit = &baseline->units->unit[i];
		bool mine = baseline == input->reference ? baseline->population[i] == finding->population
							 : unit->group == of->group;
		double distance = fabs(scope_unit_measure(unit) - usual_ns);
		uint32_t unlike;

		if (!mine || baseline->mark[i] || unit->open)
			continue;
		unlike = scope_cluster_vector_distance(vector_of(input->units, finding->example),
						       vector_of(baseline->units, i));
		if (unlike < likest || (unlike == likest && distance < nearest)) {
			likest = unlike;
			nearest = distance;
			finding->usual_example = i;
		}
	}
}

static void add_calls(const struct scope_units *units, uint32_t unit, double *count)
{
	for (unsigned j = 0; j < units->unit[unit].calls; j++) {
		const struct scope_unit_call *call = &units->call[units->unit[unit].call + j];

		if (call->nr < SCOPE_SYSCALL_MAX)
			count[call->nr] += call->count;
	}
}

/* Mean number of each call in a finding's units, and in the usual units of its population. */
struct call_means {
	double here[SCOPE_SYSCALL_MAX], usual[SCOPE_SYSCALL_MAX];
};

static int mean_calls(const struct scope_rank_input *input, const struct scope_sums *sums, uint32_t population,
		      struct call_means **ret_means)
{
	const struct scope_kept *baseline = norm_of(input, population);
	struct call_means *means = calloc(1, sizeof(*means));
	double units = 0;

	if (!means)
		return -ENOMEM;
	for (size_t i = 0; i < sums->units; i++)
		add_calls(input->units, sums->unit[i], means->here);
	for (size_t i = 0; i < baseline->units->count; i++)
		if (is_usual(baseline, population, i)) {
			add_calls(baseline->units, i, means->usual);
			units++;
		}
	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++) {
		means->here[nr] /= sums->units ? sums->units : 1;
		means->usual[nr] /= units ? units : 1;
	}
	*ret_means = means;
	return 0;
}

/* The call that its units make most often in excess of the usual units of its population. */
static int find_frequent_call(const struct scope_rank_input *input, const struct scope_sums *sums,
			      struct scope_finding *finding)
{
	struct call_means *means;
	double most = 0;
	int err;

	if (sums->kernel_shown && sums->kernel_ns < CALLS_KERNEL * sums->run_ns)
		return 0;
	err = mean_calls(input, sums, finding->population, &means);
	if (err)
		return err;
	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++) {
		double usual = means->usual[nr];
		double times = means->here[nr] / (usual > 1 ? usual : 1);

		if (times >= CALLS_TIMES && times > most) {
			finding->calls_times = most = times;
			finding->nr = nr;
			finding->kind = SCOPE_FINDING_CALLS;
		}
	}
	free(means);
	return 0;
}

/*
 * How often usual units with the same set of calls as some of the finding's make its call, on average; 0: there are none, or
 * in another trace, whose sets have other numbers.
 */
static double calls_alike(const struct scope_rank_input *input, const struct scope_finding *finding, const bool *seen,
			  uint32_t rows)
{
	const struct scope_kept *kept = input->kept;
	double calls = 0, units = 0;

	for (size_t i = 0; norm_of(input, finding->population) == kept && i < kept->units->count; i++) {
		const struct scope_unit *unit = &kept->units->unit[i];

		if (kept->mark[i] != SCOPE_UNIT_USUAL || unit->group != finding->group || unit->vector >= rows ||
		    !seen[unit->vector])
			continue;
		units++;
		for (unsigned j = 0; j < unit->calls; j++)
			if (kept->units->call[unit->call + j].nr == finding->nr)
				calls += kept->units->call[unit->call + j].count;
	}
	return units > 0 ? calls / units : 0;
}

/*
 * True if most of the units with the same set of calls take less than half as long as those of the finding, which make its call
 * here times on average, and do not make it clearly less often. Then the calls themselves are quick. Usual units that request
 * less are left out.
 */
static int often_quick(const struct scope_rank_input *input, const struct scope_sums *sums,
		       const struct scope_finding *finding, double here, bool *ret_quick)
{
	const struct scope_distributions_group *group = &input->distributions->group[finding->group];
	bool *seen = calloc(group->rows + 1, sizeof(*seen));
	double all = 0, slow = 0, alike;

	if (!seen)
		return -ENOMEM;
	for (size_t i = 0; i < sums->units; i++) {
		const struct scope_unit *unit = &input->units->unit[sums->unit[i]];

		if (unit->group != finding->group || unit->vector >= group->rows || seen[unit->vector])
			continue;
		seen[unit->vector] = true;
		all += group->row[unit->vector].units;
		slow += scope_sketch_above(&group->row[unit->vector].measure, QUICK_SHARE * finding->p50_ns);
	}
	alike = calls_alike(input, finding, seen, group->rows);
	free(seen);
	*ret_quick = slow < all * OFTEN_QUICK && (alike <= 0 || here < alike * input->options->outside_calls);
	return 0;
}

/*
 * True if the call is made about as often in usual units, or by quick units, so that only its
 * length differs. A peer decides itself how long it takes to answer, so one more request to it is
 * not the program's fault.
 */
static int judge_outside(const struct scope_rank_input *input, const struct scope_sums *sums,
			 struct scope_finding *finding)
{
	struct call_means *means;
	bool quick;
	double here, usual;
	int err = mean_calls(input, sums, finding->population, &means);

	if (err)
		return err;
	for (int class = 0; class < SCOPE_WAIT_CLASSES; class += 1)
		if (sums->class_ns[class] > sums->class_ns[finding->wait.class])
			finding->wait.class = class;
	here = finding->nr < SCOPE_SYSCALL_MAX ? means->here[finding->nr] : 0;
	usual = finding->nr < SCOPE_SYSCALL_MAX ? means->usual[finding->nr] : 0;
	free(means);
	err = often_quick(input, sums, finding, here, &quick);
	if (err)
		return err;
	finding->wait.pauses = !quick &&
			       (finding->wait.class == SCOPE_WAIT_TIMER || finding->wait.class == SCOPE_WAIT_FUTEX) &&
			       usual < PAUSES_USUAL;
	if (finding->wait.class != SCOPE_WAIT_DISK && finding->wait.class != SCOPE_WAIT_NETWORK &&
	    finding->wait.class != SCOPE_WAIT_PIPE)
		return 0;
	finding->wait.outside = quick || (usual > 0 && here < usual * input->options->outside_calls);
	finding->wait.asks = !finding->wait.outside && finding->wait.class == SCOPE_WAIT_NETWORK &&
			     here < usual + input->options->outside_calls;
	finding->wait.outside |= finding->wait.asks;
	return 0;
}

/* Mean bytes of its units, less those of the usual units of its population. */
static double compare_bytes(const struct scope_rank_input *input, const struct scope_sums *sums, uint32_t population)
{
	const struct scope_kept *baseline = norm_of(input, population);
	double here = 0, usual = 0, count = 0;

	for (size_t i = 0; i < sums->units; i++)
		here += input->units->unit[sums->unit[i]].bytes;
	for (size_t i = 0; i < baseline->units->count; i++)
		if (is_usual(baseline, population, i)) {
			usual += baseline->units->unit[i].bytes;
			count++;
		}
	here /= sums->units ? sums->units : 1;
	usual /= count ? count : 1;
	return here - usual;
}

static void find_waiters(const struct scope_rank_input *input, const struct scope_sums *sums,
			 struct scope_finding *finding)
{
	const struct scope_wait_chains *wait_chains = &input->kept->wait_chains;
	double best = 0;

	for (size_t i = 0; i < wait_chains->windows; i++) {
		const struct scope_wait_segment *window = &wait_chains->window[i];

		if (!scope_rank_sums_find(sums, window->unit))
			continue;
		if (window->weight_ns > best) {
			best = window->weight_ns;
			finding->holder.thread = window->thread;
			finding->holder.object = window->object;
			finding->holder.victim_group = input->units->unit[window->unit].group;
		}
	}
	for (size_t thread = 0; thread < input->units->threads; thread++)
		for (size_t i = 0; i < sums->units; i++)
			if (input->units->unit[sums->unit[i]].thread == thread &&
			    input->units->unit[sums->unit[i]].group == finding->holder.victim_group) {
				finding->holder.victim_threads++;
				break;
			}
}

static int decide_kind(const struct scope_rank_input *input, const struct scope_sums *sums,
		       struct scope_finding *finding)
{
	double best_ns = 0;

	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++)
		if (sums->nr_ns[nr] > best_ns) {
			best_ns = sums->nr_ns[nr];
			finding->nr = nr;
		}
	if (sums->lock_ns + sums->late_ns > sums->run_ns + sums->wait_ns) {
		finding->kind = sums->lock_ns >= sums->late_ns ? SCOPE_FINDING_LOCK : SCOPE_FINDING_LATE;
		find_waiters(input, sums, finding);
	} else if (sums->wait_ns > sums->run_ns) {
		finding->kind = SCOPE_FINDING_WAIT;
		return judge_outside(input, sums, finding);
	} else {
		finding->kind = SCOPE_FINDING_TIME;
		return find_frequent_call(input, sums, finding);
	}
	return 0;
}

/*
 * True if its units open one connection more than usual ones, and most of its running time is in
 * the kernel. Then it asks a peer from an event loop, which does not sleep for the answer; the time
 * to set up a connection is not the function's fault.
 */
static int judge_connection(const struct scope_rank_input *input, const struct scope_sums *sums,
			    struct scope_finding *finding)
{
	struct call_means *means;
	double more;
	int err;

	if ((finding->kind != SCOPE_FINDING_TIME && finding->kind != SCOPE_FINDING_CALLS) ||
	    finding->kernel_share < SCOPE_RANK_MOST)
		return 0;
	err = mean_calls(input, sums, finding->population, &means);
	if (err)
		return err;
	more = means->here[SYS_connect] - means->usual[SYS_connect];
	free(means);
	if (more < CONNECTS_MORE || more >= input->options->outside_calls)
		return 0;
	finding->kind = SCOPE_FINDING_WAIT;
	finding->nr = SYS_connect;
	finding->wait = (struct scope_finding_wait){ .class = SCOPE_WAIT_NETWORK, .outside = true, .asks = true };
	return 0;
}

static double window_of(const struct scope_rank_input *input)
{
	const struct scope_timeline *timeline = input->units->timeline;

	return fmax(1, (double)(timeline->end_ns - timeline->begin_ns));
}

/* Share of the units in the emptier half of the window, or of the time since the change. */
static double half_share(const struct scope_rank_input *input, const struct scope_sums *sums)
{
	const struct scope_timeline *timeline = input->units->timeline;
	uint64_t from = input->since_ns ? input->since_ns : timeline->begin_ns;
	uint64_t middle = from + (timeline->end_ns - from) / 2;
	size_t first = 0;

	for (size_t i = 0; i < sums->units; i++)
		first += input->units->unit[sums->unit[i]].begin_ns < middle;
	if (!sums->units)
		return 0;
	return (double)(first < sums->units - first ? first : sums->units - first) / sums->units;
}

int scope_rank_measure(const struct scope_rank_input *input, struct scope_finding *finding)
{
	struct scope_shares shares;
	struct scope_sums *sums;
	int err = scope_rank_sums_create(input->evidence, input->attribution, finding->function, &sums);

	if (err)
		return err;
	err = measure_units(input, sums, finding);
	if (err) {
		scope_rank_sums_destroy(sums);
		return err;
	}
	finding->units_at_first = sums->units_at_first;
	finding->samples = sums->samples;
	finding->sleeps = sums->sleeps;
	finding->population = most_common_population(input, sums);
	finding->group = input->detection->population[finding->population].group;
	finding->usual_ns = scope_anomaly_population_usual(&input->detection->population[finding->population]);
	if (!err)
		err = measure_usual(input, sums, finding);
	finding->serves = input->units->groups->group[finding->group].serves;
	finding->window_share = finding->excess_ns / window_of(input);
	find_usual(input, finding);
	finding->half_share = half_share(input, sums);
	for (size_t i = 0; i < sums->units; i++)
		finding->freezes += scope_anomaly_freeze_of(input->freezes, &input->units->unit[sums->unit[i]]) != NULL;
	if (!err)
		err = decide_kind(input, sums, finding);
	shares = shares_of(input->evidence, sums, finding);
	shares.grown = scope_rank_grown(&input->detection->population[finding->population]);
	shares.slower = input->detection->population[finding->population].slower;
	scope_rank_shares_compare(shares, finding);
	finding->bytes_more = compare_bytes(input, sums, finding->population);
	finding->kernel_share = sums->run_ns > 0 ? sums->kernel_ns / sums->run_ns : 0;
	if (!err)
		err = judge_connection(input, sums, finding);
	finding->score = finding->excess_ns * (1 - scope_rank_doubt(finding));
	scope_rank_sums_destroy(sums);
	return err;
}
