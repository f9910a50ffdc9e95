// SPDX-License-Identifier: GPL-2.0-only
/* Probes that a capture sets while it runs, watches, and removes. */
#include "capture/probing.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"

#define NS_PER_MS 1000000ull
#define QUICK_LOOKS 5u /* early looks after probes were set, so that a hot function is noticed within some ms */
#define QUICK_MS 4u

bool scope_capture_probing_can(const struct scope_source *source)
{
	return source->probe_add && source->probe_remove && source->probe_hits && source->probe_share && source->fill;
}

static void count_hits(struct scope_probing_one *one, const struct scope_source *source, void *feed)
{
	uint64_t hits;

	if (one->state == SCOPE_PROBING_SET && !source->probe_hits(feed, one->probe.id, &hits))
		one->hits = one->hits_before + hits;
}

/* Removes a probe from the code; its new state shows the reason. */
static void unset(struct scope_probing_one *one, const struct scope_source *source, void *feed,
		  enum scope_probing_state state)
{
	if (one->state == SCOPE_PROBING_SET) {
		count_hits(one, source, feed);
		source->probe_remove(feed, one->probe.id, NULL);
		one->hits_before = one->hits;
	}
	one->state = state;
}

static void give_up(struct scope_probing *probing, const struct scope_source *source, void *feed, uint32_t set,
		    enum scope_probing_state state)
{
	for (size_t i = 0; i < probing->count; i++)
		if (probing->one[i].set == set)
			unset(&probing->one[i], source, feed, state);
}

/*
 * Sets one of the probes that wait. This takes some 10 ms for each CPU, so the buffers are checked after each probe.
 * The probe on the end of a call is set before that on its entry, so that no call seems open only because of this
 * order.
 */
static void set_next(struct scope_probing *probing, const struct scope_source *source, void *feed)
{
	for (size_t i = probing->count; i--;) {
		struct scope_probing_one *one = &probing->one[i];
		int err;

		if (one->state != SCOPE_PROBING_WAITING)
			continue;
		err = source->probe_add(feed, &one->probe, &probing->why);
		if (err == -EAGAIN)
			return;
		if (err) {
			give_up(probing, source, feed, one->set, SCOPE_PROBING_REFUSED);
			continue;
		}
		one->state = SCOPE_PROBING_SET;
		one->was_set = true;
		one->hits_seen = one->hits_before;
		probing->quick = QUICK_LOOKS;
		probing->just_set = true;
		probing->set_ns = scope_now_ns();
		return;
	}
}

static void pause_all(struct scope_probing *probing, const struct scope_source *source, void *feed)
{
	for (size_t i = 0; i < probing->count; i++)
		if (probing->one[i].state == SCOPE_PROBING_SET)
			unset(&probing->one[i], source, feed, SCOPE_PROBING_WAITING);
	probing->paused = true;
	probing->pauses++;
}

/* Removes the set of probes with most hits since the last look. Returns false if no probe is set. */
static bool take_hottest_back(struct scope_probing *probing, const struct scope_source *source, void *feed)
{
	const struct scope_probing_one *hottest = NULL;

	for (size_t i = 0; i < probing->count; i++) {
		const struct scope_probing_one *one = &probing->one[i];

		if (one->state == SCOPE_PROBING_SET &&
		    (!hottest || one->hits - one->hits_seen > hottest->hits - hottest->hits_seen))
			hottest = one;
	}
	if (!hottest)
		return false;
	give_up(probing, source, feed, hottest->set, SCOPE_PROBING_TAKEN_BACK);
	/* The cost of this set must not be a reason to remove the next one. */
	probing->since_ns = probing->looked_ns;
	probing->cost_ns = 0;
	return true;
}

/*
 * True if the cost of the stretch will be above the budget at the next look, should probes continue to be hit as now.
 */
static bool will_exceed(const struct scope_probing *probing, uint32_t share)
{
	const uint64_t next_ns = SCOPE_PROBING_STEP_MS * NS_PER_MS * share / 1000;

	return probing->cost_ns + next_ns > probing->budget * (SCOPE_PROBING_BUDGET_NS / 1000);
}

