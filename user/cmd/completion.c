// SPDX-License-Identifier: GPL-2.0-only
/* scope completion: print a script that completes command lines in bash and zsh, from the table of commands. */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "export/formats.h"

/* How bash completes a value, by the value's name in the help; other names have no completion. */
static const struct {
	const char *value, *bash, *zsh;
} kinds[] = {
	{ "PID", "compgen -W \"$(cd /proc && echo [0-9]*)\"", "_pids" },
	{ "TID", "compgen -W \"$(cd /proc && echo [0-9]*)\"", "_pids" },
	{ "FILE", "compgen -f", "_files" },
	{ "PATH", "compgen -f", "_files" },
	{ "DIR", "compgen -d", "_directories" },
};

/* Its index in kinds, or -1. */
static int kind_of(const char *value)
{
	int i;

	for (i = 0; i < (int)(sizeof(kinds) / sizeof(kinds[0])); i++)
		if (!strcmp(kinds[i].value, value))
			return i;
	return -1;
}

static bool takes_value(const struct scope_option *option)
{
	return option->value && option->value[0] != '[';
}

/* Prints the words that may be the first argument of a command. Returns false if it is a file. */
static bool print_words(const struct scope_command *command)
{
	const struct scope_export_format *format;

	if (!strcmp(command->name, "export")) {
		for (format = scope_export_formats; format->name; format++)
			printf("%s%s", format == scope_export_formats ? "" : " ", format->name);
		return true;
	}
	if (command->words)
		fputs(command->words, stdout);
	return command->words;
}

static void print_bash_command(const struct scope_command *command)
{
	const struct scope_option *option;
	int kind;

	printf("\t%s)\n\t\toptions='", command->name);
	for (option = command->options; option->name; option++) {
		printf("%s--%s", option == command->options ? "" : " ", option->name);
		if (option->key < 256)
			printf(" -%c", option->key);
	}
	printf("'\n\t\twords='");
	print_words(command);
	printf("'\n\t\tcase $last in\n");
	for (option = command->options; option->name; option++) {
		if (!takes_value(option))
			continue;
		kind = kind_of(option->value);
		printf("\t\t--%s", option->name);
		if (option->key < 256)
			printf(" | -%c", option->key);
		if (option->words)
			printf(") values=(compgen -W '%s') ;;\n", option->words);
		else
			printf(") values=(%s) ;;\n", kind >= 0 ? kinds[kind].bash : "true");
	}
	printf("\t\tesac\n\t\t;;\n");
}

static void print_bash(void)
{
	const struct scope_command *command;

	printf("# SPDX-License-Identifier: GPL-2.0-only\n"
	       "# Completes command lines of scope in bash. Made by `scope completion bash`.\n"
	       "_scope()\n{\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]}\n"
	       "\tlocal command=${COMP_WORDS[1]} first=2 options='' words='' values=()\n\n"
	       "\tCOMPREPLY=()\n"
	       "\tif [ \"${COMP_WORDS[0]##*/}\" = scope-report ]; then\n"
	       "\t\tcommand=report first=1\n"
	       "\telif [ \"$COMP_CWORD\" = 1 ]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	for (command = scope_cmd_commands; command->name; command++)
		printf("%s ", command->name);
	printf("--help --version' -- \"$word\")\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tcase $command in\n");
	for (command = scope_cmd_commands; command->name; command++)
		print_bash_command(command);
	printf("\t*) return ;;\n\tesac\n"
	       "\tif [ ${#values[@]} -gt 0 ]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(\"${values[@]}\" -- \"$word\")\n"
	       "\telif [[ $word == -* ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
	       "\telif [ \"$COMP_CWORD\" = \"$first\" ] && [ -n \"$words\" ]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	       "\telse\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	       "\tfi\n"
	       "}\n"
	       "complete -o filenames -F _scope scope scope-report\n");
}

/* Prints the first line in single quotes, and escapes the characters that _arguments would interpret. */
static void print_zsh_text(const char *text)
{
	for (; *text && *text != '\n'; text++) {
		if (strchr("[]:\\", *text))
			putchar('\\');
		if (*text == '\'')
			fputs("'\\'", stdout);
		putchar(*text);
	}
}

/* In _arguments "" after an option means no value, "=" a value in the same word or the next. */
static void print_zsh_option(const struct scope_option *option)
{
	const char *value = option->value;
	int kind;

	printf("\t\t\t'*");
	if (option->key < 256)
		printf("'{-%c%s,--%s%s}'", option->key, value ? "+" : "", option->name, value ? "=" : "");
	else
		printf("--%s%s", option->name, !value ? "" : takes_value(option) ? "=" : "=-");
	putchar('[');
	print_zsh_text(option->help);
	putchar(']');
	if (value) {
		kind = kind_of(value);
		printf("%s:%.*s:", takes_value(option) ? "" : ":", (int)strcspn(value + strspn(value, "[="), "]"),
		       value + strspn(value, "[="));
		if (option->words)
			printf("(%s)", option->words);
		else if (kind >= 0)
			fputs(kinds[kind].zsh, stdout);
	}
	printf("' \\\n");
}

static void print_zsh(void)
{
	const struct scope_command *command;
	const struct scope_option *option;

	printf("#compdef scope scope-report\n"
	       "# SPDX-License-Identifier: GPL-2.0-only\n"
	       "# Completes command lines of scope in zsh. Made by `scope completion zsh`.\n"
	       "local command=report\n"
	       "if [[ $service != scope-report ]]; then\n"
	       "\tlocal -a commands=(\n");
	for (command = scope_cmd_commands; command->name; command++) {
		printf("\t\t'%s:", command->name);
		print_zsh_text(command->summary);
		printf("'\n");
	}
	printf("\t)\n"
	       "\tif (( CURRENT == 2 )); then\n"
	       "\t\t_describe command commands\n"
	       "\t\treturn\n"
	       "\tfi\n"
	       "\tcommand=$words[2]\n"
	       "\tshift words\n"
	       "\t(( CURRENT-- ))\n"
	       "fi\n"
	       "case $command in\n");
	for (command = scope_cmd_commands; command->name; command++) {
		printf("%s)\n\t\t_arguments -s \\\n", command->name);
		for (option = command->options; option->name; option++)
			print_zsh_option(option);
		printf("\t\t\t'1:word:");
		if (command->words || !strcmp(command->name, "export")) {
			putchar('(');
			print_words(command);
			putchar(')');
		} else {
			printf("_files");
		}
		printf("' '*:file:_files'\n\t\t;;\n");
	}
	printf("esac\n");
}

int scope_cmd_completion(int argc, char **argv)
{
	int option;

	while ((option = scope_cmd_line_next("completion", argc, argv)) != -1) {
		if (option != 'h')
			return scope_cmd_line_wrong("completion", argv);
		scope_cmd_line_help("completion");
		return SCOPE_EXIT_DONE;
	}
	if (optind + 1 != argc)
		return scope_cmd_misuse("completion", "for which shell: bash or zsh?");
	if (!strcmp(argv[optind], "bash"))
		print_bash();
	else if (!strcmp(argv[optind], "zsh"))
		print_zsh();
	else
		return scope_cmd_misuse("completion", "for bash or zsh, not '%s'", argv[optind]);
	return SCOPE_EXIT_DONE;
}
