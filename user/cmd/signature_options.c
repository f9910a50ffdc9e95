// SPDX-License-Identifier: GPL-2.0-only
/* The options that choose the signatures that a report uses. */
#include "cmd/signature_options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/commands.h"

void scope_cmd_learned_init(struct scope_cmd_learned *learned)
{
	*learned = (struct scope_cmd_learned){
		.options.owners_max = SCOPE_SIGNATURE_OWNERS_MAX,
	};
}

int scope_cmd_learned(const char *command, int option, const char *value, struct scope_cmd_learned *learned)
{
	uint64_t number;

	switch (option) {
	case SCOPE_OPTION_DB:
		learned->db = value;
		return 0;
	case SCOPE_OPTION_NO_SIGNATURES:
		learned->none = true;
		return 0;
	case SCOPE_OPTION_WEIGHTS:
		if (strcmp(value, "length") && strcmp(value, "flat"))
			return scope_cmd_misuse(command, "--weights wants length or flat, not '%s'", value);
		learned->options.flat = !strcmp(value, "flat");
		return 0;
	case SCOPE_OPTION_SHARED:
		if (scope_cmd_number(value, 1, 1000, &number))
			return scope_cmd_misuse(command, "--shared wants a number from 1 to 1000, not '%s'", value);
		learned->options.owners_max = (uint32_t)number;
		return 0;
	default:
		return -1;
	}
}

/* Finds the user's database, else that of root on this machine. Returns false if there is neither. */
static bool find_default(char *path, size_t room)
{
	if (!scope_signature_store_default_path(path, room) && !access(path, R_OK))
		return true;
	snprintf(path, room, "%s", SCOPE_STORE_SYSTEM_PATH);
	return !access(path, R_OK);
}

int scope_cmd_learned_load(const char *command, const struct scope_cmd_learned *learned,
			   const struct scope_trace *trace, struct scope_error *error,
			   struct scope_signatures **ret_signatures)
{
	struct scope_store *store;
	char path[PATH_MAX];
	int err;

	*ret_signatures = NULL;
	if (learned->none || (!learned->db && !find_default(path, sizeof(path))))
		return 0;
	err = scope_signature_store_open(learned->db ? learned->db : path, SCOPE_STORE_READ, error, &store);
	if (!err) {
		err = scope_signatures_load(store, trace, &learned->options, error, ret_signatures);
		scope_signature_store_close(store);
	}
	if (!err || learned->db)
		return err;
	scope_cmd_say(command, "no signatures are used: %s", error->text);
	error->text[0] = '\0';
	return 0;
}
