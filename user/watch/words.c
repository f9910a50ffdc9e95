// SPDX-License-Identifier: GPL-2.0-only
/* Makes the sentences of a watch about a finding. */
#include "watch/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/duration.h"

void scope_watch_words_date(uint64_t at_ns, char ret_date[SCOPE_WATCH_DATE])
{
	struct timespec wall, steady;
	char date[32];
	struct tm utc;
	int64_t ns;
	time_t seconds;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_MONOTONIC, &steady);
	ns = ((int64_t)wall.tv_sec - steady.tv_sec) * 1000000000 + (wall.tv_nsec - steady.tv_nsec) + (int64_t)at_ns;
	seconds = (time_t)(ns / 1000000000);
	gmtime_r(&seconds, &utc);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(ret_date, SCOPE_WATCH_DATE, "%s.%03dZ", date, (int)(ns % 1000000000 / 1000000));
}

static const char *plural(uint32_t count)
{
	return count == 1 ? "" : "s";
}

void scope_watch_words_incident(const struct scope_watch_next *next, uint64_t now_ns, char ret_text[SCOPE_WATCH_WORDS])
{
	const uint64_t began_ns = next->finding.began_ns;
	char began[SCOPE_WATCH_DATE], ago[SCOPE_DURATION_TEXT], again[160] = "";

	scope_watch_words_date(began_ns, began);
	if (next->begins)
		snprintf(again, sizeof(again),
			 "; it was an incident %s ago, and was held back %" PRIu32 " time%s since",
			 scope_duration_write(ago, now_ns - next->since_ns), next->begins, plural(next->begins));
	snprintf(ret_text, SCOPE_WATCH_WORDS, "incident: %s; since %s, %.1f s ago%s", next->finding.sentence, began,
		 now_ns > began_ns ? (double)(now_ns - began_ns) / 1e9 : 0.0, again);
}

void scope_watch_words_held(const struct scope_watch_next *next, uint64_t now_ns, char ret_text[SCOPE_WATCH_WORDS])
{
	char wait[SCOPE_DURATION_TEXT], ago[SCOPE_DURATION_TEXT], began[SCOPE_WATCH_DATE], why[96] = "--min-interval";

	scope_watch_words_date(next->finding.began_ns, began);
	if (next->since_ns)
		snprintf(why, sizeof(why), "back %" PRIu32 " time%s since it was an incident %s ago", next->begins,
			 plural(next->begins), scope_duration_write(ago, now_ns - next->since_ns));
	snprintf(ret_text, SCOPE_WATCH_WORDS, "held back for %s (%s): %s; since %s",
		 scope_duration_write(wait, next->wait_ns), why, next->finding.sentence, began);
}
