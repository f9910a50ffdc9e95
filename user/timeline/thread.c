// SPDX-License-Identifier: GPL-2.0-only
/* The threads of a trace: names, processes, and where each one's time went so far. */
#include "timeline/thread.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

int scope_timeline_threads_create(struct scope_threads **ret_threads)
{
	struct scope_threads *threads = calloc(1, sizeof(*threads));

	if (!threads)
		return -ENOMEM;
	threads->slots = 1024;
	/* An empty place has thread 0, which is in no table. */
	for (size_t i = 0; i < SCOPE_THREADS_RECENT; i++)
		threads->recent[i].index = -1;
	threads->slot = calloc(threads->slots, sizeof(*threads->slot));
	if (!threads->slot) {
		free(threads);
		return -ENOMEM;
	}
	*ret_threads = threads;
	return 0;
}

void scope_timeline_threads_destroy(struct scope_threads *threads)
{
	if (!threads)
		return;
	for (size_t i = 0; i < threads->count; i++)
		scope_timeline_waker_queue_free(&threads->thread[i].waker_queue);
	free(threads->thread);
	free(threads->slot);
	free(threads);
}

static struct scope_thread_slot *find_slot(const struct scope_thread_slot *table, size_t slots, uint32_t tid)
{
	size_t at = (tid * 2654435761u) & (slots - 1);

	while (table[at].tid && table[at].tid != tid)
		at = (at + 1) & (slots - 1);
	return (struct scope_thread_slot *)&table[at];
}

long scope_timeline_threads_find(const struct scope_threads *threads, uint32_t tid)
{
	const struct scope_thread_slot *slot = find_slot(threads->slot, threads->slots, tid);

	return slot->tid && slot->index >= 0 ? slot->index : -ENOENT;
}

static int widen(struct scope_threads *threads)
{
	size_t slots = threads->slots * 2;
	struct scope_thread_slot *table = calloc(slots, sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (size_t i = 0; i < threads->slots; i++)
		if (threads->slot[i].tid)
			*find_slot(table, slots, threads->slot[i].tid) = threads->slot[i];
	free(threads->slot);
	threads->slot = table;
	threads->slots = slots;
	return 0;
}

static void note_recent(struct scope_threads *threads, uint32_t tid, int32_t index)
{
	threads->recent[tid % SCOPE_THREADS_RECENT] = (struct scope_thread_slot){ tid, index };
}

static int set_slot(struct scope_threads *threads, uint32_t tid, int32_t index)
{
	struct scope_thread_slot *slot;

	if (threads->used * 2 >= threads->slots && widen(threads))
		return -ENOMEM;
	slot = find_slot(threads->slot, threads->slots, tid);
	if (!slot->tid) {
		slot->tid = tid;
		threads->used++;
	}
	slot->index = index;
	note_recent(threads, tid, index);
	return 0;
}

long scope_timeline_threads_get(struct scope_threads *threads, uint32_t tid)
{
	long index = scope_timeline_threads_find(threads, tid);
	struct scope_thread *thread;

	if (index >= 0) {
		note_recent(threads, tid, (int32_t)index);
		return index;
	}
	if (scope_grow(&threads->thread, &threads->capacity, threads->count + 1, sizeof(*thread)) ||
	    set_slot(threads, tid, threads->count))
		return -ENOMEM;
	thread = &threads->thread[threads->count];
	*thread = (struct scope_thread){
		.index = threads->count, .tid = tid, .tgid = tid, .open.nr = SCOPE_NR_NONE, .comm = "?"
	};
	return threads->count++;
}

void scope_timeline_threads_forget(struct scope_threads *threads, uint32_t tid)
{
	struct scope_thread_slot *slot = find_slot(threads->slot, threads->slots, tid);

	if (slot->tid)
		slot->index = -1;
	note_recent(threads, tid, -1);
}

int scope_timeline_threads_rename(struct scope_threads *threads, uint32_t old_tid, uint32_t tid)
{
	long index = scope_timeline_threads_find(threads, old_tid);

	if (index < 0 || old_tid == tid)
		return 0;
	scope_timeline_threads_forget(threads, old_tid);
	threads->thread[index].tid = tid;
	return set_slot(threads, tid, index);
}

void scope_timeline_thread_account_idle(struct scope_thread *thread, uint64_t passed_ns)
{
	struct scope_account *account = &thread->account;

	if (thread->run == SCOPE_RUN_QUEUED) {
		account->queue_ns += passed_ns;
	} else if (thread->run == SCOPE_RUN_BLOCKED) {
		account->blocked_ns[thread->wait] += passed_ns;
		account->asleep_ns += passed_ns;
	} else {
		account->unknown_ns += passed_ns;
	}
}

uint64_t scope_timeline_account_wall(const struct scope_account *account)
{
	return account->run_ns + account->queue_ns + account->asleep_ns + account->unknown_ns;
}

uint64_t scope_timeline_thread_unexplained(const struct scope_thread *thread)
{
	const uint64_t own_ns = thread->account.run_ns;
	uint64_t kernel_ns;

	if (!thread->stopped || !thread->stop_run_ns || (!thread->start_run_ns && !thread->is_new) ||
	    thread->stop_run_ns < thread->start_run_ns)
		return thread->account.unknown_ns;
	kernel_ns = thread->stop_run_ns - thread->start_run_ns;
	return thread->account.unknown_ns + (kernel_ns > own_ns ? kernel_ns - own_ns : own_ns - kernel_ns);
}
