/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Remembers the findings of a watch, so that each becomes one incident.
 *
 * A finding is identified by its function. It is an incident when it is found for the first time; again when it changes
 * from slow to stuck; and again when it is found after it was absent for as long as the flight recorder's memory
 * reaches back. A finding with low confidence has to be found twice in a row. Between two incidents there is at least
 * min_interval_ns. A finding that comes back is an incident only min_interval_ns after its last incident, then after
 * twice that time, and so on, up to an hour; it counts as new after an absence of an hour. A finding that has to wait
 * is returned once as such, and is an incident later if it is still found. Limits: SCOPE_WATCH_SEEN_MAX findings (the
 * one found longest ago is dropped), and SCOPE_WATCH_KNOWN_MAX patterns.
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
	char sentence[256]; /* for messages */
	bool stuck;	    /* a hang or a spin */
	bool sure;
	uint64_t began_ns; /* may be before the recorder began */
};

/* The result of one analysis of the flight recorder's content. */
struct scope_watch_judgement {
	int err; /* 0, or -errno: there is no result */
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
	uint64_t wait_ns;  /* 0: it is an incident now */
	uint32_t begins;   /* how often it came back without an incident since its last incident */
	uint64_t since_ns; /* when it was an incident the last time; 0: never */
};

struct scope_watch_seen;

/* span_ns: what the flight recorder holds. 0 or -ENOMEM. */
int scope_watch_seen_create(uint64_t span_ns, uint64_t min_interval_ns, struct scope_watch_seen **ret_seen);
void scope_watch_seen_destroy(struct scope_watch_seen *seen); /* NULL is fine */

/*
 * Reads patterns of known findings, which are no incidents: one a line (fnmatch), for FUNCTION or FUNCTION@MODULE; '#'
 * begins a comment. Replaces earlier patterns. 0, or -errno with error filled, and the earlier patterns stay.
 */
int scope_watch_seen_read_known(struct scope_watch_seen *seen, const char *path, struct scope_error *error);

/* Takes all findings of one judgement. */
void scope_watch_seen_judge(struct scope_watch_seen *seen, const struct scope_watch_judgement *judgement,
			    uint64_t now_ns);
/* Takes one finding from another source, such as a condition of the user. */
void scope_watch_seen_add(struct scope_watch_seen *seen, const struct scope_watch_finding *finding, uint64_t now_ns);

/*
 * Returns true if *ret_next is an incident now, or has to wait. Each finding is returned once as either. last: the
 * recorder's memory ends, so min_interval_ns between different findings is ignored.
 */
bool scope_watch_seen_next(struct scope_watch_seen *seen, uint64_t now_ns, bool last,
			   struct scope_watch_next *ret_next);
/* Forgets findings that are due and were no incident yet: they belong to another process. */
void scope_watch_seen_restart(struct scope_watch_seen *seen);

/* True if something was found once and has to be found again. */
bool scope_watch_seen_in_doubt(const struct scope_watch_seen *seen);
/* The number of findings that continue, or ended less than span_ns ago. */
size_t scope_watch_seen_current(const struct scope_watch_seen *seen);
void scope_watch_seen_count(const struct scope_watch_seen *seen, struct scope_watch_counts *ret_counts);

#endif
