// SPDX-License-Identifier: GPL-2.0-only
/* scope delay: delay a process on purpose, and report the effect. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "causal/coz.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/delay.h"
#include "cmd/ranked.h"
#include "control/delay_rules.h"

#define REPEATS_MAX 10000

struct request {
	struct scope_delay_request delay;
	const char *by;	   /* NULL: the default */
	const char *input; /* a trace; the first functions of its ranking become sites; NULL: none */
	unsigned top;
	char text[SCOPE_DELAY_SITES_MAX][SCOPE_SITE_TEXT];  /* texts of these functions */
	char named[SCOPE_DELAY_SITES_MAX][SCOPE_SITE_TEXT]; /* names given by --function */
	bool help;
};

/* Converts "50us" to ns, at most what the module allows. */
static int take_delay(const char *text, double *ret_value)
{
	uint64_t ns = 0;

	if ((strcmp(text, "0") && scope_duration_parse(text, &ns)) || ns > SCOPE_DELAY_NS_MAX)
		return -EINVAL;
	*ret_value = (double)ns;
	return 0;
}

/* Converts "25%" or "25" to a share. */
static int take_speedup(const char *text, double *ret_value)
{
	char *end;
	const double percent = strtod(text, &end);

	if (end == text || (*end && strcmp(end, "%")) || !(percent >= 0 && percent <= 100))
		return -EINVAL;
	*ret_value = percent / 100;
	return 0;
}

/* Parses different values with commas between. */
static int take_values(const char *text, struct scope_delay_request *request)
{
	char copy[256], *rest = copy, *word;

	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		double value;

		if (request->values == SCOPE_DELAY_VALUES_MAX ||
		    (request->kind == SCOPE_CAUSAL_SPEEDUP ? take_speedup : take_delay)(word, &value))
			return -EINVAL;
		for (size_t i = 0; i < request->values; i++)
			if (request->value[i] == value)
				return -EINVAL;
		request->value[request->values++] = value;
	}
	/* The value 0 alone makes no experiment. */
	return request->values == 1 && request->value[0] == 0 ? -EINVAL : 0;
}

static int take_number(int option, const char *value, struct scope_delay_request *request)
{
	uint64_t number;

	switch (option) {
	case 'p':
		if (scope_cmd_number(value, 1, UINT32_MAX, &number))
			return scope_cmd_misuse("delay", "-p wants the number of a process, not '%s'", value);
		request->pid = (uint32_t)number;
		return 0;
	case SCOPE_OPTION_REPEATS:
		if (scope_cmd_number(value, 1, REPEATS_MAX, &number))
			return scope_cmd_misuse("delay", "--repeats wants a number from 1 to %d, not '%s'", REPEATS_MAX,
						value);
		request->repeats = (uint32_t)number;
		return 0;
	case SCOPE_OPTION_LENGTH:
		if (scope_cmd_seconds(value, &request->length_ns))
			return scope_cmd_misuse("delay", "--length wants a time as 500ms or 2, not '%s'", value);
		return 0;
	case SCOPE_OPTION_COOL_OFF:
		if (strcmp(value, "0") && scope_cmd_seconds(value, &request->cool_off_ns))
			return scope_cmd_misuse("delay", "--cool-off wants a time as 50ms, not '%s'", value);
		if (!strcmp(value, "0"))
			request->cool_off_ns = 0;
		return 0;
	case SCOPE_OPTION_MAX_DELAY:
		if (scope_cmd_seconds(value, &request->second_max_ns))
			return scope_cmd_misuse("delay", "--max-delay wants a time as 2 or 500ms, not '%s'", value);
		if (request->second_max_ns > SCOPE_DELAY_SECOND_MAX_NS_MAX)
			return scope_cmd_misuse("delay",
						"--max-delay is at most 100 (seconds in a second: a "
						"hundred threads that do nothing else), not '%s'",
						value);
		return 0;
	default:
		if (scope_cmd_number(value, 0, INT64_MAX, &request->seed))
			return scope_cmd_misuse("delay", "--seed wants a number, not '%s'", value);
		return 0;
	}
}

/* 0, or the exit status for an invalid value. */
static int take(int option, const char *value, struct scope_delay_request *request)
{
	switch (option) {
	case SCOPE_OPTION_NO_FOLLOW:
		request->follow = false;
		return 0;
	case SCOPE_OPTION_SITE:
		if (request->sites == SCOPE_DELAY_SITES_MAX)
			return scope_cmd_misuse("delay", "at most %d times --site", SCOPE_DELAY_SITES_MAX);
		request->site[request->sites++] = value;
		return 0;
	case SCOPE_OPTION_PROGRESS:
		request->progress = value;
		return 0;
	case SCOPE_OPTION_FORMAT:
		if (strcmp(value, "text") && strcmp(value, "json"))
			return scope_cmd_misuse("delay", "--format wants text or json, not '%s'", value);
		request->json = !strcmp(value, "json");
		return 0;
	case 'o':
		request->output = value;
		return 0;
	case SCOPE_OPTION_SVG:
		request->svg = value;
		return 0;
	case SCOPE_OPTION_COZ:
		request->coz = value;
		return 0;
	default:
		return take_number(option, value, request);
	}
}

/* Takes a function as a site. */
static int take_function(const char *name, struct request *request)
{
	char *text = request->named[request->delay.sites % SCOPE_DELAY_SITES_MAX];

	if (snprintf(text, SCOPE_SITE_TEXT, "function:%s", name) >= SCOPE_SITE_TEXT)
		return scope_cmd_misuse("delay", "--function: the name is longer than %d bytes", SCOPE_SITE_TEXT - 10);
	return take(SCOPE_OPTION_SITE, text, &request->delay);
}

