/* SPDX-License-Identifier: GPL-2.0-only */
/* Delay experiments of a command: from the request to the output. */
#ifndef SCOPE_CMD_DELAY_H
#define SCOPE_CMD_DELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/utsname.h>

#include "base/error.h"
#include "base/plain.h"
#include "causal/result.h"
#include "causal/series.h"
#include "proc/target.h"

#define SCOPE_DELAY_SITES_MAX 8
#define SCOPE_DELAY_VALUES_MAX 24

struct scope_delay_request {
	const char *command; /* for messages: "delay" */
	enum scope_causal_kind kind;
	uint32_t pid; /* 0: not given */
	bool follow, json;
	bool relative; /* delays are chosen by how often threads visit each site */
	const char *site[SCOPE_DELAY_SITES_MAX];
	uint32_t sites;
	double value[SCOPE_DELAY_VALUES_MAX]; /* see struct scope_experiment */
	size_t values;			      /* 0: the defaults of the kind */
	const char *progress;		      /* NULL: the default */
	uint32_t repeats;
	uint64_t length_ns, cool_off_ns, second_max_ns, seed;
	const char *output, *svg, *coz; /* NULL: none */
};

/* The outcome. The result points into the other members and into the request, so these must not move. */
struct scope_delay_outcome {
	struct scope_causal_result result; /* computed */
	int err;			   /* 0; -errno: the measurement is not the requested one, … */
	struct scope_error why;		   /* … for this reason */
	struct scope_target target;
	char program[SCOPE_PLAIN_COMM_BYTES];
	struct utsname system;
	struct scope_series_result series;
};

/* Sets the defaults, and a random seed. */
void scope_cmd_delay_request_init(struct scope_delay_request *request);

/* Checks that experiments are possible on this host. 0, or -errno with error filled, which says what is missing. */
int scope_cmd_delay_check(struct scope_error *error);

/*
 * Makes the experiments. Returns 0, and the caller frees the outcome; or -errno with error filled if they could not
 * begin.
 */
int scope_cmd_delay_measure(const struct scope_delay_request *request, struct scope_error *error,
			    struct scope_delay_outcome *ret_outcome);
void scope_cmd_delay_outcome_free(struct scope_delay_outcome *outcome); /* zeroed is fine */

/* Makes the experiments and prints the result. 0, or -errno with error filled. */
int scope_cmd_delay_run(const struct scope_delay_request *request, struct scope_error *error);

/* Writes a computed result in the requested forms. 0, or -errno with error filled. */
int scope_cmd_delay_give(const struct scope_delay_request *request, const struct scope_causal_result *result,
			 struct scope_error *error);

#endif
