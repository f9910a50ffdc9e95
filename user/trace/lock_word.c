// SPDX-License-Identifier: GPL-2.0-only
/* Which thread the memory of a lock names as its owner. */
#include "trace/lock_word.h"

#include <string.h>

#include "trace/trace.h"

#define WAITERS 0x80000000u  /* no rule: FUTEX_WAITERS, as linux/futex.h has it */
#define TID_MASK 0x3fffffffu /* no rule: FUTEX_TID_MASK */
#define CEILING_SHIFT 19     /* no rule: PTHREAD_MUTEX_PRIO_CEILING_SHIFT of glibc */
#define CONTENDED 2u	     /* no rule: of glibc: locked, and others may wait */
#define MUSL_LOCKED 16u	     /* no rule: EBUSY, which musl's normal mutex has instead of an owner */
#define USERS_MAX (1u << 22) /* no rule: as many threads as Linux can have */

uint32_t scope_trace_lock_owner(const void *memory)
{
	uint32_t word[SCOPE_FUTEX_MEMORY_BYTES / 4], named;

	memcpy(word, memory, sizeof(word));
	if (!(word[0] & WAITERS)) {
		const uint32_t state = word[0] & ((1u << CEILING_SHIFT) - 1);

		return state == CONTENDED && word[3] && word[3] <= USERS_MAX ? word[2] : 0;
	}
	named = word[0] & TID_MASK;
	if (word[2])
		return word[2] == named ? named : 0;
	return named == MUSL_LOCKED ? 0 : named;
}
