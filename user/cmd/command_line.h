/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the options of a command, and prints its help, by the table of commands. */
#ifndef SCOPE_CMD_COMMAND_LINE_H
#define SCOPE_CMD_COMMAND_LINE_H

/*
 * The next option of argv, by the table of that command. Returns its key, with its value in optarg; -1 after the last
 * option, with optind set as by getopt_long(); or '?' for an unknown option.
 */
int scope_cmd_line_next(const char *name, int argc, char **argv);

/*
 * Prints what is wrong with the option for which scope_cmd_line_next() has just returned '?'. Returns SCOPE_EXIT_USAGE.
 */
int scope_cmd_line_wrong(const char *name, char **argv);

/* Prints the help of a command on stdout. */
void scope_cmd_line_help(const char *name);

#endif
