// SPDX-License-Identifier: GPL-2.0-only
/* Converts states of threads in the forms of sched_switch: letters in text, bits in binary traces. */
#include <string.h>

#include "import/import.h"

uint8_t scope_import_state(const char *letters, bool *ret_preempted)
{
	*ret_preempted = strchr(letters, '+') != NULL;
	switch (letters[0]) {
	case 'R':
		return SCOPE_STATE_RUNNABLE;
	case 'S':
		return SCOPE_STATE_SLEEPING;
	case 'D':
		return SCOPE_STATE_DISK;
	case 'T':
	case 't':
		return SCOPE_STATE_STOPPED;
	case 'X':
	case 'x':
	case 'Z':
		return SCOPE_STATE_DEAD;
	case 'I':
		return SCOPE_STATE_IDLE;
	}
	return SCOPE_STATE_OTHER;
}

uint8_t scope_import_state_bits(uint64_t bits, bool *ret_preempted)
{
	/* Preempted is the bit above all states: 4096 of older kernels, 256 from 4.14 on. */
	*ret_preempted = bits == 256 || bits == 4096;
	if (!bits || *ret_preempted)
		return SCOPE_STATE_RUNNABLE;
	if (bits & 1)
		return SCOPE_STATE_SLEEPING;
	if (bits & 2)
		return SCOPE_STATE_DISK;
	if (bits & (4 | 8))
		return SCOPE_STATE_STOPPED;
	if (bits & (16 | 32 | 64))
		return SCOPE_STATE_DEAD;
	return bits & 128 ? SCOPE_STATE_IDLE : SCOPE_STATE_OTHER;
}