/* Compares the cost with the budget, for the time since the last look and for the whole stretch. */
static void weigh(struct scope_probing *probing, const struct scope_source *source, void *feed, uint64_t now_ns)
{
	uint32_t share, all;
	uint64_t stretch_ns;

	if (source->probe_share(feed, &share))
		return;
	for (size_t i = 0; i < probing->count; i++)
		count_hits(&probing->one[i], source, feed);
	if (!probing->begun) {
		/* The cost so far is from before the first look. */
		probing->begun = true;
		probing->since_ns = probing->looked_ns = now_ns;
		return;
	}
	probing->cost_ns += (now_ns - probing->looked_ns) * share / 1000;
	probing->looked_ns = now_ns;
	stretch_ns = now_ns - probing->since_ns;
	all = (uint32_t)(1000 * probing->cost_ns /
			 (stretch_ns > SCOPE_PROBING_BUDGET_NS ? stretch_ns : SCOPE_PROBING_BUDGET_NS));
	if (all > probing->share_most)
		probing->share_most = all;
	/* `over`: this cost alone is above the budget of the stretch. */
	if (probing->budget && (share > SCOPE_PROBING_STORM_TIMES * probing->budget || will_exceed(probing, share)) &&
	    !take_hottest_back(probing, source, feed) && all > probing->budget)
		probing->over = true;
	if (stretch_ns >= SCOPE_PROBING_BUDGET_NS) {
		probing->cost_ns = 0;
		probing->since_ns = now_ns;
	}
	for (size_t i = 0; i < probing->count; i++)
		probing->one[i].hits_seen = probing->one[i].hits;
}

/* How full the fullest buffer is, in thousandths. */
static uint32_t look_at_buffers(struct scope_probing *probing, const struct scope_source *source, const void *feed,
				uint64_t now_ns)
{
	if (probing->count && probing->filled_ns && now_ns - probing->filled_ns > probing->looks_apart_ns)
		probing->looks_apart_ns = now_ns - probing->filled_ns;
	probing->filled_ns = now_ns;
	return source->fill(feed);
}

void scope_capture_probing_step(struct scope_probing *probing, const struct scope_source *source, void *feed,
				uint64_t now_ns)
{
	uint32_t fill;
	bool looks_only;

	if (probing->ended)
		return;
	fill = look_at_buffers(probing, source, feed, now_ns);
	if (now_ns < probing->next_ns && fill <= SCOPE_PROBING_PAUSE_FILL)
		return;
	/* Probes that are too costly are removed before a pause, because after the pause they would be set again. */
	weigh(probing, source, feed, now_ns);
	if (fill > SCOPE_PROBING_PAUSE_FILL && !probing->paused)
		pause_all(probing, source, feed);
	if (fill < SCOPE_PROBING_RESUME_FILL)
		probing->paused = false;
	looks_only = probing->just_set;
	probing->just_set = false;
	if (!probing->paused && !looks_only)
		set_next(probing, source, feed);
	probing->next_ns = now_ns;
	if (!looks_only && !probing->just_set)
		probing->next_ns += (probing->quick ? QUICK_MS : SCOPE_PROBING_STEP_MS) * NS_PER_MS;
	probing->quick -= probing->quick > 0;
}

void scope_capture_probing_end(struct scope_probing *probing, const struct scope_source *source, void *feed)
{
	for (size_t i = 0; i < probing->count; i++)
		count_hits(&probing->one[i], source, feed);
	probing->ended = true;
}

bool scope_capture_probing_kernel(const struct scope_source *source)
{
	/*
	 * The module accepts such probes, and refuses one if the kernel cannot set it. For perf events the kernel must
	 * have a unit for them.
	 */
	return !strcmp(source->name, "kmod") || !access("/sys/bus/event_source/devices/kprobe/type", F_OK);
}
