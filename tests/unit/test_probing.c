// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes of a capture: when they are set, when none may be set, and which are removed; with a source that only counts.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "capture/probing.h"

#define MS 1000000ull
#define PROBES 4

struct fake {
	bool set[PROBES + 1];	   /* by id */
	uint64_t hits[PROBES + 1]; /* since it was set */
	unsigned adds, removes, order[8], ordered;
	uint32_t share, fill, hot_share; /* hot_share: in addition, while probe 3 is set */
	uint16_t refuse;		 /* this id */
	bool going;			 /* one that was removed is not gone yet */
};

static int add(void *feed, const struct scope_probe *probe, struct scope_error *error)
{
	struct fake *fake = feed;

	if (fake->going)
		return scope_error_set(error, -EAGAIN, "a probe that was removed is in the code yet");
	if (probe->id == fake->refuse)
		return scope_error_set(error, -EINVAL, "no instruction begins there");
	assert_false(fake->set[probe->id]);
	fake->set[probe->id] = true;
	fake->hits[probe->id] = 0;
	if (fake->ordered < 8)
		fake->order[fake->ordered++] = probe->id;
	fake->adds++;
	return 0;
}

static int remove_one(void *feed, uint16_t id, struct scope_error *error)
{
	struct fake *fake = feed;

	(void)error;
	assert_true(fake->set[id]);
	fake->set[id] = false;
	fake->removes++;
	return 0;
}

static int hits(void *feed, uint16_t id, uint64_t *ret_hits)
{
	const struct fake *fake = feed;

	*ret_hits = fake->hits[id];
	return 0;
}

static int share(void *feed, uint32_t *ret_thousandths)
{
	const struct fake *fake = feed;

	*ret_thousandths = fake->share + (fake->set[3] ? fake->hot_share : 0);
	return 0;
}

static uint32_t fill(const void *feed)
{
	return ((const struct fake *)feed)->fill;
}

static const struct scope_source source = {
	.name = "fake",
	.probe_add = add,
	.probe_remove = remove_one,
	.probe_hits = hits,
	.probe_share = share,
	.fill = fill,
};

/* Two functions of two probes each: 1 and 2, 3 and 4. */
struct run {
	struct fake fake;
	struct scope_probing probing;
	struct scope_probing_one one[PROBES];
	uint64_t now;
};

static void begin(struct run *run, uint32_t budget)
{
	*run = (struct run){ .now = 1000 * MS };
	for (uint16_t i = 0; i < PROBES; i++)
		run->one[i] = (struct scope_probing_one){ .probe = { .id = (uint16_t)(i + 1) }, .set = i / 2 };
	run->probing = (struct scope_probing){ .one = run->one, .count = PROBES, .budget = budget };
}

static unsigned set_of(const struct run *run)
{
	unsigned count = 0;

	for (unsigned id = 1; id <= PROBES; id++)
		count += run->fake.set[id];
	return count;
}

/* Looks as often as a capture that sleeps until the next look is due; what is set comes hot times a ms. */
static void go(struct run *run, uint64_t ms, uint16_t hot)
{
	for (const uint64_t end = run->now + ms * MS; run->now < end; run->now += MS) {
		if (hot && run->fake.set[hot])
			run->fake.hits[hot] += 1000;
		if (run->now >= run->probing.next_ns)
			scope_capture_probing_step(&run->probing, &source, &run->fake, run->now);
	}
}

/* The end of a call has its probe before the entry has, so that no call seems to be open. */
static void sets_ends_first(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	go(&run, 8, 0);
	assert_int_equal(set_of(&run), PROBES);
	for (unsigned i = 0; i < PROBES; i++) {
		assert_int_equal(run.fake.order[i], PROBES - i);
		assert_true(run.one[i].was_set);
	}
}

/* From half full on no probe is set, seen within 100 ms, and they come back below a quarter; hits go on counting. */
static void pauses(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	go(&run, 300, 0);
	run.fake.hits[1] = 7;
	run.fake.fill = SCOPE_PROBING_PAUSE_FILL;
	go(&run, 200, 0);
	assert_int_equal(set_of(&run), PROBES);
	run.fake.fill = SCOPE_PROBING_PAUSE_FILL + 1;
	go(&run, 100, 0);
	assert_int_equal(set_of(&run), 0);
	assert_int_equal(run.probing.pauses, 1);
	run.fake.fill = SCOPE_PROBING_RESUME_FILL;
	go(&run, 500, 0);
	assert_int_equal(set_of(&run), 0);
	assert_int_equal(run.fake.adds, PROBES);
	run.fake.fill = SCOPE_PROBING_RESUME_FILL - 1;
	go(&run, 100, 0);
	assert_int_equal(set_of(&run), PROBES);
	run.fake.hits[1] = 3;
	scope_capture_probing_end(&run.probing, &source, &run.fake);
	assert_int_equal(run.one[0].hits, 10);
	assert_int_equal(run.probing.pauses, 1);
}

