// SPDX-License-Identifier: GPL-2.0-only
/* Parses the options of a command, and prints its help, by the table of commands. */
#include "cmd/command_line.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/commands.h"
#include "cmd/suggest.h"

#define OPTIONS_MAX 64

static int takes(const struct scope_option *option)
{
	if (!option->value)
		return no_argument;
	return option->value[0] == '[' ? optional_argument : required_argument;
}

int scope_cmd_line_next(const char *name, int argc, char **argv)
{
	const struct scope_command *command = scope_cmd_find(name);
	struct option longs[OPTIONS_MAX] = { { 0 } };
	char letters[2 * OPTIONS_MAX + 1], *letter = letters;
	size_t i;

	assert(command);
	for (i = 0; command->options[i].name; i++) {
		const struct scope_option *option = &command->options[i];

		assert(i + 1 < OPTIONS_MAX);
		longs[i] = (struct option){ option->name, takes(option), NULL, option->key };
		if (option->key >= 256)
			continue;
		*letter++ = (char)option->key;
		if (option->value)
			*letter++ = ':';
	}
	*letter = '\0';
	opterr = 0;
	return getopt_long(argc, argv, letters, longs, NULL);
}

/* Reports a long option such as "--formt" or "--form", for which the table has no option, or several. */
static int wrong_word(const struct scope_command *command, const char *word)
{
	const int length = (int)strcspn(word, "=");
	const char *first = NULL, *second = NULL, *like;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", length > 2 ? length - 2 : 0, length > 2 ? word + 2 : "");
	for (const struct scope_option *option = command->options; option->name; option++)
		if (!strncmp(option->name, name, strlen(name))) {
			second = first && !second ? option->name : second;
			first = first ? first : option->name;
		}
	if (second)
		return scope_cmd_misuse(command->name, "%.*s may be --%s or --%s: type more of it", length, word, first,
					second);
	like = scope_cmd_suggest_option(name, command->options);
	if (like)
		return scope_cmd_misuse(command->name, "there is no option %.*s; did you mean --%s?", length, word,
					like);
	return scope_cmd_misuse(command->name, "there is no option %.*s", length, word);
}

int scope_cmd_line_wrong(const char *name, char **argv)
{
	const struct scope_command *command = scope_cmd_find(name);

	if (!optopt) /* getopt_long(3) sets it to 0 for an unknown long option */
		return wrong_word(command, argv[optind - 1]);
	for (const struct scope_option *option = command->options; option->name; option++) {
		if (option->key != optopt)
			continue;
		if (!option->value)
			return scope_cmd_misuse(name, "--%s takes no value", option->name);
		return scope_cmd_misuse(name, "--%s wants a value: --%s %s", option->name, option->name, option->value);
	}
	return scope_cmd_misuse(name, "there is no option -%c", optopt);
}

static void print_option(const struct scope_option *option, int column)
{
	const char *line = option->help, *end;
	int width;

	width = option->key < 256 ? printf("  -%c, --%s", option->key, option->name)
				  : printf("      --%s", option->name);
	if (option->value)
		width += printf("%s%s", option->value[0] == '[' ? "" : " ", option->value);
	printf("%*s", width < column ? column - width : 2, "");
	while ((end = strchr(line, '\n'))) {
		printf("%.*s\n%*s", (int)(end - line), line, column, "");
		line = end + 1;
	}
	printf("%s\n", line);
}

void scope_cmd_line_help(const char *name)
{
	const struct scope_command *command = scope_cmd_find(name);
	const struct scope_option *option;

	assert(command);
	fputs(command->usage, stdout);
	for (option = command->options; option->name; option++)
		print_option(option, command->column);
	if (command->notes)
		fputs(command->notes, stdout);
}
