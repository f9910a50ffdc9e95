// SPDX-License-Identifier: GPL-2.0-only
/* The options with which a capture records more or less than by default. */
#include "cmd/recording_options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "capture/request_text.h"
#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/probe_option.h"

#define STACK_BUDGET_MAX 1000000
#define KIND_PROBE 65535 /* no rule: the id of this probe; ids of others begin with 1 */

static int take_stack_bytes(const char *command, const char *value, struct scope_capture_options *capture)
{
	uint64_t number;

	if (scope_cmd_number(value, 64, SCOPE_STACK_BYTES_MAX, &number) || number % 8)
		return scope_cmd_misuse(command, "--stack-bytes wants a multiple of 8 from 64 to %d, not '%s'",
					SCOPE_STACK_BYTES_MAX, value);
	capture->stack_bytes = (uint32_t)number;
	return 0;
}

static int take_stack_budget(const char *command, const char *value, struct scope_capture_options *capture)
{
	uint64_t number;

	if (scope_cmd_number(value, 0, STACK_BUDGET_MAX, &number))
		return scope_cmd_misuse(command,
					"--stack-budget wants a number of stacks a second, or 0 for no choice among "
					"calls, not '%s'",
					value);
	capture->stack_budget = (uint32_t)number;
	return 0;
}

/* Parses PROBE:argN; PROBE has the form of --probe of `scope record`. */
static int take_kind_probe(const char *command, const char *value, struct scope_capture_options *capture)
{
	const char *arg = strrchr(value, ':');
	char probe[SCOPE_PROBE_NAME_BYTES + 128];
	struct scope_error error = { 0 };
	uint64_t number;
	int err;

	if (strncmp(arg, ":arg", 4) != 0 || scope_cmd_number(arg + 4, 0, SCOPE_ARG_MAX - 1, &number) ||
	    memchr(value, ',', (size_t)(arg - value)) || arg - value > SCOPE_PROBE_NAME_BYTES)
		return scope_cmd_misuse(command,
					"--kind-by wants PROBE:argN, as u:PATH:FUNCTION:arg1 with N from 0 to %d, not "
					"'%.200s'",
					SCOPE_ARG_MAX - 1, value);
	snprintf(probe, sizeof(probe), "%.*s,args=%d", (int)(arg - value), value, (int)number + 1);
	err = scope_cmd_probe_parse(probe, &error, &capture->kind_probe);
	if (err == -EINVAL)
		return scope_cmd_misuse(command, "--kind-by: %s", error.text);
	if (err)
		return scope_cmd_fail(command, &error);
	if (capture->kind_probe.kind == SCOPE_PROBE_URETPROBE || capture->kind_probe.kind == SCOPE_PROBE_KRETPROBE)
		if (number)
			return scope_cmd_misuse(command, "--kind-by: a return has arg0 alone, its value");
	capture->kind_probe.id = KIND_PROBE;
	capture->requests = SCOPE_REQUEST_PROBE;
	capture->kind_text = value;
	return 0;
}

static int take_kind_by(const char *command, const char *value, struct scope_capture_options *capture)
{
	for (uint8_t i = SCOPE_REQUEST_NONE + 1; i < SCOPE_REQUEST_PROTOCOLS; i++)
		if (!strcmp(value, scope_capture_request_protocol_name[i])) {
			capture->requests = i;
			return 0;
		}
	if (strchr(value, ':'))
		return take_kind_probe(command, value, capture);
	return scope_cmd_misuse(
		command,
		"--kind-by wants http, redis, sql, memcached or PROBE:argN, as u:PATH:FUNCTION:arg1, not "
		"'%.200s'",
		value);
}

int scope_cmd_capture(const char *command, int option, const char *value, struct scope_capture_options *capture)
{
	switch (option) {
	case SCOPE_OPTION_STACK_BYTES:
		return take_stack_bytes(command, value, capture);
	case SCOPE_OPTION_STACK_BUDGET:
		return take_stack_budget(command, value, capture);
	case SCOPE_OPTION_MAX_OVERHEAD:
		if (scope_cmd_share(value, &capture->overhead_max))
			return scope_cmd_misuse(command,
						"--max-overhead wants a share of one CPU in percent, 0.1 to 100, or 0 "
						"for any, not '%s'",
						value);
		return 0;
	case SCOPE_OPTION_KIND_BY:
		return take_kind_by(command, value, capture);
	case SCOPE_OPTION_BLOCK:
		capture->block = true;
		return 0;
	case SCOPE_OPTION_MEMORY:
		capture->memory = true;
		return 0;
	case SCOPE_OPTION_INTERRUPTS:
		capture->interrupts = true;
		return 0;
	}
	return -1;
}
