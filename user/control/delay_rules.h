/* SPDX-License-Identifier: GPL-2.0-only */
/* Delay rules of a session that is configured or runs. */
#ifndef SCOPE_CONTROL_DELAY_RULES_H
#define SCOPE_CONTROL_DELAY_RULES_H

#include <stdint.h>

#include <scope/control.h>

#include "base/error.h"

struct scope_control;

/*
 * A rule, as sent with SCOPE_CMD_DELAY_SET and returned by DELAY_NEXT. Members that the site does not use are 0 and "".
 */
struct scope_delay {
	uint16_t id;
	uint8_t site;	      /* enum scope_delay_site */
	uint32_t flags;	      /* SCOPE_DELAY_AFTER, SCOPE_DELAY_CALLERS */
	uint32_t syscall;     /* native number; for a speedup SCOPE_NR_NONE: none */
	uint64_t ns;	      /* 0: only count visits */
	uint32_t probability; /* parts of 2^32 of the visits; 0: all of them */
	uint64_t seed;
	uint64_t hit_max_ns, second_max_ns; /* 0: the module's own default */
	const uint32_t *threads;	    /* thread_count tids; none: every traced thread. Not returned */
	uint32_t thread_count;
	const struct scope_delay_range *ranges; /* for a speedup: range_count ranges. Not returned */
	uint32_t range_count;
	uint64_t offset;
	/*
	 * Symbol of the kernel, or path of a file. For a delay at the entry of a syscall it may be
	 * "": then the kernel's function for the call is searched under its usual names.
	 */
	char name[SCOPE_PROBE_NAME_BYTES];
};

/* Counts of a rule so far. */
struct scope_delay_counts {
	uint64_t visits;    /* how often a thread of the rule visited the site */
	uint64_t served;    /* delays; each one is a record, or is counted as lost */
	uint64_t asked_ns;  /* sum over those */
	uint64_t served_ns; /* sum of their measured lengths */
	uint64_t missed;    /* chosen visits that could not be delayed */
	uint64_t capped;    /* chosen visits whose delay a limit shortened or cancelled */
	/* for a speedup */
	uint64_t required_ns;  /* for how long each thread should have waited so far */
	uint64_t unsettled_ns; /* sum of the waits that threads had not served yet when they woke others */
};

/*
 * Sets the rule, or replaces the rule with the same number and site. 0, or -errno with error filled
 * (include/scope/control.h lists the codes).
 */
int scope_control_delay_set(struct scope_control *control, uint32_t session, const struct scope_delay *delay,
			    struct scope_error *error);

/* When this returns, the rule delays no thread any more. */
int scope_control_delay_remove(struct scope_control *control, uint32_t session, uint16_t id, struct scope_error *error);

/* The rule with the lowest number from id on. -ENOENT: there is none. ret_delay may be NULL. */
int scope_control_delay_query(struct scope_control *control, uint32_t session, uint32_t id, struct scope_error *error,
			      struct scope_delay *ret_delay, struct scope_delay_counts *ret_counts);

#endif