/* A look that comes early, because events do, sees a full buffer as well. */
static void pauses_at_any_look(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	go(&run, 305, 0);
	run.fake.fill = 1000;
	assert_true(run.now + 1 < run.probing.next_ns);
	scope_capture_probing_step(&run.probing, &source, &run.fake, run.now + 1);
	assert_int_equal(set_of(&run), 0);
}

/* While the kernel takes probes out of the code none can be set; that is no refusal. */
static void waits_for_what_goes(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	go(&run, 300, 0);
	run.fake.fill = SCOPE_PROBING_PAUSE_FILL + 1;
	run.fake.going = true;
	go(&run, 20, 0);
	run.fake.fill = 0;
	go(&run, 300, 0);
	assert_int_equal(set_of(&run), 0);
	run.fake.going = false;
	go(&run, 20, 0);
	assert_int_equal(set_of(&run), PROBES);
}

/* The longest time between two looks is that for which a full buffer may not have been seen. */
static void measures_how_often_it_looks(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	go(&run, 300, 0);
	assert_int_equal(run.probing.looks_apart_ns, SCOPE_PROBING_STEP_MS * MS);
	scope_capture_probing_step(&run.probing, &source, &run.fake, run.now + 170 * MS);
	assert_in_range(run.probing.looks_apart_ns, 170 * MS, 190 * MS);
	begin(&run, 50);
	run.probing.count = 0;
	go(&run, 300, 0);
	assert_int_equal(run.probing.looks_apart_ns, 0);
}

/* With a buffer that is full from the beginning none is ever set, and none counts as one that was. */
static void sets_none_while_full(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	run.fake.fill = 900;
	go(&run, 3000, 0);
	assert_int_equal(run.fake.adds, 0);
	for (unsigned i = 0; i < PROBES; i++)
		assert_true(run.one[i].state == SCOPE_PROBING_WAITING && !run.one[i].was_set);
}

/* A storm: the function with most hits goes within some ms, with both probes, for good, and the other one stays. */
static void takes_a_storm_back(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	go(&run, 8, 0);
	run.fake.hot_share = 50 * SCOPE_PROBING_STORM_TIMES + 1;
	go(&run, 12, 3);
	assert_true(run.fake.set[1] && run.fake.set[2] && !run.fake.set[3] && !run.fake.set[4]);
	assert_int_equal(run.one[2].state, SCOPE_PROBING_TAKEN_BACK);
	run.fake.fill = 900;
	go(&run, 200, 0);
	run.fake.fill = 0;
	go(&run, 2000, 0);
	assert_true(run.fake.set[1] && run.fake.set[2] && !run.fake.set[3] && !run.fake.set[4]);
	assert_false(run.probing.over);
}

/* A cost that stays above the budget takes one function after the other, and then says that it was not these. */
static void keeps_the_budget(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	run.fake.share = 40;
	go(&run, 5000, 1);
	assert_int_equal(set_of(&run), PROBES);
	run.fake.share = 60;
	go(&run, 1100, 1);
	assert_true(!run.fake.set[1] && !run.fake.set[2] && run.fake.set[3]);
	go(&run, 900, 0);
	assert_int_equal(set_of(&run), 0);
	assert_false(run.probing.over);
	go(&run, 1500, 0);
	assert_true(run.probing.over);
	assert_in_range(run.probing.share_most, 51, 60);
}

/* A place that the kernel refuses takes the other probes of its function with it. */
static void gives_up_what_is_refused(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	run.fake.refuse = 3;
	go(&run, 200, 0);
	assert_true(run.fake.set[1] && run.fake.set[2] && !run.fake.set[3] && !run.fake.set[4]);
	assert_int_equal(run.one[2].state, SCOPE_PROBING_REFUSED);
	assert_int_equal(run.one[3].state, SCOPE_PROBING_REFUSED);
	assert_true(!run.one[2].was_set);
	assert_string_equal(run.probing.why.text, "no instruction begins there");
}

/* After the end nothing is set any more, whatever the buffers have room for. */
static void sets_none_after_the_end(void **state)
{
	struct run run;

	(void)state;
	begin(&run, 50);
	run.fake.fill = 900;
	go(&run, 100, 0);
	scope_capture_probing_end(&run.probing, &source, &run.fake);
	run.fake.fill = 0;
	go(&run, 500, 0);
	assert_int_equal(run.fake.adds, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_ends_first),	    cmocka_unit_test(pauses),
		cmocka_unit_test(pauses_at_any_look),	    cmocka_unit_test(measures_how_often_it_looks),
		cmocka_unit_test(waits_for_what_goes),	    cmocka_unit_test(sets_none_while_full),
		cmocka_unit_test(takes_a_storm_back),	    cmocka_unit_test(keeps_the_budget),
		cmocka_unit_test(gives_up_what_is_refused), cmocka_unit_test(sets_none_after_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
