// SPDX-License-Identifier: GPL-2.0-only
/* Names by stacks the functions in which threads wait for locks, and those in which they are while they have them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "waits/locks.h"
#include "waits/stack_function.h"

#define STACKS_MAX 20000   /* that are used; of more every n-th */
#define STEPS_MAX 20000000 /* no rule: stacks matched with holds; further ones are not matched */
#define NESTED 4	   /* locks of one thread at a time that its stack counts for */

/* A stack, and the locks that it counts for. */
struct mark {
	uint64_t time_ns; /* of a sample; after a sleep: when the thread was woken */
	uint32_t thread;
	uint32_t number; /* among those that are used */
	bool sample;
	uint8_t held;			/* locks that its thread had */
	uint8_t has[NESTED], waits_for; /* indices of locks */
};

#define NO_LOCK UINT8_MAX
_Static_assert(SCOPE_LOCKS_KEPT < NO_LOCK, "an index has a byte");

struct namer {
	struct scope_locks *locks;
	const struct scope_groups *groups;
	struct scope_stack_functions functions;
	uint64_t wanted, every, number;
	struct mark *mark;
	size_t marks, capacity;
	size_t next; /* index of the mark whose stack comes next */
	uint64_t steps;
};

static bool is_wanted(const struct namer *namer, const struct scope_logged_stack *logged)
{
	const struct scope_unit_stack *stack = &logged->stack;

	return !stack->stopped_stack && stack->thread < namer->groups->threads &&
	       (scope_unit_logged_ran(logged) || stack->slept_ns);
}

static int count_stack(void *user, const struct scope_logged_stack *logged)
{
	struct namer *namer = user;

	namer->wanted += is_wanted(namer, logged);
	return 0;
}

static int note_stack(void *user, const struct scope_logged_stack *logged)
{
	struct namer *namer = user;
	const bool sample = scope_unit_logged_ran(logged);

	if (!is_wanted(namer, logged) || namer->number++ % namer->every)
		return 0;
	if (scope_grow(&namer->mark, &namer->capacity, namer->marks + 1, sizeof(*namer->mark)))
		return -ENOMEM;
	namer->mark[namer->marks] = (struct mark){
		.time_ns = sample ? logged->time_ns : logged->stack.wake_ns,
		.thread = logged->stack.thread,
		.number = (uint32_t)namer->marks,
		.sample = sample,
		.waits_for = NO_LOCK,
	};
	namer->marks++;
	return 0;
}

