/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a watch has found, so that each finding becomes one incident.
 *
 * A finding is its function. It is an incident when it is first found, and again when it goes from slow to stuck, or
 * is found after it was absent for as long as the flight recorder's memory reaches back: then it began again. A
 * finding in which the analysis has low confidence has to be found twice in a row. At least min_interval_ns lies
 * between two incidents. One that comes back is an incident only min_interval_ns after it was the last time, then after twice that,
 * and so on, up to an hour; it is new once it was absent for an hour. What has to wait is returned once as such, and is an
 * incident later if it is still found. Bounded: SCOPE_WATCH_SEEN_MAX findings, the one found
 * longest ago gives way, and SCOPE_WATCH_KNOWN_MAX patterns.
 *
 * All times are CLOCK_MONOTONIC, in ns.
 */
#ifndef SCOPE_WATCH_SEEN_H
#define SCOPE_WATCH_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define SCOPE_WATCH_FINDINGS 8
#define SCOPE_WATCH_OUTSIDE "[outside the program]" /* instead of a function */
#define SCOPE_WATCH_SEEN_MAX 256
#define SCOPE_WATCH_KNOWN_MAX 1024

struct scope_watch_finding {
	char function[192]; /* plain; what identifies it if it has none */
	char module[96];    /* plain; "": none */
	char kind[16];	    /* of scope_rank_kind_name[], "outside", or "when" */
	char sentence[256]; /* for people */
	bool stuck;	    /* a hang or a spin */
	bool sure;
	uint64_t began_ns; /* may be before the recorder began */
};

/* The result of one analysis of what the flight recorder holds. */
struct scope_watch_judgement {
	int err; /* 0, or -errno: nothing is known */
	uint64_t cpu_ns;
	uint32_t findings;
	struct scope_watch_finding finding[SCOPE_WATCH_FINDINGS];
};

struct scope_watch_counts {
	uint64_t incidents;
	uint64_t known;	    /* findings that a pattern matched, each time they began */
	uint64_t held;	    /* findings that had to wait */
	uint64_t unwritten; /* of these, those that ended before they were an incident */
};

/* A finding that is an incident now, or has to wait. */
struct scope_watch_next {
	struct scope_watch_finding finding;
	uint64_t wait_ns; /* 0: it is an incident now */
	uint32_t begins; /* how often it came back and was no incident since it was one, this time not counted if it is one */
	uint64_t since_ns; /* when it was an incident the last time; 0: never */
};

struct scope_watch_seen;

/* span_ns: what the flight recorder holds. 0 or -ENOMEM. */
int scope_watch_seen_create(uint64_t span_ns, uint64_t min_interval_ns, struct scope_watch_seen **ret_seen);
void scope_watch_seen_destroy(struct scope_watch_seen *seen); /* NULL is fine */

/*
 * Reads what is known and is no incident: a pattern a line (fnmatch), of FUNCTION or FUNCTION@MODULE; '#' begins a comment.
 * Replaces what was read before. 0, or -errno with error filled, and what was read before stays.
 */
int scope_watch_seen_read_known(struct scope_watch_seen *seen, const char *path, struct scope_error *error);

/* Takes in all findings of one judgement. */
void scope_watch_seen_judge(struct scope_watch_seen *seen, const struct scope_watch_judgement *judgement,
			    uint64_t now_ns);
/* Takes in one finding that was not judged, as by a condition of the user's. */
void scope_watch_seen_add(struct scope_watch_seen *seen, const struct scope_watch_finding *finding, uint64_t now_ns);

/*
 * True: *ret_next is an incident now, or has to wait. Each is returned once as either. last: the memory of the recorder ends, so
 * min_interval_ns between different findings does not count.
 */
bool scope_watch_seen_next(struct scope_watch_seen *seen, uint64_t now_ns, bool last,
			   struct scope_watch_next *ret_next);
/* What is due, but was no incident, was of another process. */
void scope_watch_seen_restart(struct scope_watch_seen *seen);

/* True: something was found once and has to be found again. */
bool scope_watch_seen_in_doubt(const struct scope_watch_seen *seen);
/* The number of findings that are going on, or ended less than span_ns ago. */
size_t scope_watch_seen_current(const struct scope_watch_seen *seen);
void scope_watch_seen_count(const struct scope_watch_seen *seen, struct scope_watch_counts *ret_counts);

#endif
