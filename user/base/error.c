// SPDX-License-Identifier: GPL-2.0-only
/* Fill a struct scope_error. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int scope_error_set(struct scope_error *error, int code, const char *format, ...)
{
	if (error) {
		va_list arguments;

		va_start(arguments, format);
		vsnprintf(error->text, sizeof(error->text), format, arguments);
		va_end(arguments);
	}
	return code;
}
