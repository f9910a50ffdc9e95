/* SPDX-License-Identifier: GPL-2.0-only */
/* Delay experiments as commands run them: from what was asked for to what is printed. */
#ifndef SCOPE_CMD_DELAY_H
#define SCOPE_CMD_DELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "causal/result.h"

#define SCOPE_DELAY_SITES_MAX 8
#define SCOPE_DELAY_VALUES_MAX 24

struct scope_delay_request {
	enum scope_causal_kind kind;
	uint32_t pid; /* 0: none named */
	bool follow, json;
	const char *site[SCOPE_DELAY_SITES_MAX];
	uint32_t sites;
	double value[SCOPE_DELAY_VALUES_MAX]; /* as of struct scope_experiment */
	size_t values; /* none: the kind's own */
	const char *progress; /* NULL: the default */
	uint32_t repeats;
	uint64_t length_ns, cool_off_ns, second_max_ns, seed;
	const char *output, *svg, *coz; /* NULL: none */
	bool append;		 /* to output */
};

/* Defaults; the seed by chance. */
void scope_delay_request_init(struct scope_delay_request *request);

/* Can it be done here? 0, or -errno with error saying what is missing. */
int scope_delay_check(struct scope_error *error);

/* Makes the experiments and gives the result. 0, or -errno with error filled. */
int scope_delay_run(const struct scope_delay_request *request, struct scope_error *error);

/* Computes the effects and writes all that the request asks for. Likewise. */
int scope_delay_give(const struct scope_delay_request *request, struct scope_causal_result *result,
		     struct scope_error *error);

#endif
