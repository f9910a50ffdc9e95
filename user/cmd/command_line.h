/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the options of a command, and prints its help, by the table of commands. */
#ifndef SCOPE_CMD_COMMAND_LINE_H
#define SCOPE_CMD_COMMAND_LINE_H

/*
 * The next option of argv, by the table of that command: its key, with optarg its value, -1 after
 * the last one, with optind as getopt_long() sets it, or '?' for one that is not understood.
 */
int scope_cmd_line_next(const char *name, int argc, char **argv);

/* Prints what is wrong with the option for which scope_cmd_line_next() just returned '?'. Returns SCOPE_EXIT_USAGE. */
int scope_cmd_line_wrong(const char *name, char **argv);

/* The help of a command on stdout. */
void scope_cmd_line_help(const char *name);

#endif
