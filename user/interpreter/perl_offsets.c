// SPDX-License-Identifier: GPL-2.0-only
/* Where members are in the structures of each version of Perl, on machines of 64 bits. */
#include "interpreter/perl_offsets.h"

#include <stddef.h>

/*
 * By offsetof(), from intrpvar.h, cop.h and hv.h of the first release of each version, for builds with threads and
 * without. Offsets do not change between the releases of a version. They agree with those of OpenTelemetry's profiler;
 * the row of 5.42 is taken from there, and was tested with Debian's 5.42.3.
 */
static const struct {
	uint32_t first, last;
	struct scope_perl_offsets offsets;
} rows[] = {
	{ 0x51c,
	  0x51e,
	  { .main_stash = 208,
	    .statement = 224,
	    .stacks = 240,
	    .stack_type = 40,
	    .context_code = 64,
	    .context_bytes = 96 } },
	{ 0x520,
	  0x520,
	  { .main_stash = 208,
	    .statement = 224,
	    .stacks = 240,
	    .stack_type = 44,
	    .context_code = 72,
	    .context_bytes = 104 } },
	{ 0x522,
	  0x522,
	  { .main_stash = 192,
	    .statement = 208,
	    .stacks = 224,
	    .stack_type = 44,
	    .context_code = 72,
	    .context_bytes = 104 } },
	{ 0x524,
	  0x52a,
	  { .main_stash = 192,
	    .statement = 208,
	    .stacks = 224,
	    .stack_type = 44,
	    .context_code = 72,
	    .context_bytes = 104,
	    .hash_names = 32 } },
};

bool scope_interpreter_perl_offsets(uint32_t version, struct scope_perl_offsets *ret_offsets)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		/* Odd numbers are versions in development. */
		if (version >= rows[i].first && version <= rows[i].last && !(version & 1)) {
			*ret_offsets = rows[i].offsets;
			return true;
		}
	return false;
}
