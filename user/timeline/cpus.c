// SPDX-License-Identifier: GPL-2.0-only
/* Remembers what ran on each CPU in the last stretches of time. */
#include "timeline/cpus.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static struct scope_cpu *cpu_of(struct scope_cpus *cpus, uint32_t cpu)
{
	if (cpu >= cpus->count) {
		if (scope_grow(&cpus->cpu, &cpus->capacity, cpu + 1ul, sizeof(*cpus->cpu)))
			return NULL;
		memset(cpus->cpu + cpus->count, 0, (cpu + 1ul - cpus->count) * sizeof(*cpus->cpu));
		cpus->count = cpu + 1ul;
	}
	return &cpus->cpu[cpu];
}

int scope_timeline_cpus_switch(struct scope_cpus *cpus, uint32_t cpu, uint32_t next_tid, uint32_t other_tid,
			       uint64_t now_ns)
{
	const uint32_t runs = next_tid ? SCOPE_CPU_OWN : other_tid ? SCOPE_CPU_TAKEN : SCOPE_CPU_IDLE;
	struct scope_cpu *at = cpu_of(cpus, cpu);

	if (!at)
		return -ENOMEM;
	if (other_tid) {
		at->taker_tid = other_tid;
		at->taker_ns = now_ns;
	}
	at->own_tid = next_tid;
	if (!at->marks || at->mark[(at->marks - 1) % SCOPE_CPU_MARKS].runs != runs)
		at->mark[at->marks++ % SCOPE_CPU_MARKS] = (struct scope_cpu_mark){ now_ns, runs };
	return 0;
}

int scope_timeline_cpus_ran(struct scope_cpus *cpus, uint32_t cpu, uint32_t other_tid, uint64_t now_ns)
{
	struct scope_cpu *at = cpu_of(cpus, cpu);
	struct scope_cpu_mark *last;

	if (!at)
		return -ENOMEM;
	last = at->marks ? &at->mark[(at->marks - 1) % SCOPE_CPU_MARKS] : NULL;
	if (last && last->runs == SCOPE_CPU_IDLE)
		last->runs = SCOPE_CPU_TAKEN;
	return scope_timeline_cpus_switch(cpus, cpu, 0, other_tid, now_ns);
}

void scope_timeline_cpus_split(const struct scope_cpus *cpus, uint32_t cpu, uint64_t begin_ns, uint64_t now_ns,
			       uint64_t *ret_ns)
{
	const uint64_t stretch_ns = now_ns > begin_ns ? now_ns - begin_ns : 0;
	const struct scope_cpu *at = cpu < cpus->count ? &cpus->cpu[cpu] : NULL;
	uint64_t end_ns = now_ns, known_ns = 0, rest_ns = stretch_ns;

	memset(ret_ns, 0, SCOPE_CPU_RUNS * sizeof(*ret_ns));
	for (uint64_t i = at ? at->marks : 0; i > 0 && at->marks - i < SCOPE_CPU_MARKS && end_ns > begin_ns; i--) {
		const struct scope_cpu_mark *mark = &at->mark[(i - 1) % SCOPE_CPU_MARKS];
		const uint64_t since_ns = mark->since_ns > begin_ns ? mark->since_ns : begin_ns;

		if (since_ns >= end_ns)
			continue;
		ret_ns[mark->runs] += end_ns - since_ns;
		known_ns += end_ns - since_ns;
		end_ns = since_ns;
	}
	for (int runs = SCOPE_CPU_OWN; runs < SCOPE_CPU_RUNS && known_ns; runs++) {
		ret_ns[runs] = (uint64_t)((double)ret_ns[runs] / (double)known_ns * (double)stretch_ns);
		rest_ns -= ret_ns[runs] < rest_ns ? ret_ns[runs] : rest_ns;
	}
	ret_ns[SCOPE_CPU_IDLE] = rest_ns;
}

uint32_t scope_timeline_cpus_taker(const struct scope_cpus *cpus, uint32_t cpu, uint64_t since_ns, uint32_t waker_tid)
{
	const struct scope_cpu *at = cpu < cpus->count ? &cpus->cpu[cpu] : NULL;

	return at && (at->taker_ns >= since_ns || at->taker_tid != waker_tid) ? at->taker_tid : 0;
}

uint32_t scope_timeline_cpus_own(const struct scope_cpus *cpus, uint32_t cpu)
{
	return cpu < cpus->count ? cpus->cpu[cpu].own_tid : 0;
}

void scope_timeline_cpus_free(struct scope_cpus *cpus)
{
	free(cpus->cpu);
	*cpus = (struct scope_cpus){ 0 };
}
