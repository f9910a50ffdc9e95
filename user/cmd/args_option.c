// SPDX-License-Identifier: GPL-2.0-only
/* Parses --args: which arguments of system calls a trace has. */
#include "cmd/args_option.h"

#include <errno.h>
#include <string.h>

#include "base/syscall_args.h"
#include "base/syscall_name.h"
#include "capture/defaults.h"
#include "cmd/cmd.h"

#define CALL_BYTES 40 /* no rule: longer than the longest name */

static void raise_to(uint8_t *count, uint8_t least)
{
	if (*count < least)
		*count = least;
}

/* Takes names of arguments. A call records its first arguments, up to the last one with such a name. */
static int take_names(const char *call, uint16_t nr, const char *names, uint8_t *count, struct scope_error *error)
{
	const struct scope_syscall_args *args = scope_syscall_args_of(nr);

	if (!args)
		return scope_error_set(error, -EINVAL,
				       "--args: the arguments of %s have no names here; %s=3 records its first three",
				       call, call);
	for (;;) {
		const size_t length = strcspn(names, ",");
		const uint8_t place = scope_syscall_args_place(args, names, (unsigned)length);

		if (!place)
			return scope_error_set(error, -EINVAL, "--args: the arguments of %s are %s, not '%.40s'", call,
					       args->names, names);
		raise_to(count, place);
		if (!names[length])
			return 0;
		names += length + 1;
	}
}

int scope_cmd_args_parse(const char *value, uint8_t counts[SCOPE_SYSCALL_MAX], struct scope_error *error)
{
	const char *equals = strchr(value, '=');
	char call[CALL_BYTES];
	uint64_t number;
	uint16_t nr;

	if (!strcmp(value, "all")) {
		scope_capture_parameter_arg_counts(counts);
		return 0;
	}
	if (!equals || equals == value || (size_t)(equals - value) >= sizeof(call))
		return scope_error_set(error, -EINVAL,
				       "--args wants all, a call and its arguments as write=fd,count, or how many as "
				       "write=3, not '%.60s'",
				       value);
	memcpy(call, value, (size_t)(equals - value));
	call[equals - value] = '\0';
	if (scope_syscall_number(call, &nr) || nr >= SCOPE_SYSCALL_MAX)
		return scope_error_set(error, -EINVAL, "--args: there is no system call '%s'", call);
	if (equals[1] >= '0' && equals[1] <= '9') {
		if (scope_cmd_number(equals + 1, 0, SCOPE_ARG_MAX, &number))
			return scope_error_set(error, -EINVAL, "--args: %s=N records the first 0 to %d arguments", call,
					       SCOPE_ARG_MAX);
		raise_to(&counts[nr], (uint8_t)number);
		return 0;
	}
	return take_names(call, nr, equals + 1, &counts[nr], error);
}
