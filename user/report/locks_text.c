// SPDX-License-Identifier: GPL-2.0-only
/* Locks as text: which threads waited for them, who had them, in which functions, and deadlocks. */
#include "report/locks_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report/numbers.h"

#define LOCKS_SHARE 0.01 /* share of the window, by all threads together: shorter waits for locks do not matter */
#define SITES_MAX 2	 /* named in a line */
#define SITE_SHARE 0.05	 /* share of a lock's stacks: smaller ones are not named */

/* The kind of the lock, as far as calls show it. */
static const char *kind_name(enum scope_lock_kind kind)
{
	static const char *const name[SCOPE_LOCK_KINDS] = {
		[SCOPE_LOCK_MUTEX] = "mutex",
		[SCOPE_LOCK_PI_MUTEX] = "PI mutex",
		[SCOPE_LOCK_PI_CONDITION] = "condition variable with a PI mutex",
		[SCOPE_LOCK_RWLOCK] = "reader-writer lock",
		[SCOPE_LOCK_CONDITION] = "condition variable or semaphore",
		[SCOPE_LOCK_FUTEX] = "futex",
	};

	return name[kind];
}

static const struct scope_thread *thread_of(const struct scope_analysis *analysis, uint32_t thread)
{
	return scope_timeline_threads_at(analysis->units->timeline->threads, thread);
}

static const struct scope_hang *hang_of(const struct scope_analysis *analysis, uint32_t thread)
{
	for (size_t i = 0; i < analysis->hang_count; i++)
		if (analysis->hangs[i].thread == thread)
			return &analysis->hangs[i];
	return NULL;
}

size_t scope_report_deadlock_at(const struct scope_analysis *analysis, size_t at, size_t *ret_hang, size_t *ret_next)
{
	for (; at < analysis->hang_count; at++) {
		const struct scope_hang *first = &analysis->hangs[at], *hang = first;
		size_t count = 0;

		if (!first->circle)
			continue;
		/* Each circle is printed once, from the first of its threads on. */
		do {
			ret_hang[count++] = (size_t)(hang - analysis->hangs);
			hang = hang_of(analysis, hang->owner);
		} while (hang && hang > first && count < analysis->hang_count);
		if (hang != first)
			continue;
		*ret_next = at + 1;
		return count;
	}
	return 0;
}

static void print_deadlock(const struct scope_analysis *analysis, const size_t *at, size_t count, FILE *to)
{
	fputs("DEADLOCK:", to);
	for (size_t i = 0; i < count; i++) {
		const struct scope_hang *hang = &analysis->hangs[at[i]];
		const struct scope_thread *thread = thread_of(analysis, hang->thread);
		const struct scope_thread *owner = thread_of(analysis, hang->owner);

		fprintf(to, "%s %s (tid %" PRIu32 ") waits for the lock 0x%" PRIx64 ", which ", i ? ";" : "",
			thread->comm, thread->tid, hang->object);
		if (owner == thread)
			fputs("it holds itself", to);
		else
			fprintf(to, "%s (tid %" PRIu32 ") holds", owner->comm, owner->tid);
	}
	fputc('.', to);
}

/* Ends a paragraph and prints it. 0 or -ENOMEM. */
static int print_paragraph(struct scope_paragraph *line, unsigned column, unsigned width, FILE *out)
{
	char *text;
	int err = scope_report_paragraph_end(line, &text);

	if (err)
		return err;
	fprintf(out, "%*s", (int)column, "");
	scope_report_format_wrapped_to(out, text, column, column + 2, width);
	fputc('\n', out);
	free(text);
	return 0;
}

int scope_report_deadlocks_text(const struct scope_analysis *analysis, unsigned width, FILE *out, bool *ret_any)
{
	size_t *hang = calloc(analysis->hang_count + 1, sizeof(*hang));
	size_t count, next = 0;
	int err = 0;

	*ret_any = false;
	if (!hang)
		return -ENOMEM;
	while (!err && (count = scope_report_deadlock_at(analysis, next, hang, &next))) {
		struct scope_paragraph line;

		*ret_any = true;
		err = scope_report_paragraph_begin(&line);
		if (err)
			break;
		print_deadlock(analysis, hang, count, line.to);
		err = print_paragraph(&line, 2, width, out);
	}
	free(hang);
	return err;
}

