// SPDX-License-Identifier: GPL-2.0-only
/* scope status: tell which module is loaded, and how flight recorders stand. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "control/control.h"
#include "recorder/door.h"

static const char usage[] = "Usage: scope status\n"
			    "Tell whether the scope module is loaded, and which one; and how the flight\n"
			    "recorders stand that run on this machine.\n\n"
			    "  -h, --help   this text\n\n"
			    "Exit status 1 where the module is missing or cannot be used.\n";

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

/* How many descriptors of the module are open: /sys/module/scope/refcnt, -1 where unknown. */
static int read_use_count(void)
{
	FILE *file = fopen("/sys/module/scope/refcnt", "re");
	int count = -1;

	if (file) {
		if (fscanf(file, "%d", &count) != 1)
			count = -1;
		fclose(file);
	}
	return count;
}

static void print_recorder(void *context, unsigned int pid, const char *answer)
{
	(void)context;
	printf("\nrecorder  %u\n%s", pid, answer);
}

int scope_cmd_status(int argc, char **argv)
{
	struct scope_control_info info;
	struct scope_error error = { 0 };
	struct scope_control *control;
	int option, count, code;

	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (option != 'h')
			return scope_cmd_misuse("status", "that option is not understood");
		fputs(usage, stdout);
		return SCOPE_EXIT_DONE;
	}
	if (optind < argc)
		return scope_cmd_misuse("status", "'%s' is not understood", argv[optind]);
	code = scope_control_open(&error, &control, &info);
	if (!code) {
		scope_control_close(control);
		printf("module    loaded, version %s\nprotocol  %u (the module speaks %u to %u)\n",
		       info.version, info.protocol, info.module_protocol_min, info.module_protocol);
		count = read_use_count();
		if (count >= 0)
			printf("in use    %s (%d references)\n", count ? "yes" : "no", count);
	}
	/* There are recorders that need no module. */
	if (scope_door_ask(SCOPE_DOOR_DIRECTORY, SCOPE_DOOR_STATUS, print_recorder, NULL,
			   code ? NULL : &error) < 0)
		code = -EIO;
	if (code)
		return scope_cmd_fail("status", &error);
	return SCOPE_EXIT_DONE;
}
