// SPDX-License-Identifier: GPL-2.0-only
/* scope status: tell whether the module is loaded, and which one. */
#include <getopt.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "control/control.h"

static const char usage[] = "Usage: scope status\n"
			    "Tell whether the scope module is loaded, and which one.\n\n"
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

int scope_cmd_status(int argc, char **argv)
{
	struct scope_control_info info;
	struct scope_error error = { 0 };
	struct scope_control *control;
	int option, count;

	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (option != 'h')
			return scope_cmd_misuse("status", "that option is not understood");
		fputs(usage, stdout);
		return SCOPE_EXIT_DONE;
	}
	if (optind < argc)
		return scope_cmd_misuse("status", "'%s' is not understood", argv[optind]);
	if (scope_control_open(&error, &control, &info))
		return scope_cmd_fail("status", &error);
	scope_control_close(control);
	printf("module    loaded, version %s\nprotocol  %u (the module speaks %u to %u)\n", info.version,
	       info.protocol, info.module_protocol_min, info.module_protocol);
	count = read_use_count();
	if (count >= 0)
		printf("in use    %s (%d references)\n", count ? "yes" : "no", count);
	return SCOPE_EXIT_DONE;
}
