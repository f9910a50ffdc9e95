// SPDX-License-Identifier: GPL-2.0-only
/* Fill a struct scope_error. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

int scope_error_set(struct scope_error *error, int err, const char *format, ...)
{
	if (error) {
		char text[sizeof(error->text)];
		va_list arguments;

		va_start(arguments, format);
		vsnprintf(text, sizeof(text), format, arguments);
		va_end(arguments);
		/* The text may hold names that other programs chose. */
		scope_plain_put(error->text, sizeof(error->text), text, strlen(text), SCOPE_PLAIN_SENTENCE);
	}
	return err;
}
