// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes changed copies of real summaries: of a host whose clock is wrong, or of other hosts that are like it.
 *
 * Usage: fleet_replay skew FROM TO OFFSET_US PPM     the clock is ahead by that at the begin, and drifts by PPM
 *        fleet_replay copy FROM TO HOST SEED         another host's: a little faster or slower, without a few of the seconds
 * Each appends all summaries of FROM to TO.
 */
#include <fcntl.h>
#include <unistd.h>

#include "../unit/fleet_hosts.h"
#include "fleet/summary_file.h"

struct change {
	int to;
	const char *host; /* NULL: skew */
	uint64_t random;
	double offset_us, ppm;
};

static uint64_t later(const struct change *change, const struct scope_fleet_summary *summary, uint64_t us)
{
	const double since_us = (double)((int64_t)us - (int64_t)summary->from_us);

	return us + (uint64_t)(int64_t)llround(change->offset_us + since_us * change->ppm / 1e6);
}

static void skew(const struct change *change, struct scope_fleet_summary *summary)
{
	const int64_t step_s = (int64_t)summary->step_s;
	const int64_t s = (int64_t)(change->offset_us / 1e6) / step_s * step_s;
	const uint64_t from_us = later(change, summary, summary->from_us),
		       to_us = later(change, summary, summary->to_us);

	for (size_t i = 0; i < summary->exchanges; i++)
		summary->exchange[i].at_us = later(change, summary, summary->exchange[i].at_us);
	for (size_t i = 0; i < summary->findings; i++) {
		summary->finding[i].since_us = later(change, summary, summary->finding[i].since_us);
		summary->finding[i].last_us = later(change, summary, summary->finding[i].last_us);
	}
	for (size_t i = 0; i < summary->seconds; i++)
		summary->second[i].at_s += (uint64_t)s;
	for (size_t i = 0; i < summary->excesses; i++)
		summary->excess[i].at_s += (uint64_t)s;
	summary->from_us = from_us;
	summary->to_us = to_us;
	/* Rows are of whole seconds, which the window must still have. */
	for (size_t i = 0; i < summary->seconds; i++) {
		const uint64_t at_us = summary->second[i].at_s * 1000000;

		summary->to_us = at_us > summary->to_us ? at_us : summary->to_us;
		if (summary->from_us >= at_us + summary->step_s * 1000000)
			summary->from_us = at_us;
	}
}

static void copy(struct change *change, struct scope_fleet_summary *summary)
{
	/* Buckets are 6 % apart. */
	const uint64_t faster = fleet_random(&change->random) % 3;
	size_t kept = 0;

	if (scope_fleet_names_add(&summary->names, change->host, &summary->host))
		abort();
	summary->capture[0] = fleet_random(&change->random);
	summary->capture[1] = fleet_random(&change->random);
	for (size_t i = 0; i < summary->seconds; i++) {
		struct scope_fleet_second *row = &summary->second[i];

		if (fleet_chance(&change->random) < 0.05) {
			scope_fleet_coarse_free(&row->wall);
			continue;
		}
		for (size_t k = 0; k < row->wall.count; k++)
			if (faster && row->wall.at[0].bucket)
				row->wall.at[k].bucket += faster == 2 ? 1 : -1;
		summary->second[kept++] = *row;
	}
	summary->seconds = kept;
}

static int each(void *user, const struct scope_fleet_summary *summary)
{
	/* It is this program's own, and not used any more. */
	struct scope_fleet_summary *one = (struct scope_fleet_summary *)(uintptr_t)summary;
	struct change *change = user;

	if (change->host)
		copy(change, one);
	else
		skew(change, one);
	return scope_fleet_file_append(change->to, one);
}

int main(int argc, char **argv)
{
	struct scope_fleet_file_stats stats;
	struct scope_error error = { "" };
	struct change change = { .to = -1 };
	int from, err;

	if (argc != 6 || (strcmp(argv[1], "skew") && strcmp(argv[1], "copy"))) {
		fprintf(stderr, "Usage: fleet_replay skew FROM TO OFFSET_US PPM | copy FROM TO HOST SEED\n");
		return 2;
	}
	from = open(argv[2], O_RDONLY | O_CLOEXEC);
	change.to = open(argv[3], O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (!strcmp(argv[1], "copy")) {
		change.host = argv[4];
		change.random = strtoull(argv[5], NULL, 10) * 0x9e3779b97f4a7c15ull + 1;
		for (int i = 0; i < 8; i++)
			fleet_random(&change.random);
	} else {
		change.offset_us = strtod(argv[4], NULL);
		change.ppm = strtod(argv[5], NULL);
	}
	err = scope_fleet_file_each(from, argv[2], &error, each, &change, &stats);
	if (err || *stats.problem || !stats.summaries) {
		fprintf(stderr, "fleet_replay: %s: %s%s\n", argv[2], error.text, stats.problem);
		return 1;
	}
	return close(change.to) ? 1 : 0;
}
