/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the functions that a report names, in the ranking or as bottlenecks, sites of delay experiments. */
#ifndef SCOPE_CMD_RANKED_H
#define SCOPE_CMD_RANKED_H

#include "causal/site.h"
#include "cmd/delay.h"
#include "rank/rank.h"

/* Makes the site for a function. 0; -EINVAL: it is NULL, or no function of the program; `why` has the reason. */
int scope_cmd_ranked_site(const struct scope_function *function, char ret_text[SCOPE_SITE_TEXT],
			  struct scope_error *why);

/*
 * Adds the first functions of the ranking of a saved trace, then its bottlenecks, at most `most` in all, to the sites
 * of the request. Functions that the process does not have are printed on stderr and skipped. A separate process
 * analyses the trace, without the privileges that the experiments need. text: memory for the names. 0, or -errno with
 * error filled; -ENODATA: the trace names no function.
 */
int scope_cmd_ranked_add(const char *path, unsigned most, char (*text)[SCOPE_SITE_TEXT],
			 struct scope_delay_request *request, struct scope_error *error);

#endif
