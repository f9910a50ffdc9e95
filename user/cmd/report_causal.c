// SPDX-License-Identifier: GPL-2.0-only
/* Experiments on the functions that a report named first. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/delay.h"
#include "cmd/report.h"

/* Delays to which requests of a server show: 17 s of experiments for each site. */
static const double delays[] = { 0, 100e3, 500e3 };
#define REPEATS 10
#define LENGTH_NS 500000000ull

static bool is_there(const struct scope_delay_request *request, const char *text)
{
	for (uint32_t i = 0; i < request->sites; i++)
		if (!strcmp(request->site[i], text))
			return true;
	return false;
}

/* Functions of the program, in the order of the ranking. text: room for their names as sites. */
static void choose(const struct scope_ranking *ranking, unsigned most, char (*text)[SCOPE_SITE_TEXT],
		   struct scope_delay_request *request)
{
	for (size_t i = 0; i < ranking->findings && request->sites < most; i++) {
		const struct scope_function *function = ranking->finding[i].function;
		char *room = text[request->sites];

		if (!function || !function->known || function->library)
			continue;
		if (snprintf(room, SCOPE_SITE_TEXT, "function:%s:%s", function->module,
			     function->symbol) >= SCOPE_SITE_TEXT || is_there(request, room))
			continue;
		request->site[request->sites++] = room;
	}
}

int scope_cmd_report_causal(const struct scope_analysis *analysis, uint32_t pid, unsigned most,
			    const char *output, struct scope_error *error)
{
	char text[SCOPE_DELAY_SITES_MAX][SCOPE_SITE_TEXT];
	struct scope_delay_request request;

	/* Who ended the capture by Ctrl-C wants no more of it. */
	if (*scope_cmd_catch_signals())
		return 0;
	scope_delay_request_init(&request);
	request.pid = pid;
	request.length_ns = LENGTH_NS;
	request.repeats = REPEATS;
	request.values = sizeof(delays) / sizeof(delays[0]);
	memcpy(request.value, delays, sizeof(delays));
	request.output = output;
	request.append = true;
	choose(analysis->ranking, most, text, &request);
	if (!request.sites) {
		fprintf(stderr, "scope report: no function of the program is ranked: no experiments\n");
		return 0;
	}
	if (!output)
		printf("\n");
	return scope_delay_run(&request, error);
}
