// SPDX-License-Identifier: GPL-2.0-only
/* The threads of a trace: names, processes, and where each one's time went so far. */
#include "timeline/thread.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"

struct slot {
	uint32_t tid; /* 0: empty */
	int32_t index; /* -1: forgotten */
};

struct scope_threads {
	struct scope_thread *thread;
	size_t count, capacity;
	struct slot *slot; /* open addressing by tid, a power of two of slots, at most half full */
	size_t slots, used;
};

int scope_threads_create(struct scope_threads **ret_threads)
{
	struct scope_threads *threads = calloc(1, sizeof(*threads));

	if (!threads)
		return -ENOMEM;
	threads->slots = 1024;
	threads->slot = calloc(threads->slots, sizeof(*threads->slot));
	if (!threads->slot) {
		free(threads);
		return -ENOMEM;
	}
	*ret_threads = threads;
	return 0;
}

void scope_threads_destroy(struct scope_threads *threads)
{
	if (!threads)
		return;
	free(threads->thread);
	free(threads->slot);
	free(threads);
}

size_t scope_threads_count(const struct scope_threads *threads)
{
	return threads->count;
}

struct scope_thread *scope_threads_at(struct scope_threads *threads, size_t index)
{
	return &threads->thread[index];
}

static struct slot *find_slot(const struct slot *table, size_t slots, uint32_t tid)
{
	size_t at = (tid * 2654435761u) & (slots - 1);

	while (table[at].tid && table[at].tid != tid)
		at = (at + 1) & (slots - 1);
	return (struct slot *)&table[at];
}

long scope_threads_find(const struct scope_threads *threads, uint32_t tid)
{
	const struct slot *slot = find_slot(threads->slot, threads->slots, tid);

	return slot->tid && slot->index >= 0 ? slot->index : -ENOENT;
}

static int widen(struct scope_threads *threads)
{
	size_t slots = threads->slots * 2;
	struct slot *table = calloc(slots, sizeof(*table));

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

static int set_slot(struct scope_threads *threads, uint32_t tid, int32_t index)
{
	struct slot *slot;

	if (threads->used * 2 >= threads->slots && widen(threads))
		return -ENOMEM;
	slot = find_slot(threads->slot, threads->slots, tid);
	if (!slot->tid) {
		slot->tid = tid;
		threads->used++;
	}
	slot->index = index;
	return 0;
}

long scope_threads_get(struct scope_threads *threads, uint32_t tid)
{
	long index = scope_threads_find(threads, tid);
	struct scope_thread *thread;

	if (index >= 0)
		return index;
	if (scope_grow(&threads->thread, &threads->capacity, threads->count + 1, sizeof(*thread)) ||
	    set_slot(threads, tid, threads->count))
		return -ENOMEM;
	thread = &threads->thread[threads->count];
	*thread = (struct scope_thread){
		.tid = tid, .tgid = tid, .open.nr = SCOPE_NR_NONE, .comm = "?"};
	return threads->count++;
}

void scope_threads_forget(struct scope_threads *threads, uint32_t tid)
{
	struct slot *slot = find_slot(threads->slot, threads->slots, tid);

	if (slot->tid)
		slot->index = -1;
}

int scope_threads_rename(struct scope_threads *threads, uint32_t old_tid, uint32_t tid)
{
	long index = scope_threads_find(threads, old_tid);

	if (index < 0 || old_tid == tid)
		return 0;
	scope_threads_forget(threads, old_tid);
	threads->thread[index].tid = tid;
	return set_slot(threads, tid, index);
}

void scope_thread_account(struct scope_thread *thread, uint64_t now_ns)
{
	struct scope_account *account = &thread->account;
	uint64_t passed;

	if (now_ns <= thread->since_ns)
		return;
	passed = now_ns - thread->since_ns;
	switch (thread->run) {
	case SCOPE_RUN_RUNNING:
		account->run_ns += passed;
		break;
	case SCOPE_RUN_QUEUED:
		account->queue_ns += passed;
		break;
	case SCOPE_RUN_BLOCKED:
		account->blocked_ns[thread->wait] += passed;
		break;
	case SCOPE_RUN_UNKNOWN:
		account->unknown_ns += passed;
		break;
	case SCOPE_RUN_ENDED:
		return;
	}
	thread->since_ns = now_ns;
}

uint64_t scope_account_blocked(const struct scope_account *account)
{
	uint64_t sum = 0;

	for (int class = 0; class < SCOPE_WAIT_CLASSES; class++)
		sum += account->blocked_ns[class];
	return sum;
}

uint64_t scope_account_wall(const struct scope_account *account)
{
	return account->run_ns + account->queue_ns + scope_account_blocked(account) +
	       account->unknown_ns;
}
