/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys of the terminal on standard input, one at a time, without waiting. */
#ifndef SCOPE_CMD_TERMINAL_KEYS_H
#define SCOPE_CMD_TERMINAL_KEYS_H

#include <stdbool.h>
#include <termios.h>

/* A zeroed struct is valid and gives no keys. */
struct scope_cmd_keys {
	struct termios before; /* settings of standard input before */
	bool taken;	       /* the settings were changed */
};

/* Sets the terminal to give keys immediately and without echo. Ctrl-C still sends a signal. */
void scope_cmd_terminal_keys_take(struct scope_cmd_keys *keys);

/* The next key that was pressed; 0: none. */
char scope_cmd_terminal_keys_next(const struct scope_cmd_keys *keys);

/* Restores the terminal. */
void scope_cmd_terminal_keys_release(struct scope_cmd_keys *keys);

#endif
