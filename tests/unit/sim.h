/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Threads, locks, queues and barriers in simulated time, on as many CPUs as there are threads.
 *
 * A thread repeats its steps forever. Nothing is random, so the effect of a delay or a speedup on the number of
 * SIM_DONE is known exactly. Locks and queues serve in order of arrival; at equal times the thread with the lowest
 * number comes first.
 */
#ifndef TESTS_SIM_H
#define TESTS_SIM_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sim_speedup.h"

#define SIM_STEPS 12
#define SIM_THINGS 4
#define SIM_NEVER UINT64_MAX

enum sim_kind {
	SIM_END,  /* from the start again */
	SIM_WORK, /* arg: site, ns: on a CPU */
	SIM_IO,	  /* arg: site, ns: off the CPU; no thread of the program ends it */
	SIM_LOCK,
	SIM_UNLOCK, /* arg: lock */
	SIM_PUT,
	SIM_GET,  /* arg: queue, which holds sim.room at most */
	SIM_MEET, /* arg: barrier of sim.members */
	SIM_DONE, /* a visit of the progress point */
};

struct sim_step {
	enum sim_kind kind;
	int arg;
	uint64_t ns;
};

struct sim_thread {
	struct sim_step step[SIM_STEPS];
	unsigned at;
	uint64_t time_ns; /* the time at which it continues; SIM_NEVER: it waits for another thread */
	uint64_t left_ns; /* of the work begun, SIM_NEVER: none is begun */
	uint64_t since;	  /* order in which it began to wait */
	bool granted;	  /* what it waited for was done for it */
};

struct sim {
	struct sim_thread thread[SIM_THREADS];
	unsigned threads, room, members;
	bool locked[SIM_THINGS];
	unsigned filled[SIM_THINGS], met[SIM_THINGS];
	uint64_t arrivals;
	uint64_t done, visits; /* of the progress point; of the site */
	int site;	       /* that is delayed */
	uint64_t delay_ns;     /* at each of its visits */
	uint64_t served_ns;
	uint64_t now_ns;
	struct sim_speedup speedup;
};

static void sim_wait(struct sim *sim, struct sim_thread *thread)
{
	thread->time_ns = SIM_NEVER;
	thread->since = sim->arrivals++;
	sim_speedup_block(&sim->speedup, (unsigned)(thread - sim->thread));
}

/* The thread that has waited longest at such a step, or NULL. */
static struct sim_thread *sim_waiter(struct sim *sim, enum sim_kind kind, int arg)
{
	struct sim_thread *first = NULL;

	for (unsigned i = 0; i < sim->threads; i++) {
		struct sim_thread *thread = &sim->thread[i];
		const struct sim_step *step = &thread->step[thread->at];

		if (thread->time_ns == SIM_NEVER && step->kind == kind && step->arg == arg &&
		    (!first || thread->since < first->since))
			first = thread;
	}
	return first;
}

static void sim_wake(struct sim *sim, struct sim_thread *thread, unsigned waker)
{
	thread->granted = true;
	thread->time_ns = sim->now_ns;
	sim_speedup_woken(&sim->speedup, (unsigned)(thread - sim->thread), waker);
}

/* false: it has to wait. */
static bool sim_try(struct sim *sim, unsigned number, const struct sim_step *step)
{
	struct sim_thread *thread = &sim->thread[number], *other;

	if (thread->granted) {
		thread->granted = false;
		return true;
	}
	switch (step->kind) {
	case SIM_LOCK:
		if (sim->locked[step->arg])
			return false;
		sim->locked[step->arg] = true;
		return true;
	case SIM_UNLOCK:
		other = sim_waiter(sim, SIM_LOCK, step->arg);
		/* Handed over. */
		sim->locked[step->arg] = other;
		if (other)
			sim_wake(sim, other, number);
		return true;
	case SIM_PUT:
		if (sim->filled[step->arg] == sim->room)
			return false;
		other = sim_waiter(sim, SIM_GET, step->arg);
		if (other)
			sim_wake(sim, other, number);
		else
			sim->filled[step->arg]++;
		return true;
	case SIM_GET:
		if (!sim->filled[step->arg])
			return false;
		other = sim_waiter(sim, SIM_PUT, step->arg);
		if (other)
			sim_wake(sim, other, number);
		else
			sim->filled[step->arg]--;
		return true;
	case SIM_MEET:
		if (++sim->met[step->arg] < sim->members)
			return false;
		sim->met[step->arg] = 0;
		while ((other = sim_waiter(sim, SIM_MEET, step->arg)))
			sim_wake(sim, other, number);
		return true;
	default:
		return true;
	}
}

/* A slice of work or of waiting for a device; the thread stays at the step until all is done. */
static void sim_work(struct sim *sim, unsigned number, const struct sim_step *step)
{
	struct sim_thread *thread = &sim->thread[number];
	uint64_t slice;

	if (thread->left_ns == SIM_NEVER) {
		thread->left_ns = step->ns;
		if (step->arg == sim->site) {
			sim->visits++;
			if (sim->delay_ns) {
				sim->served_ns += sim->delay_ns;
				thread->time_ns += sim->delay_ns;
				return;
			}
		}
	}
	if (!thread->left_ns) {
		thread->left_ns = SIM_NEVER;
		thread->at++;
		return;
	}
	if (step->kind == SIM_IO) {
		thread->time_ns += thread->left_ns;
		sim_speedup_off_cpu(&sim->speedup, number, thread->left_ns, step->arg);
		thread->left_ns = 0;
		return;
	}
	slice = sim_speedup_slice(&sim->speedup, number, thread->left_ns);
	thread->left_ns -= slice;
	thread->time_ns += slice + sim_speedup_ran(&sim->speedup, number, slice, step->arg);
}

static void sim_step(struct sim *sim, unsigned number)
{
	struct sim_thread *thread = &sim->thread[number];
	const struct sim_step *step = &thread->step[thread->at];
	uint64_t owed;

	switch (step->kind) {
	case SIM_END:
		thread->at = 0;
		return;
	case SIM_WORK:
	case SIM_IO:
		sim_work(sim, number, step);
		return;
	default:
		break;
	}
	/* It pays what it owes before others can continue because of it, and before it is counted. */
	owed = thread->granted ? 0 : sim_speedup_settle(&sim->speedup, number);
	if (owed) {
		thread->time_ns += owed;
		return;
	}
	if (!sim_try(sim, number, step)) {
		sim_wait(sim, thread);
		return;
	}
	sim->done += step->kind == SIM_DONE;
	thread->at++;
}

/* Goes on until that time. */
static void sim_run(struct sim *sim, uint64_t until_ns)
{
	for (;;) {
		unsigned next = 0;

		for (unsigned i = 1; i < sim->threads; i++)
			if (sim->thread[i].time_ns < sim->thread[next].time_ns)
				next = i;
		if (sim->thread[next].time_ns >= until_ns)
			return;
		sim->now_ns = sim->thread[next].time_ns;
		sim_step(sim, next);
	}
}

/* Threads at the first of their steps, at time 0. */
static void sim_init(struct sim *sim, unsigned room, unsigned members)
{
	*sim = (struct sim){ .room = room, .members = members, .site = -1 };
}

#define sim_add(sim, ...)                                                                                              \
	do {                                                                                                           \
		static const struct sim_step steps[] = { __VA_ARGS__ };                                                \
		struct sim_thread *added = &(sim)->thread[(sim)->threads++];                                           \
                                                                                                                       \
		memcpy(added->step, steps, sizeof(steps));                                                             \
		added->left_ns = SIM_NEVER;                                                                            \
	} while (0)

#endif
