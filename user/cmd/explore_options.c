// SPDX-License-Identifier: GPL-2.0-only
/* The options of scope explore that no other command has. */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/explore_rounds.h"
#include "cmd/report_options.h"
#include "waits/paths.h"

/* Reads a limit of explore in percent, from 0.1 to 100. 0, or the exit status for another value. */
static int take_limit(const char *name, const char *value, const struct scope_cmd_report *request, double *ret_limit)
{
	uint32_t thousandths;

	if (scope_cmd_share(value, &thousandths) || !thousandths)
		return scope_cmd_misuse(request->name, "--%s wants a percentage from 0.1 to 100, not '%s'", name,
					value);
	*ret_limit = thousandths / 1000.0;
	return 0;
}

/* Takes an argument whose values are correlated with requests. 0, or an exit status. */
static int take_key(const char *value, struct scope_cmd_report *request)
{
	struct scope_error error = { "" };

	if (request->keys == SCOPE_UNIT_KEYS)
		return scope_cmd_misuse(request->name, "at most %d times --key", SCOPE_UNIT_KEYS);
	if (scope_cmd_explore_key(value, &error, &request->key[request->keys], &request->key_probe[request->keys]))
		return scope_cmd_misuse(request->name, "%s", error.text);
	/* Each key has a probe with a number of its own. */
	if (request->key[request->keys].source.probe) {
		request->key[request->keys].source.number = (uint16_t)(SCOPE_EXPLORE_KEY_PROBE + request->keys);
		request->key_probe[request->keys].id = request->key[request->keys].source.number;
	}
	request->keys++;
	return 0;
}

/* Takes an option about the rounds of explore. 0, or an exit status. */
static int take_rounds(int option, const char *value, struct scope_cmd_report *request)
{
	uint64_t number;

	request->of_rounds = true;
	switch (option) {
	case SCOPE_OPTION_ROUNDS:
		if (scope_cmd_number(value, 1, 1000, &number))
			return scope_cmd_misuse(request->name, "--rounds wants a number from 1 to 1000, not '%s'",
						value);
		request->rounds = (unsigned)number;
		return 0;
	case SCOPE_OPTION_SEARCH:
		if (strcmp(value, "flat") && strcmp(value, "hierarchical"))
			return scope_cmd_misuse(request->name, "--search wants flat or hierarchical, not '%s'", value);
		request->search = strcmp(value, "flat") ? SCOPE_SEARCH_HIERARCHICAL : SCOPE_SEARCH_FLAT;
		return 0;
	case SCOPE_OPTION_BUDGET:
		if (scope_cmd_share(value, &request->budget) || !request->budget)
			return scope_cmd_misuse(request->name,
						"--budget wants a share of one CPU in percent, 0.1 to 100, not '%s'",
						value);
		return 0;
	case SCOPE_OPTION_KERNEL_PROBES:
		request->kernel_probes = true;
		return 0;
	default:
		return take_key(value, request);
	}
}

/* Takes N, or FILE:N. 0, or an exit status. */
static int take_why(const char *value, struct scope_cmd_report *request)
{
	const char *colon = strrchr(value, ':');
	const size_t length = colon ? (size_t)(colon - value) : 0;
	uint64_t number;

	if (scope_cmd_number(colon ? colon + 1 : value, 1, SCOPE_PATHS_MAX, &number) || (colon && !length) ||
	    length >= sizeof(request->why_input))
		return scope_cmd_misuse(request->name, "--why wants N or FILE:N, N from 1 to %d, not '%.200s'",
					SCOPE_PATHS_MAX, value);
	request->why = request->slowest = (unsigned)number;
	memcpy(request->why_input, value, length);
	request->why_input[length] = '\0';
	return 0;
}

int scope_cmd_explore_take(int option, const char *value, struct scope_cmd_report *request)
{
	switch (option) {
	case SCOPE_OPTION_ROUNDS:
	case SCOPE_OPTION_SEARCH:
	case SCOPE_OPTION_KEY:
	case SCOPE_OPTION_KERNEL_PROBES:
	case SCOPE_OPTION_BUDGET:
		return take_rounds(option, value, request);
	case SCOPE_OPTION_CV:
		return take_limit("cv", value, request, &request->limits.cv);
	case SCOPE_OPTION_CS:
		return take_limit("cs", value, request, &request->limits.slow);
	case SCOPE_OPTION_WHY:
		return take_why(value, request);
	}
	return -1;
}
