// SPDX-License-Identifier: GPL-2.0-only
/* Which of many units are kept; counts and sums are those of all units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "evidence/keep.h"
#include "trace_of.h"
#include "pickups_learned.h"

#define REQUESTS 6000
#define SLOW_EVERY 10
#define USUAL_NS 100000ull
#define SLOW_NS 1000000ull

/*
 * One thread that serves requests; every tenth takes ten times as long. Another one, of a name of its own, has
 * served one before.
 */
static struct scope_trace *busy_server(void)
{
	struct scope_trace *trace;
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);
	uint64_t now = 1000;

	assert_non_null(to);
	fprintf(to, "meta begin_ns 0\nfd 10 5 epoll -\nfd 10 7 accepted -\n"
		    "fd 11 8 accepted -\n"
		    "0 0 switch 0 10 sleeping\n"
		    "1 1 comm 11 tgid=11 comm=warmer\n"
		    "10 1 syscall 11 read enter=5 ret=64 args=8\n"
		    "200 1 syscall 11 read enter=100 ret=64 args=8\n"
		    "300 1 thread_exit 11 tgid=11 last\n");
	for (int i = 0; i < REQUESTS; i++) {
		uint64_t length = i % SLOW_EVERY ? USUAL_NS + i % 7 * 1000 : SLOW_NS;

		fprintf(to, "%ju 0 syscall 10 read enter=%ju ret=64 args=7\n", (uintmax_t)now, (uintmax_t)now - 500);
		now += length;
		fprintf(to, "%ju 0 syscall 10 epoll_wait enter=%ju ret=1 args=5\n", (uintmax_t)now + 1000,
			(uintmax_t)now);
		now += 2000;
	}
	assert_int_equal(fclose(to), 0);
	trace = trace_of(text);
	free(text);
	return trace;
}

static void keep_with_room(uint64_t room, uint64_t most)
{
	struct scope_trace *trace = busy_server();
	struct scope_detection *detection;
	struct scope_pickups *pickups = NULL;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
	struct scope_kept *kept;
	uint64_t units[2] = { 0 }, sides[2] = { 0 };
	double excess_ns = 0, usual_ns = 0;

	assert_int_equal(pickups_learned(trace, &pickups), 0);
	assert_int_equal(scope_unit_groups_create(pickups, &groups), 0);
	assert_int_equal(scope_unit_distributions_run(trace, pickups, groups, NULL, &distributions), 0);
	assert_int_equal(scope_anomaly_detect_run(groups, distributions, &scope_anomaly_detect_defaults, &detection),
			 0);
	assert_int_equal(scope_evidence_keep_run(distributions, groups, detection, room, &kept), 0);
	for (size_t i = 0; i < kept->populations; i++) {
		for (int side = 0; side < 2; side++) {
			units[side] += kept->of[i].side[side].units;
			sides[side] += kept->of[i].side[side].kept;
		}
		usual_ns += kept->of[i].side[0].run_ns;
		excess_ns += kept->of[i].excess_ns;
	}
	/* Each epoll_wait ends a request, and returns into a short unit that the read ends. */
	assert_int_equal(kept->slow_units, REQUESTS / SLOW_EVERY);
	assert_int_equal(kept->slow_requests, REQUESTS / SLOW_EVERY);
	assert_int_equal(units[1], REQUESTS / SLOW_EVERY);
	assert_true(excess_ns > 0.99 * REQUESTS / SLOW_EVERY * (SLOW_NS - USUAL_NS - 3000));
	assert_true(excess_ns < 1.01 * REQUESTS / SLOW_EVERY * (SLOW_NS - USUAL_NS));
	assert_true(sides[0] <= most && sides[1] <= most);
	assert_true(sides[0] >= most / 4 || sides[0] == units[0]);
	assert_int_equal(kept->units->count, sides[0] + sides[1]);
	for (size_t i = 0; i < kept->units->count; i++)
		if (!kept->mark[i])
			usual_ns -= kept->units->unit[i].run_ns;
	assert_true(usual_ns == 0);
	scope_evidence_kept_destroy(kept);
	scope_anomaly_detection_destroy(detection);
	scope_unit_distributions_destroy(distributions);
	scope_unit_groups_destroy(groups);
	scope_unit_pickups_destroy(pickups);
	scope_trace_close(trace);
}

static void all_are_kept_where_there_is_room(void **state)
{
	(void)state;
	keep_with_room(SCOPE_KEEP_UNITS, SCOPE_KEEP_UNITS);
}

static void few_are_kept_where_there_is_little(void **state)
{
	(void)state;
	keep_with_room(100, 110);
}

/* Of the last third nothing is lost, and nothing else is counted; of one group nothing is left. */
static void what_came_before_is_forgotten(void **state)
{
	struct scope_trace *trace = busy_server();
	struct scope_detection *detection;
	struct scope_pickups *pickups = NULL;
	struct scope_groups *groups;
	struct scope_distributions *distributions;
	struct scope_kept *kept;
	uint64_t end_ns, from_ns;

	(void)state;
	assert_int_equal(pickups_learned(trace, &pickups), 0);
	assert_int_equal(scope_unit_groups_create(pickups, &groups), 0);
	assert_int_equal(scope_unit_distributions_run(trace, pickups, groups, NULL, &distributions), 0);
	assert_int_equal(scope_unit_distributions_part(distributions, groups, 0, NULL), 0);
	assert_true(distributions->requests >= REQUESTS);
	end_ns = distributions->run->timeline->end_ns;
	from_ns = end_ns - end_ns / 3;
	assert_int_equal(scope_unit_distributions_part(distributions, groups, from_ns, NULL), 0);
	assert_int_equal(distributions->run->timeline->begin_ns, from_ns);
	assert_in_range(distributions->units, REQUESTS / 3 - SLOW_EVERY, REQUESTS / 3 + SLOW_EVERY);
	assert_int_equal(distributions->requests, distributions->units);
	assert_int_equal(groups->count, 2);
	assert_true(!distributions->group[0].units != !distributions->group[1].units);
	assert_true(distributions->busy_ns > 0.95 * end_ns / 3 && distributions->busy_ns <= 1.001 * end_ns / 3);
	assert_int_equal(scope_anomaly_detect_run(groups, distributions, &scope_anomaly_detect_defaults, &detection),
			 0);
	assert_int_equal(scope_evidence_keep_run(distributions, groups, detection, SCOPE_KEEP_UNITS, &kept), 0);
	assert_in_range(kept->slow_units, REQUESTS / SLOW_EVERY / 3 - 1, REQUESTS / SLOW_EVERY / 3 + 1);
	for (size_t i = 0; i < kept->units->count; i++)
		assert_true(kept->units->unit[i].end_ns >= from_ns);
	scope_evidence_kept_destroy(kept);
	scope_anomaly_detection_destroy(detection);
	scope_unit_distributions_destroy(distributions);
	scope_unit_groups_destroy(groups);
	scope_unit_pickups_destroy(pickups);
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_kept_where_there_is_room),
		cmocka_unit_test(few_are_kept_where_there_is_little),
		cmocka_unit_test(what_came_before_is_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
