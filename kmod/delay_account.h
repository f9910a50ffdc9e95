/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arithmetic of virtual speedups: how long each thread has to wait, so that the program behaves as if some
 * code were faster.
 *
 * The code that is to look faster by a share s runs as always. Whenever it ran for t, every other thread waits
 * s·t, less the time that it waited in any case. The accounts need two clocks of delay, both in ns:
 *
 *   required   one for all: what each thread should have waited since the experiment began
 *   paid       one per thread: what it waited, or was excused from
 *
 * A thread with paid < required owes the difference. The rules, after Coz (Curtsinger and Berger,
 * SOSP 2015, section 3.4) and, for threads off the CPU, BCOZ (Ahn et al., OSDI 2024):
 *
 *   it ran in the code     credit: its paid grows. required rises to that if it is less, so threads that are in
 *                          the code at the same time do not make each other wait twice
 *   it runs elsewhere      it waits for what it owes, as soon as that is worth a sleep
 *   before it wakes        it waits for what it owes, however little: otherwise the other thread is woken too early
 *   woken by a thread      the sleeper waited as long as its waker did: it is excused from that much
 *   woken by anything else a disk or a timer waits for no thread: it owes all that was required in that
 *                          time
 *   born                   it has paid what its parent has
 *   slept too long         the excess is subtracted from what it owes next. (In Coz all others wait for it as
 *                          well; where sleeps are inexact, that never ends.)
 *
 * The experiment took as long as on the clock, less the growth of required.
 *
 * The functions use integers only, call nothing, and have no state but their arguments: user space compiles this
 * file as well, for the tests and a simulator. One thread's state is changed by one caller at a time. `required`
 * is passed as it was last read, and the result is the least value that it must have from then on.
 */
#ifndef SCOPE_KMOD_DELAY_ACCOUNT_H
#define SCOPE_KMOD_DELAY_ACCOUNT_H

#include <linux/types.h>

/* too short for a sleep, except before a wake-up */
#define SCOPE_ACCOUNT_LEAST_NS 100000ull

struct scope_account {
	__u64 paid_ns;
	__u64 blocked_at_ns; /* required as it left the CPU to wait */
	__u64 to_sample_ns;  /* time off the CPU until the next sample of it, 0: a whole period */
};

/* How many samples a stretch off the CPU is worth. */
struct scope_account_samples {
	__u64 all;	    /* that fell into it */
	__u64 blocked;	    /* of these, before the thread was woken; the others wait for a CPU */
	__u64 to_sample_ns; /* from its end to the next one */
};

/* A thread that joins, or is there as the experiment begins, owes nothing. */
static inline void scope_account_join(struct scope_account *thread, __u64 required_ns)
{
	thread->paid_ns = required_ns;
	thread->blocked_at_ns = required_ns;
	thread->to_sample_ns = 0;
}

static inline void scope_account_fork(const struct scope_account *parent, struct scope_account *child)
{
	child->paid_ns = parent->paid_ns;
	child->blocked_at_ns = parent->paid_ns;
	child->to_sample_ns = 0;
}

/* What it has paid, as other threads see it: the time that it slept too long is its own. */
static inline __u64 scope_account_shown(const struct scope_account *thread, __u64 required_ns)
{
	return thread->paid_ns < required_ns ? thread->paid_ns : required_ns;
}

/* The thread was in the code, which is worth a delay of ns for all others. Returns the new required. */
static inline __u64 scope_account_credit(struct scope_account *thread, __u64 required_ns, __u64 ns)
{
	/* The time that it slept too long is its own: the others have to wait ns more in any case. */
	const __u64 counted_ns = scope_account_shown(thread, required_ns);

	thread->paid_ns += ns;
	return counted_ns + ns > required_ns ? counted_ns + ns : required_ns;
}

/* What it owes. */
static inline __u64 scope_account_owed(const struct scope_account *thread, __u64 required_ns)
{
	return required_ns > thread->paid_ns ? required_ns - thread->paid_ns : 0;
}

/* How long it has to sleep now; waking: it is about to wake another thread. */
static inline __u64 scope_account_due(const struct scope_account *thread, __u64 required_ns, int waking)
{
	const __u64 owed_ns = scope_account_owed(thread, required_ns);

	return waking || owed_ns >= SCOPE_ACCOUNT_LEAST_NS ? owed_ns : 0;
}

/* It slept that long for a debt. Returns the new required, which is no more than before. */
static inline __u64 scope_account_pay(struct scope_account *thread, __u64 required_ns, __u64 slept_ns)
{
	thread->paid_ns += slept_ns;
	return required_ns;
}

/* It leaves the CPU to wait for something. */
static inline void scope_account_block(struct scope_account *thread, __u64 required_ns)
{
	thread->blocked_at_ns = required_ns;
}

/*
 * It was woken by a thread that had paid waker_paid_ns by then (scope_account_shown()). If the waker settled before,
 * that is all that is required. What it still owed is an error of this thread's account, and is corrected when the
 * waker pays.
 */
static inline void scope_account_woken(struct scope_account *thread, __u64 waker_paid_ns)
{
	if (waker_paid_ns > thread->blocked_at_ns)
		thread->paid_ns += waker_paid_ns - thread->blocked_at_ns;
}

/* Woken by an interrupt, a timer, or a thread that takes no part: it owes what was required during the sleep. */

/*
 * It was off the CPU for off_ns, of which it was blocked for the first blocked_ns. Samples are
 * period_ns apart in time off the CPU; the first is as far as the stretch before left it.
 */
static inline struct scope_account_samples scope_account_off_cpu(__u64 period_ns, __u64 to_sample_ns, __u64 off_ns,
								 __u64 blocked_ns)
{
	const __u64 first_ns = to_sample_ns ? to_sample_ns : period_ns;
	struct scope_account_samples samples = { 0, 0, 0 };

	if (off_ns >= first_ns)
		samples.all = 1 + (off_ns - first_ns) / period_ns;
	if (blocked_ns >= first_ns)
		samples.blocked = 1 + (blocked_ns - first_ns) / period_ns;
	samples.to_sample_ns = first_ns + samples.all * period_ns - off_ns;
	return samples;
}

/* How long the experiment would have taken if the code were as fast as it was made to look. */
static inline __u64 scope_account_effective(__u64 elapsed_ns, __u64 required_begin_ns, __u64 required_end_ns)
{
	const __u64 inserted_ns = required_end_ns - required_begin_ns;

	return elapsed_ns > inserted_ns ? elapsed_ns - inserted_ns : 0;
}

#endif
