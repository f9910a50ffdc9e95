/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the places of delays from words of the command line. */
#ifndef SCOPE_CAUSAL_SITE_H
#define SCOPE_CAUSAL_SITE_H

#include <stdint.h>

#include "base/error.h"
#include "control/delay_rules.h"

#define SCOPE_SITE_TEXT 256

struct scope_site {
	char text[SCOPE_SITE_TEXT];	 /* as the user named it */
	struct scope_delay rule;	 /* without number, length and caps */
	struct scope_delay_range *range; /* of a speedup: what rule.ranges points to, else NULL */
};

/*
 * "syscall:NAME" (before the call does anything), "return:NAME" (when it returns), "receive" (when a thread has
 * received bytes from a socket), "function:NAME" (causal/locate.h), "kernel:SYMBOL". 0; -EINVAL: not of that form;
 * else as place.h. error filled.
 */
int scope_causal_site_parse(uint32_t tgid, const char *text, struct scope_error *error, struct scope_site *ret_site);

/*
 * A place of a speedup: "function:NAME" (causal/extent.h), while it runs; "syscall:NAME", while a
 * thread is blocked in it. The same; the caller frees with scope_causal_site_free().
 */
int scope_causal_site_parse_speedup(uint32_t tgid, const char *text, struct scope_error *error,
				    struct scope_site *ret_site);
void scope_causal_site_free(struct scope_site *site); /* zeroed is fine */

#endif
