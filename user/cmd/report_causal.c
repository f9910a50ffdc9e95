// SPDX-License-Identifier: GPL-2.0-only
/* Experiments on the functions that a report names first. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/ranked.h"
#include "cmd/report.h"

/* This takes 17 s of experiments for each site. */
#define REPEATS 10
#define LENGTH_NS 500000000ull

struct scope_cmd_causal {
	struct scope_delay_request request;
	struct scope_delay_outcome outcome;
	struct scope_report_causal report;
	struct scope_report_site *finding;
	char text[SCOPE_DELAY_SITES_MAX][SCOPE_SITE_TEXT];
	int err;
	struct scope_error why;
};

/* Number of the site; request->sites: it is new. */
static uint32_t find(const struct scope_delay_request *request, const char *text)
{
	uint32_t i = 0;

	while (i < request->sites && strcmp(request->site[i], text))
		i++;
	return i;
}

/* 0, or -errno with the reason why the finding cannot be a site. */
static int choose_one(const struct scope_finding *finding, struct scope_cmd_causal *causal, uint32_t *ret_number,
		      struct scope_error *why)
{
	struct scope_delay_request *request = &causal->request;
	char text[SCOPE_SITE_TEXT];
	struct scope_site site;
	uint32_t number;
	int err = scope_cmd_ranked_site(finding->function, text, why);

	if (err)
		return err;
	number = find(request, text);
	if (number == request->sites) {
		err = scope_causal_site_parse(request->pid, text, why, &site);
		if (err)
			return err;
		request->site[request->sites++] = strcpy(causal->text[number], text);
	}
	*ret_number = number;
	return 0;
}

/* Chooses the sites of the first findings, or notes the reason why a finding cannot be one. */
static void choose(const struct scope_ranking *ranking, unsigned most, struct scope_cmd_causal *causal)
{
	struct scope_error why = { "" };

	for (size_t i = 0; i < ranking->findings; i++) {
		struct scope_report_site *finding = &causal->finding[i];

		finding->number = SCOPE_REPORT_NO_SITE;
		if (causal->request.sites < most && choose_one(&ranking->finding[i], causal, &finding->number, &why))
			snprintf(finding->why, sizeof(finding->why), "%s", why.text);
	}
}

static void measure(const struct scope_ranking *ranking, unsigned most, struct scope_cmd_causal *causal)
{
	struct scope_delay_request *request = &causal->request;

	choose(ranking, most, causal);
	/* A user who ends the capture with Ctrl-C wants no experiments, so this is no failure. */
	if (*scope_cmd_catch_signals())
		scope_error_set(&causal->why, 0, "the capture was interrupted");
	else if (!request->sites)
		scope_error_set(&causal->why, 0,
				"no function is ranked in which threads could be held "
				"up");
	if (causal->why.text[0])
		return;
	causal->err = scope_cmd_delay_measure(request, &causal->why, &causal->outcome);
	if (causal->err)
		return;
	causal->report.result = &causal->outcome.result;
	causal->err = causal->outcome.err;
	causal->why = causal->outcome.why;
}

int scope_cmd_causal_run(const struct scope_ranking *ranking, uint32_t pid, unsigned most, const char *progress,
			 struct scope_cmd_causal **ret_causal)
{
	struct scope_cmd_causal *causal = calloc(1, sizeof(*causal));

	if (!causal)
		return -ENOMEM;
	causal->finding = calloc(ranking->findings + 1, sizeof(*causal->finding));
	if (!causal->finding) {
		free(causal);
		return -ENOMEM;
	}
	scope_cmd_delay_request_init(&causal->request);
	causal->request.command = "report";
	causal->request.pid = pid;
	causal->request.progress = progress;
	causal->request.length_ns = LENGTH_NS;
	causal->request.repeats = REPEATS;
	causal->request.relative = true;
	causal->report.finding = causal->finding;
	causal->report.why = causal->why.text;
	measure(ranking, most, causal);
	*ret_causal = causal;
	return 0;
}

const struct scope_report_causal *scope_cmd_causal_report(const struct scope_cmd_causal *causal)
{
	return &causal->report;
}

int scope_cmd_causal_check(const struct scope_cmd_causal *causal, struct scope_error *error)
{
	if (causal->err)
		*error = causal->why;
	return causal->err;
}

void scope_cmd_causal_free(struct scope_cmd_causal *causal)
{
	if (!causal)
		return;
	scope_cmd_delay_outcome_free(&causal->outcome);
	free(causal->finding);
	free(causal);
}