static int compare_times(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_numbers(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	return (a->number > b->number) - (a->number < b->number);
}

/* The first mark of the thread at that time or later. */
static size_t first_from(const struct namer *namer, uint32_t thread, uint64_t time_ns)
{
	size_t low = 0, high = namer->marks;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct mark *mark = &namer->mark[middle];

		if (mark->thread < thread || (mark->thread == thread && mark->time_ns < time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int mark_wait(void *user, struct scope_lock *lock, const struct scope_wait *wait, bool counts)
{
	struct namer *namer = user;

	for (size_t i = first_from(namer, wait->thread, wait->wake_ns);
	     counts && i < namer->marks && namer->mark[i].thread == wait->thread &&
	     namer->mark[i].time_ns == wait->wake_ns;
	     i++)
		if (!namer->mark[i].sample)
			namer->mark[i].waits_for = (uint8_t)(lock - namer->locks->lock);
	return 0;
}

static void mark_one(struct mark *mark, uint8_t lock)
{
	for (unsigned i = 0; i < mark->held; i++)
		if (mark->has[i] == lock)
			return;
	if (mark->held < NESTED && mark->waits_for != lock)
		mark->has[mark->held++] = lock;
}

static int mark_hold(void *user, struct scope_lock *lock, const struct scope_wait *wait, uint64_t from_ns, bool whole)
{
	struct namer *namer = user;
	const uint32_t thread = (uint32_t)wait->waker;

	(void)whole;
	for (size_t i = first_from(namer, thread, from_ns + 1);
	     i < namer->marks && namer->mark[i].thread == thread && namer->mark[i].time_ns <= wait->wake_ns &&
	     namer->steps < STEPS_MAX;
	     i++, namer->steps++)
		mark_one(&namer->mark[i], (uint8_t)(lock - namer->locks->lock));
	return 0;
}

static int add(struct scope_lock_sites *sites, uint32_t group, const struct scope_function *function, double ns)
{
	size_t at = 0;

	while (at < sites->count && (sites->site[at].function != function || sites->site[at].group != group))
		at++;
	if (at == sites->count) {
		if (scope_grow(&sites->site, &sites->capacity, at + 1, sizeof(*sites->site)))
			return -ENOMEM;
		sites->site[sites->count++] = (struct scope_lock_site){ .function = function, .group = group };
	}
	sites->site[at].stacks++;
	sites->site[at].share += ns;
	return 0;
}

/* Names a stack that is used, by the next mark. */
static int name_stack(void *user, const struct scope_logged_stack *logged)
{
	struct namer *namer = user;
	const struct scope_function *function;
	const struct mark *mark;
	uint32_t group;
	double ns;
	int err;

	if (!is_wanted(namer, logged) || namer->number++ % namer->every)
		return 0;
	mark = &namer->mark[namer->next++];
	if (!mark->held && mark->waits_for == NO_LOCK)
		return 0;
	group = namer->groups->of_thread[mark->thread];
	ns = mark->sample ? (double)scope_unit_logged_run_ns(namer->functions.trace, logged)
			  : (double)logged->stack.slept_ns;
	err = scope_waits_stack_function(&namer->functions, logged, &function);
	if (!err && mark->waits_for != NO_LOCK)
		err = add(&namer->locks->lock[mark->waits_for].waits_in, group, function, ns);
	for (unsigned i = 0; !err && i < mark->held; i++)
		err = add(&namer->locks->lock[mark->has[i]].held_in, group, function, ns);
	return err;
}

/* Most first; of equals by name. */
static int compare_sites(const void *left, const void *right)
{
	const struct scope_lock_site *a = left, *b = right;

	if (a->share != b->share)
		return a->share > b->share ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (!a->function || !b->function)
		return !a->function - !b->function;
	return strcmp(a->function->name, b->function->name);
}

/* Converts times to shares of their sum. */
static void divide(struct scope_lock_sites *sites)
{
	double sum = 0;

	for (size_t i = 0; i < sites->count; i++)
		sum += sites->site[i].share;
	for (size_t i = 0; i < sites->count; i++)
		sites->site[i].share = sum > 0 ? sites->site[i].share / sum : 0;
	if (sites->count)
		qsort(sites->site, sites->count, sizeof(*sites->site), compare_sites);
}

static void sort(struct namer *namer, int (*compare)(const void *, const void *))
{
	if (namer->marks)
		qsort(namer->mark, namer->marks, sizeof(*namer->mark), compare);
}

/* Notes when stacks were taken, finds the locks that they count for, and reads only the stacks with such locks. */
static int run(struct namer *namer, const struct scope_distributions *distributions)
{
	const struct scope_lock_listener listener = { .waited = mark_wait, .held = mark_hold, .user = namer };
	int err = scope_unit_log_stacks(distributions->log, count_stack, namer);

	namer->every = 1 + namer->wanted / STACKS_MAX;
	if (!err)
		err = scope_unit_log_stacks(distributions->log, note_stack, namer);
	sort(namer, compare_times);
	if (!err)
		err = scope_waits_locks_follow(namer->locks, distributions, namer->groups, &listener);
	sort(namer, compare_numbers);
	namer->number = 0;
	return err ? err : scope_unit_log_stacks(distributions->log, name_stack, namer);
}

int scope_waits_locks_name(struct scope_locks *locks, const struct scope_distributions *distributions,
			   const struct scope_groups *groups, struct scope_trace *trace, struct scope_symbols *symbols)
{
	struct namer namer = { .locks = locks, .groups = groups };
	int err;

	if (!locks->count)
		return 0;
	err = scope_waits_stack_functions_init(&namer.functions, trace, symbols);
	if (!err)
		err = run(&namer, distributions);
	scope_waits_stack_functions_free(&namer.functions);
	free(namer.mark);
	for (size_t i = 0; i < locks->count; i++) {
		divide(&locks->lock[i].waits_in);
		divide(&locks->lock[i].held_in);
	}
	return err;
}
