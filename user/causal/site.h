/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the places of delays from words of the command line. */
#ifndef SCOPE_CAUSAL_SITE_H
#define SCOPE_CAUSAL_SITE_H

#include <stdint.h>

#include "base/error.h"
#include "control/delay_rules.h"

#define SCOPE_SITE_TEXT 256

struct scope_site {
	char text[SCOPE_SITE_TEXT];	 /* the user's name for it */
	struct scope_delay rule;	 /* without number, length and limits */
	struct scope_delay_range *range; /* for a speedup: the array of rule.ranges, else NULL */
};

/*
 * "syscall:NAME" (before the call does anything), "return:NAME" (when it returns), "receive" (when a thread has
 * received bytes from a socket), "function:NAME" (causal/locate.h), "kernel:SYMBOL". 0; -EINVAL: another form; other
 * errors as in locate.h, with error filled.
 */
int scope_causal_site_parse(uint32_t tgid, const char *text, struct scope_error *error, struct scope_site *ret_site);

/*
 * The place of a speedup: "function:NAME" (causal/extent.h), while the function runs; "syscall:NAME", while a thread is
 * blocked in the call. The same errors; free with scope_causal_site_free().
 */
int scope_causal_site_parse_speedup(uint32_t tgid, const char *text, struct scope_error *error,
				    struct scope_site *ret_site);
void scope_causal_site_free(struct scope_site *site); /* zeroed is fine */

#endif