/* The group of a thread. */
static const char *group_name(const struct scope_analysis *analysis, uint32_t thread)
{
	const struct scope_groups *groups = analysis->found.groups;

	return thread < groups->threads ? groups->group[groups->of_thread[thread]].name : "?";
}

/* Prints " in parse 80 %, reply 15 %"; nothing if no stack names a function. */
static void print_sites(const char *head, const struct scope_lock_sites *sites, FILE *to)
{
	unsigned printed = 0;

	for (size_t i = 0; i < sites->count && printed < SITES_MAX; i++) {
		const struct scope_lock_site *site = &sites->site[i];

		if (!site->function || site->share < SITE_SHARE)
			continue;
		fprintf(to, "%s%s %.0f %%", printed++ ? ", " : head, site->function->name, 100 * site->share);
	}
}

/* Prints "worker ×4 and 1 more". count: all threads; alike: those in the group of the thread `most`. */
static void print_threads(const struct scope_analysis *analysis, uint32_t count, uint32_t alike, uint32_t most,
			  FILE *to)
{
	fprintf(to, "%s ×%" PRIu32, group_name(analysis, most), alike);
	if (count > alike)
		fprintf(to, " and %" PRIu32 " more", count - alike);
}

/* True if a thread owns such a lock and releases it. */
static bool can_be_held(const struct scope_lock *lock)
{
	return lock->kind == SCOPE_LOCK_MUTEX || lock->kind == SCOPE_LOCK_PI_MUTEX || lock->kind == SCOPE_LOCK_RWLOCK;
}

static void print_quantiles(const struct scope_sketch *sketch, FILE *to)
{
	struct scope_text half, high;

	fprintf(to, "p50 %s, p99 %s", scope_report_format_ns(&half, scope_sketch_quantile(sketch, 0.5)),
		scope_report_format_ns(&high, scope_sketch_quantile(sketch, 0.99)));
}

static int print_lock(const struct scope_analysis *analysis, const struct scope_lock *lock, unsigned width, FILE *out)
{
	struct scope_paragraph line;
	struct scope_text ns, waits;
	int err = scope_report_paragraph_begin(&line);

	if (err)
		return err;
	fprintf(line.to, "%s 0x%" PRIx64 ": %s wait%s, %s (", kind_name(lock->kind), lock->address,
		scope_report_format_count(&waits, lock->waits), lock->waits == 1 ? "" : "s",
		scope_report_format_ns(&ns, lock->wait_ns));
	print_quantiles(&lock->wait, line.to);
	fputs("), ", line.to);
	print_threads(analysis, lock->waiters, lock->waiters_alike, lock->most_waits, line.to);
	print_sites(", in ", &lock->waits_in, line.to);
	fputs(can_be_held(lock) ? "; held by " : "; woken by ", line.to);
	if (lock->most_has == UINT32_MAX)
		fputs("nobody who was seen", line.to);
	else
		print_threads(analysis, lock->holders, lock->holders_alike, lock->most_has, line.to);
	if (can_be_held(lock) && lock->hold.total) {
		fputs(" (", line.to);
		print_quantiles(&lock->hold, line.to);
		fputc(')', line.to);
	}
	print_sites(can_be_held(lock) ? ", in " : ", which is in ", &lock->held_in, line.to);
	return print_paragraph(&line, 2, width, out);
}

int scope_report_locks_text(const struct scope_analysis *analysis, unsigned most, unsigned width, FILE *out)
{
	const struct scope_locks *locks = analysis->locks;
	struct scope_text count, ns;
	int err = 0;

	if (locks->wait_ns < LOCKS_SHARE * analysis->waits->window_ns || !locks->count)
		return 0;
	fprintf(out, "LOCKS: threads with work to do waited %s for %s futex%s\n",
		scope_report_format_ns(&ns, locks->wait_ns), scope_report_format_count(&count, locks->futexes),
		locks->futexes == 1 ? "" : "es");
	for (size_t i = 0; !err && i < locks->count && i < most; i++)
		if (locks->lock[i].wait_ns >= LOCKS_SHARE * analysis->waits->window_ns)
			err = print_lock(analysis, &locks->lock[i], width, out);
	return err;
}
