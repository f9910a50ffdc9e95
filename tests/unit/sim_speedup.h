/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Virtual speedups for simulated threads (sim.h), by the module's own accounts: samples at fixed steps of each
 * thread's time on and off the CPU, as its timers would take them.
 *
 * If the period is 0, the functions do nothing.
 */
#ifndef TESTS_SIM_SPEEDUP_H
#define TESTS_SIM_SPEEDUP_H

#include <stdint.h>

#include "../../kmod/delay_account.h"

#define SIM_THREADS 8

struct sim_speedup {
	uint64_t period_ns; /* of samples; 0: no speedup */
	uint64_t worth_ns;  /* of a sample in the site: the time for which the others have to wait */
	int site;
	uint64_t required_ns;
	uint64_t ran_ns[SIM_THREADS]; /* since its last sample on a CPU */
	struct scope_account account[SIM_THREADS];
};

static void sim_speedup_block(struct sim_speedup *speedup, unsigned number)
{
	scope_account_block(&speedup->account[number], speedup->required_ns);
}

static void sim_speedup_woken(struct sim_speedup *speedup, unsigned number, unsigned waker)
{
	if (speedup->period_ns)
		scope_account_woken(&speedup->account[number], speedup->account[waker].paid_ns);
}

/* How much of the next ns until a sample is due. */
static uint64_t sim_speedup_slice(const struct sim_speedup *speedup, unsigned number, uint64_t ns)
{
	const uint64_t left_ns = speedup->period_ns - speedup->ran_ns[number];

	return speedup->period_ns && left_ns < ns ? left_ns : ns;
}

/* Sleeps for what it owes. Returns how long it slept. */
static uint64_t sim_speedup_pay(struct sim_speedup *speedup, unsigned number, int waking)
{
	struct scope_account *account = &speedup->account[number];
	const uint64_t due_ns = scope_account_due(account, speedup->required_ns, waking);

	if (due_ns)
		speedup->required_ns = scope_account_pay(account, speedup->required_ns, due_ns);
	return due_ns;
}

/* It ran for that time, at a site. Returns for how long it has to sleep now. */
static uint64_t sim_speedup_ran(struct sim_speedup *speedup, unsigned number, uint64_t ns, int site)
{
	if (!speedup->period_ns)
		return 0;
	speedup->ran_ns[number] += ns;
	if (speedup->ran_ns[number] < speedup->period_ns)
		return 0;
	speedup->ran_ns[number] = 0;
	if (site == speedup->site)
		speedup->required_ns =
			scope_account_credit(&speedup->account[number], speedup->required_ns, speedup->worth_ns);
	return site == speedup->site ? 0 : sim_speedup_pay(speedup, number, 0);
}

/* It was off the CPU for a device, at a site. */
static void sim_speedup_off_cpu(struct sim_speedup *speedup, unsigned number, uint64_t ns, int site)
{
	struct scope_account *account = &speedup->account[number];
	struct scope_account_samples samples;

	if (!speedup->period_ns)
		return;
	samples = scope_account_off_cpu(speedup->period_ns, account->to_sample_ns, ns, ns);
	account->to_sample_ns = samples.to_sample_ns;
	if (site == speedup->site)
		speedup->required_ns =
			scope_account_credit(account, speedup->required_ns, samples.blocked * speedup->worth_ns);
}

static uint64_t sim_speedup_settle(struct sim_speedup *speedup, unsigned number)
{
	return speedup->period_ns ? sim_speedup_pay(speedup, number, 1) : 0;
}

#endif
