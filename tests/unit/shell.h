/* SPDX-License-Identifier: GPL-2.0-only */
/* Shell commands that a test needs to succeed. */
#ifndef SCOPE_TESTS_UNIT_SHELL_H
#define SCOPE_TESTS_UNIT_SHELL_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 1, 2))) static inline void command(const char *format, ...)
{
	char text[2048];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (system(text))
		fail_msg("failed: %s", text);
}

#endif
