// SPDX-License-Identifier: GPL-2.0-only
/* Decides the kind of a finding: if its function runs longer, is called more often, waits, or keeps others waiting. */
#include "rank/classify.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define OFTEN_QUICK 0.5	 /* at least this share of the units with the same calls is not slow */
#define QUICK_SHARE 0.5	 /* share of a finding's median: units that take no longer are quick */
#define CALLS_TIMES 4	 /* a call made this many times as often as usual is a better sign than time */
#define CALLS_KERNEL 0.1 /* share of its running time in the kernel: with less its calls do not take long */
#define CALLS_MORE 0.5	 /* calls of a kind, beyond usual ones: most of its units make one more */
#define PAUSES_USUAL 0.1 /* times that usual units make a call, in which those that pause sleep */

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
	const struct scope_kept *baseline = scope_rank_compared_with(input, population);
	struct call_means *means = calloc(1, sizeof(*means));
	double units = 0;

	if (!means)
		return -ENOMEM;
	for (size_t i = 0; i < sums->units; i++)
		add_calls(input->units, sums->unit[i], means->here);
	for (size_t i = 0; i < baseline->units->count; i++)
		if (scope_rank_is_usual(baseline, population, i)) {
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

/*
 * True if its units ask the kernel for memory more often than usual ones. Then the time in the kernel is that of page
 * faults, and of giving the memory back, and the program causes it.
 */
static bool maps_more(const struct scope_rank_options *options, const struct call_means *means)
{
	static const uint16_t calls[] = { SYS_mmap, SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (means->here[calls[i]] >= means->usual[calls[i]] + CALLS_MORE &&
		    means->here[calls[i]] >= means->usual[calls[i]] * options->outside_calls)
			return true;
	return false;
}

/* The call that its units make most often in excess of the usual units of its population. */
static void find_frequent_call(const struct scope_sums *sums, const struct call_means *means,
			       struct scope_finding *finding)
{
	double most = 0;

	if (sums->kernel_shown && sums->kernel_ns < CALLS_KERNEL * sums->run_ns)
		return;
	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++) {
		double usual = means->usual[nr];
		double times = means->here[nr] / (usual > 1 ? usual : 1);

		if (times >= CALLS_TIMES && times > most) {
			finding->calls_times = most = times;
			finding->nr = nr;
			finding->kind = SCOPE_FINDING_CALLS;
		}
	}
}

static int judge_running(const struct scope_rank_input *input, const struct scope_sums *sums,
			 struct scope_finding *finding)
{
	struct call_means *means;
	int err = mean_calls(input, sums, finding->population, &means);

	if (err)
		return err;
	find_frequent_call(sums, means, finding);
	if (sums->run_ns > 0)
		finding->kernel_alike_share = maps_more(input->options, means) ? 0 : sums->kernel_ns / sums->run_ns;
	free(means);
	return 0;
}

/*
 * How often usual units make the finding's call on average, of those with the same set of calls as one of the
 * finding's. 0 if there are none, or if they are of another trace, in which sets have other numbers.
 */
static double calls_alike(const struct scope_rank_input *input, const struct scope_finding *finding, const bool *seen,
			  uint32_t rows)
{
	const struct scope_kept *kept = input->kept;
	double calls = 0, units = 0;

	for (size_t i = 0; scope_rank_compared_with(input, finding->population) == kept && i < kept->units->count;
	     i++) {
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
 * True if most of the units with the same set of calls take less than half as long as those of the finding, and do
 * not make its call clearly less often. Then the calls themselves are quick. Usual units that request less are left
 * out. here: how often units of the finding make its call, on average.
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

/* True if most usual units of the finding's population waited for a peer in no thread, as its slow ones do. */
static bool usually_held(const struct scope_rank_input *input, const struct scope_finding *finding)
{
	size_t usual = 0, held = 0;

	for (size_t i = 0; i < input->units->count; i++) {
		const struct scope_unit *unit = &input->units->unit[i];

		if (input->kept->mark[i] != SCOPE_UNIT_USUAL || input->kept->population[i] != finding->population)
			continue;
		usual++;
		held += unit->earlier && unit->earlier->class == SCOPE_WAIT_NETWORK;
	}
	return 2 * held > usual;
}

/* If a request waits between turns of a loop, no call of it waits. */
static void judge_held(const struct scope_rank_input *input, struct scope_finding *finding)
{
	if (finding->wait.class != SCOPE_WAIT_NETWORK)
		return;
	finding->wait.outside = true;
	finding->wait.asks = !usually_held(input, finding);
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
	finding->wait.task = finding->nr == SCOPE_NR_NONE;
	finding->wait.held = finding->wait.task && 2 * sums->held_ns > sums->task_ns;
	here = finding->nr < SCOPE_SYSCALL_MAX ? means->here[finding->nr] : 0;
	usual = finding->nr < SCOPE_SYSCALL_MAX ? means->usual[finding->nr] : 0;
	free(means);
	finding->calls_times = here / fmax(usual, 1);
	err = often_quick(input, sums, finding, here, &quick);
	if (err)
		return err;
	finding->wait.pauses = !quick &&
			       (finding->wait.class == SCOPE_WAIT_TIMER ||
				(finding->wait.class == SCOPE_WAIT_FUTEX && !finding->wait.task)) &&
			       usual < PAUSES_USUAL;
	if (finding->wait.held) {
		judge_held(input, finding);
		return 0;
	}
	if (finding->wait.class != SCOPE_WAIT_DISK && finding->wait.class != SCOPE_WAIT_NETWORK &&
	    finding->wait.class != SCOPE_WAIT_PIPE)
		return 0;
	finding->wait.outside = quick || (usual > 0 && here < usual * input->options->outside_calls);
	/* It is not known which calls a task makes. */
	finding->wait.asks = !finding->wait.outside && !finding->wait.task &&
			     finding->wait.class == SCOPE_WAIT_NETWORK && here < usual + input->options->outside_calls;
	finding->wait.outside |= finding->wait.asks;
	return 0;
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
			finding->holder.held = window->nr == SCOPE_NR_NONE && input->units->unit[window->unit].earlier;
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

int scope_rank_classify(const struct scope_rank_input *input, const struct scope_sums *sums,
			struct scope_finding *finding)
{
	double best_ns = 0;

	for (uint32_t nr = 0; nr < SCOPE_SYSCALL_MAX; nr++)
		if (sums->nr_ns[nr] > best_ns) {
			best_ns = sums->nr_ns[nr];
			finding->nr = nr;
		}
	if (sums->task_ns > best_ns)
		finding->nr = SCOPE_NR_NONE;
	if (sums->lock_ns + sums->late_ns > sums->run_ns + sums->wait_ns) {
		finding->kind = sums->lock_ns >= sums->late_ns ? SCOPE_FINDING_LOCK : SCOPE_FINDING_LATE;
		/* Requests that were held wait in no call. */
		if (best_ns <= 0)
			finding->nr = SCOPE_NR_NONE;
		find_waiters(input, sums, finding);
	} else if (sums->wait_ns > sums->run_ns) {
		finding->kind = SCOPE_FINDING_WAIT;
		return judge_outside(input, sums, finding);
	} else {
		finding->kind = SCOPE_FINDING_TIME;
		return judge_running(input, sums, finding);
	}
	return 0;
}

int scope_rank_classify_connection(const struct scope_rank_input *input, const struct scope_sums *sums,
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
	if (more < CALLS_MORE || more >= input->options->outside_calls)
		return 0;
	finding->kind = SCOPE_FINDING_WAIT;
	finding->nr = SYS_connect;
	finding->wait = (struct scope_finding_wait){ .class = SCOPE_WAIT_NETWORK, .outside = true, .asks = true };
	return 0;
}
