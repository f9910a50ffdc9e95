// SPDX-License-Identifier: GPL-2.0-only
/* Parses --key. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/syscall_name.h"
#include "cmd/explore_rounds.h"
#include "cmd/probe_option.h"

#define NAME_END 48u /* no rule: bytes of a probe's place in the name of its key */

static int bad_form(const char *text, struct scope_error *error)
{
	return scope_error_set(
		error, -EINVAL,
		"--key wants CALL:argN or PROBE:argN, N from 0 to %d and PROBE as --probe of `scope record` "
		"takes it, then perhaps :BINS from 2 to %d, not '%.200s'",
		SCOPE_ARG_MAX - 1, SCOPE_KEY_BINS_MAX, text);
}

/* Cuts ":argN" and ":BINS" off the end. */
static int take_end(char *text, struct scope_explore_key *key)
{
	char *colon = strrchr(text, ':');
	uint64_t number;

	if (colon && !scope_cmd_number(colon + 1, 2, SCOPE_KEY_BINS_MAX, &number)) {
		key->bins = (unsigned)number;
		*colon = '\0';
		colon = strrchr(text, ':');
	}
	if (!colon || strncmp(colon, ":arg", 4) != 0 || scope_cmd_number(colon + 4, 0, SCOPE_ARG_MAX - 1, &number))
		return -EINVAL;
	key->source.arg = (uint8_t)number;
	*colon = '\0';
	return *text ? 0 : -EINVAL;
}

int scope_cmd_explore_key(const char *text, struct scope_error *error, struct scope_explore_key *ret_key,
			  struct scope_probe *ret_probe)
{
	struct scope_explore_key key = { .bins = 0 };
	char copy[SCOPE_PROBE_NAME_BYTES + 128];
	const char *end;
	size_t length;
	int err;

	if (strlen(text) >= SCOPE_PROBE_NAME_BYTES + 32)
		return bad_form(text, error);
	strcpy(copy, text);
	if (take_end(copy, &key))
		return bad_form(text, error);
	/* The end has the function's name, while the begin may be a long path. */
	length = strlen(copy);
	end = length < NAME_END ? copy : copy + length - NAME_END;
	snprintf(key.name, sizeof(key.name), "%s%.48s:arg%d", end == copy ? "" : "…", end, key.source.arg);
	*ret_probe = (struct scope_probe){ 0 };
	if (!strchr(copy, ':')) {
		if (scope_syscall_number(copy, &key.source.number) || key.source.number >= SCOPE_SYSCALL_MAX)
			return scope_error_set(error, -EINVAL, "--key: '%.100s' is no system call of this machine",
					       copy);
		*ret_key = key;
		return 0;
	}
	key.source.probe = true;
	snprintf(copy + strlen(copy), sizeof(copy) - strlen(copy), ",args=%d", key.source.arg + 1);
	err = scope_cmd_probe_parse(copy, error, ret_probe);
	if (!err)
		*ret_key = key;
	return err;
}
