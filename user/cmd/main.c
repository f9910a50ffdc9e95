// SPDX-License-Identifier: GPL-2.0-only
/* Pick the command that the user named. With SCOPE_STATIC the program is the one of `make static`. */
#include <nss.h>
#include <stdio.h>
#include <string.h>

#include <scope/abi.h>

#include "cmd/cmd.h"

static const struct {
	const char *name;
	int (*function)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "report", scope_cmd_report, "trace a process, or read a trace, and name the functions to blame" },
	{ "record", scope_cmd_record, "trace a process into a file" },
	{ "learn", scope_cmd_learn, "learn by which system calls a program's functions are told" },
	{ "signatures", scope_cmd_signatures, "list, show, export or import what was learned" },
	{ "dump", scope_cmd_dump, "print what a trace holds" },
	{ "scrub", scope_cmd_scrub, "take memory of the target out of a trace" },
	{ "export", scope_cmd_export, "give a trace to other tools" },
	{ "import", scope_cmd_import, "make a trace of what perf or LTTng recorded" },
	{ "delay", scope_cmd_delay, "hold a process up on purpose, and tell what that changes" },
	{ "status", scope_cmd_status, "tell whether the module is loaded, and which one" },
	{ "doctor", scope_cmd_doctor, "tell what this machine lacks, and the remedy" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void print_help(FILE *stream)
{
	size_t i;

	fprintf(stream, "Scope finds the functions that make a server slow or hang.\n\n"
			"Usage: scope COMMAND [OPTION...]\n\nCommands:\n");
	for (i = 0; i < COMMANDS; i++)
		fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].help);
	fprintf(stream, "\n`scope COMMAND --help` lists the options of a command; "
			"scope-report is `scope report`.\n");
}

static int run(const char *name, int argc, char **argv)
{
	size_t i;

	for (i = 0; i < COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].function(argc, argv);
	scope_cmd_say(name, "there is no such command; `scope --help` lists them");
	return SCOPE_EXIT_USAGE;
}

static int ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

int main(int argc, char **argv)
{
#ifdef SCOPE_STATIC
	/* Other name services are libraries of the host's, for its C library and not for this one. */
	__nss_configure_lookup("passwd", "files");
	__nss_configure_lookup("group", "files");
#endif
	if (argc > 0 && ends_in(argv[0], "scope-report"))
		return run("report", argc, argv);
	if (argc < 2) {
		print_help(stderr);
		return SCOPE_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return SCOPE_EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("scope %s (protocols %d to %d)\n", SCOPE_VERSION, SCOPE_PROTOCOL_MIN, SCOPE_PROTOCOL);
		return SCOPE_EXIT_DONE;
	}
	return run(argv[1], argc - 1, argv + 1);
}
