/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that a report names, ranked or as bottlenecks, as sites of delay experiments. */
#ifndef SCOPE_CMD_RANKED_H
#define SCOPE_CMD_RANKED_H

#include "causal/site.h"
#include "cmd/delay.h"
#include "rank/rank.h"

/* The site for a function. 0; -EINVAL: it is NULL, or no function of the program; the reason is in why. */
int scope_cmd_ranked_site(const struct scope_function *function, char ret_text[SCOPE_SITE_TEXT],
			  struct scope_error *why);

/*
 * Adds the first functions of the ranking of a saved trace, then its bottlenecks, at most that many, to the
 * sites of the request; those that its process does not have are named on stderr and skipped. The trace is analysed by
 * a separate process, which has given up the privilege that the experiments need. text: holds the names.
 * 0, or -errno with error filled; -ENODATA: none is named.
 */
int scope_cmd_ranked_add(const char *path, unsigned most, char (*text)[SCOPE_SITE_TEXT],
			 struct scope_delay_request *request, struct scope_error *error);

#endif
