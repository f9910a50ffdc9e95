// SPDX-License-Identifier: GPL-2.0-only
/* Reads keys of the terminal while a capture runs. */
#include "cmd/terminal_keys.h"

#include <unistd.h>

void scope_cmd_terminal_keys_take(struct scope_cmd_keys *keys)
{
	struct termios raw;

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &keys->before))
		return;
	raw = keys->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	keys->taken = !tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

char scope_cmd_terminal_keys_next(const struct scope_cmd_keys *keys)
{
	char key;

	return keys->taken && read(STDIN_FILENO, &key, 1) == 1 ? key : 0;
}

void scope_cmd_terminal_keys_release(struct scope_cmd_keys *keys)
{
	if (keys->taken)
		tcsetattr(STDIN_FILENO, TCSANOW, &keys->before);
	keys->taken = false;
}
