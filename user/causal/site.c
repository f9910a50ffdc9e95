// SPDX-License-Identifier: GPL-2.0-only
/* Parses the places of delays from words of the command line. */
#include "causal/site.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>
#include <scope/event.h>

#include "base/syscall_name.h"
#include "causal/extent.h"
#include "causal/locate.h"

static int take_call(const char *name, struct scope_delay *rule, struct scope_error *error)
{
	uint16_t nr;

	if (scope_syscall_number(name, &nr) || nr >= SCOPE_SYSCALL_MAX)
		return scope_error_set(error, -EINVAL, "'%.100s' is no system call of this machine", name);
	rule->syscall = nr;
	return 0;
}

static int parse_call(uint32_t tgid, const char *name, struct scope_error *error, struct scope_delay *rule)
{
	(void)tgid;
	rule->site = SCOPE_DELAY_SYSCALL;
	return take_call(name, rule, error);
}

static int parse_return(uint32_t tgid, const char *name, struct scope_error *error, struct scope_delay *rule)
{
	(void)tgid;
	rule->site = SCOPE_DELAY_SYSCALL;
	rule->flags = SCOPE_DELAY_AFTER;
	return take_call(name, rule, error);
}

static int parse_function(uint32_t tgid, const char *name, struct scope_error *error, struct scope_delay *rule)
{
	struct scope_place place;
	int err = scope_causal_locate_function(tgid, name, error, &place);

	if (err)
		return err;
	rule->site = SCOPE_DELAY_USER;
	rule->offset = place.offset;
	memcpy(rule->name, place.path, sizeof(rule->name));
	return 0;
}

static int parse_kernel(uint32_t tgid, const char *name, struct scope_error *error, struct scope_delay *rule)
{
	(void)tgid;
	if (!*name || strlen(name) >= SCOPE_PROBE_SYMBOL_BYTES)
		return scope_error_set(error, -EINVAL,
				       "kernel: wants the name of a kernel function, at most "
				       "%d bytes",
				       SCOPE_PROBE_SYMBOL_BYTES - 1);
	rule->site = SCOPE_DELAY_KERNEL;
	strcpy(rule->name, name);
	return 0;
}

static int take_text(const char *text, struct scope_site *site, struct scope_error *error)
{
	if (strlen(text) >= sizeof(site->text))
		return scope_error_set(error, -EINVAL, "a site has at most %zu bytes, not '%.100s...'",
				       sizeof(site->text) - 1, text);
	strcpy(site->text, text);
	return 0;
}

int scope_causal_site_parse(uint32_t tgid, const char *text, struct scope_error *error, struct scope_site *ret_site)
{
	static const struct {
		const char *word;
		int (*parse)(uint32_t tgid, const char *name, struct scope_error *error, struct scope_delay *rule);
	} rows[] = {
		{ "syscall:", parse_call },
		{ "return:", parse_return },
		{ "function:", parse_function },
		{ "kernel:", parse_kernel },
	};
	struct scope_site site = { 0 };
	int err = take_text(text, &site, error);

	if (err)
		return err;
	if (!strcmp(text, "receive")) {
		site.rule.site = SCOPE_DELAY_RECEIVE;
		*ret_site = site;
		return 0;
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const size_t length = strlen(rows[i].word);

		if (strncmp(text, rows[i].word, length))
			continue;
		err = rows[i].parse(tgid, text + length, error, &site.rule);
		if (!err)
			*ret_site = site;
		return err;
	}
	return scope_error_set(error, -EINVAL,
			       "a site is syscall:NAME, return:NAME, receive, function:NAME "
			       "or kernel:SYMBOL, not '%.200s'",
			       text);
}

int scope_causal_site_parse_speedup(uint32_t tgid, const char *text, struct scope_error *error,
				    struct scope_site *ret_site)
{
	/* The functions that it calls count for it, where the kernel knows the callers. */
	struct scope_site site = {
		.rule = { .site = SCOPE_DELAY_SPEEDUP, .syscall = SCOPE_NR_NONE, .flags = SCOPE_DELAY_CALLERS },
	};
	int err = take_text(text, &site, error);

	if (err)
		return err;
	if (!strncmp(text, "syscall:", 8))
		err = take_call(text + 8, &site.rule, error);
	else if (!strncmp(text, "function:", 9))
		err = scope_causal_extents_find(tgid, text + 9, error, &site.range, &site.rule.range_count);
	else
		err = scope_error_set(error, -EINVAL,
				      "what is to look faster is function:NAME or "
				      "syscall:NAME, not '%.200s'",
				      text);
	if (err)
		return err;
	site.rule.ranges = site.range;
	*ret_site = site;
	return 0;
}

void scope_causal_site_free(struct scope_site *site)
{
	free(site->range);
	*site = (struct scope_site){ 0 };
}
