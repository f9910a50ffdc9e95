// SPDX-License-Identifier: GPL-2.0-only
/* Runs the command that the user named. With SCOPE_STATIC the program is that of `make static`. */
#include <nss.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <scope/abi.h>

#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/suggest.h"

static void print_help(FILE *stream)
{
	const struct scope_command *command;

	fprintf(stream, "Scope finds the functions that make a server slow or hang.\n\n"
			"Usage: scope COMMAND [OPTION...]\n\nCommands:\n");
	for (command = scope_cmd_commands; command->name; command++)
		fprintf(stream, "  %-10s %s\n", command->name, command->summary);
	fprintf(stream, "\n`scope help COMMAND` lists the options of a command; "
			"scope-report is `scope report`.\n");
}

static int refuse(const char *name)
{
	const char *like = scope_cmd_suggest(name, scope_cmd_commands);

	if (like)
		scope_cmd_say(name, "there is no such command; did you mean `scope %s`?", like);
	else if (access(name, R_OK) == 0)
		scope_cmd_say(name, "there is no such command; for a report on that file: scope report -i %s", name);
	else
		scope_cmd_say(name, "there is no such command; `scope --help` lists them");
	return SCOPE_EXIT_USAGE;
}

static int run(const char *name, int argc, char **argv)
{
	const struct scope_command *command = scope_cmd_find(name);

	return command ? command->run(argc, argv) : refuse(name);
}

/* Prints the help of the program, or of a command. */
static int help(int argc, char **argv)
{
	if (argc < 3) {
		print_help(stdout);
		return SCOPE_EXIT_DONE;
	}
	if (!scope_cmd_find(argv[2]))
		return refuse(argv[2]);
	scope_cmd_line_help(argv[2]);
	return SCOPE_EXIT_DONE;
}

static int ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

int main(int argc, char **argv)
{
#ifdef SCOPE_STATIC
	/* Other name services are libraries of the host, made for its C library and not for this one. */
	__nss_configure_lookup("passwd", "files");
	__nss_configure_lookup("group", "files");
#endif
	scope_cmd_text_stderr();
	if (argc > 0 && ends_in(argv[0], "scope-report"))
		return run("report", argc, argv);
	if (argc < 2) {
		print_help(stderr);
		return SCOPE_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return help(argc, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("scope %s (protocols %d to %d)\n", SCOPE_VERSION, SCOPE_PROTOCOL_MIN, SCOPE_PROTOCOL);
		return SCOPE_EXIT_DONE;
	}
	return run(argv[1], argc - 1, argv + 1);
}