/* Also frees the members of this command. */
static int take_own(int option, const char *value, struct request *request)
{
	uint64_t number;

	switch (option) {
	case SCOPE_OPTION_BY:
		request->by = value;
		return 0;
	case 'i':
		request->input = value;
		return 0;
	case SCOPE_OPTION_FUNCTION:
		return take_function(value, request);
	case SCOPE_OPTION_TOP:
		if (scope_cmd_number(value, 1, SCOPE_DELAY_SITES_MAX, &number))
			return scope_cmd_misuse("delay", "--top wants a number from 1 to %d, not '%s'",
						SCOPE_DELAY_SITES_MAX, value);
		request->top = (unsigned)number;
		return 0;
	default:
		return take(option, value, &request->delay);
	}
}

static int parse(int argc, char **argv, struct request *request)
{
	int option, status;

	while ((option = scope_cmd_line_next("delay", argc, argv)) != -1) {
		if (option == '?')
			return scope_cmd_line_wrong("delay", argv);
		if (option == 'h') {
			request->help = true;
			return 0;
		}
		status = take_own(option, optarg, request);
		if (status)
			return status;
	}
	return 0;
}

static int read_profile(const struct scope_delay_request *request, const char *path, struct scope_error *error)
{
	struct scope_coz_profile profile;
	struct scope_causal_result result;
	struct scope_error why = { "" };
	FILE *in = fopen(path, "re");
	int err;

	if (!in)
		return scope_error_set(error, -errno, "cannot open %.200s: %s", path, strerror(errno));
	err = scope_cmd_drop_privilege(error);
	if (!err) {
		err = scope_causal_coz_read(in, request->progress, &why, &profile);
		if (err)
			scope_error_set(error, err, "%.200s: %.280s", path, why.text);
	}
	fclose(in);
	if (err)
		return err;
	if (profile.skipped)
		scope_cmd_say("delay", "%zu experiments are left out: longer delays than time", profile.skipped);
	result = (struct scope_causal_result){
		.kind = SCOPE_CAUSAL_SPEEDUP,
		.program = "",
		.kernel = "",
		.seed = request->seed,
		.progress = profile.point,
		.site = (const char *const *)profile.site,
		.sites = profile.sites,
		.experiment = profile.experiment,
		.count = profile.count,
		.planned = profile.count,
		.ended = "",
	};
	err = scope_causal_result_compute(&result);
	if (err)
		scope_error_set(error, err, "no memory for %zu experiments", result.count);
	else
		err = scope_cmd_delay_give(request, &result, error);
	scope_causal_result_free(&result);
	scope_causal_coz_free(&profile);
	return err;
}

static int bad_values(const struct request *request)
{
	if (request->delay.kind == SCOPE_CAUSAL_SPEEDUP)
		return scope_cmd_misuse("delay",
					"--by wants up to %d different speedups in percent, as "
					"0,25%%,50%%, not '%s'",
					SCOPE_DELAY_VALUES_MAX, request->by);
	return scope_cmd_misuse("delay",
				"--by wants up to %d different delays of 1 s at most with their units, "
				"as 0,50us,1ms, not '%s'",
				SCOPE_DELAY_VALUES_MAX, request->by);
}

/* Makes the experiments. */
static int run(struct request *request, enum scope_causal_kind kind, int rest)
{
	struct scope_delay_request *delay = &request->delay;
	struct scope_error error = { "" };

	delay->kind = kind;
	if (!!request->top != !!request->input)
		return scope_cmd_misuse("delay", "--top N and -i FILE go together");
	if (rest || !delay->pid || (!delay->sites && !request->top))
		return scope_cmd_misuse("delay", "which process, and where in it? -p PID --site SITE; what a "
						 "report ranks first: scope report -p PID --save FILE, then -p PID "
						 "--top 3 -i FILE");
	for (uint32_t i = 0; i < delay->sites; i++)
		for (uint32_t j = 0; j < i; j++)
			if (!strcmp(delay->site[i], delay->site[j]))
				return scope_cmd_misuse("delay", "the site %s is named twice", delay->site[i]);
	delay->relative = kind == SCOPE_CAUSAL_SENSITIVITY && request->by && !strcmp(request->by, "auto");
	if (request->by && !delay->relative && take_values(request->by, delay))
		return bad_values(request);
	/* Checked before the trace is read, so that a missing module costs no time. */
	if (request->top && (scope_cmd_delay_check(&error) ||
			     scope_cmd_ranked_add(request->input, request->top, request->text, delay, &error)))
		return scope_cmd_fail("delay", &error);
	return scope_cmd_delay_run(delay, &error) ? scope_cmd_fail("delay", &error) : SCOPE_EXIT_DONE;
}

int scope_cmd_delay(int argc, char **argv)
{
	struct request request = { 0 };
	struct scope_error error = { "" };
	const char *verb;
	int status;

	scope_cmd_delay_request_init(&request.delay);
	status = parse(argc, argv, &request);
	if (status)
		return status;
	if (request.help) {
		scope_cmd_line_help("delay");
		return SCOPE_EXIT_DONE;
	}
	verb = optind < argc ? argv[optind] : "";
	if (!strcmp(verb, "sensitivity"))
		return run(&request, SCOPE_CAUSAL_SENSITIVITY, argc - optind - 1);
	if (!strcmp(verb, "speedup"))
		return run(&request, SCOPE_CAUSAL_SPEEDUP, argc - optind - 1);
	if (strcmp(verb, "read"))
		return scope_cmd_misuse("delay", "what shall be done: sensitivity, speedup, or read FILE?");
	if (optind + 2 != argc)
		return scope_cmd_misuse("delay", "read wants one file");
	return read_profile(&request.delay, argv[optind + 1], &error) ? scope_cmd_fail("delay", &error)
								      : SCOPE_EXIT_DONE;
}
