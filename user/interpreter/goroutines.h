/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads from outside where goroutines of a Go program wait.
 *
 *   allgptr ──► g, g, g …   g: stack, status, where it parked ──► its frames, by frame pointers
 *
 * A goroutine that waits is in no thread, so no thread's stack shows it. The runtime has a list of all goroutines:
 * `allgptr` and `allglen`, which its own function runtime.forEachGRace reads without a lock. A goroutine does not
 * change its stack while it waits; its stack is used only if the goroutine is the same before and after the read. As in
 * interpreter.h, the process is not changed, nothing waits for it, and its memory is not trusted.
 */
#ifndef SCOPE_INTERPRETER_GOROUTINES_H
#define SCOPE_INTERPRETER_GOROUTINES_H

#include "interpreter/remote_memory.h"
#include "interpreter/waiting_tasks.h"

#define SCOPE_GOROUTINE_CODE_MAX 1024 /* bytes of runtime.forEachGRace */

/* Where the list is, and offsets of members of its structures. */
struct scope_goroutines {
	uint64_t list, length;	   /* addresses of allgptr and allglen */
	uint32_t status;	   /* offsets in struct g */
	uint64_t sleep, sleep_end; /* addresses of the function time.Sleep; 0, 0: not known */
};

/*
 * version: that of the program, "go1.19.8". code: that of runtime.forEachGRace, which begins at address. Returns false
 * if the version, the machine or the code is not known.
 */
bool scope_interpreter_goroutines_find(const char *version, uint64_t address, const uint8_t *code, size_t bytes,
				       struct scope_goroutines *ret_goroutines);

/*
 * Finds all goroutines that wait at now_ns. A goroutine with the same words on its stack as at the look before has
 * waited since then; if it ran in between, the words differ. For one in time.Sleep only the words of its outer callers
 * are compared, so a goroutine that sleeps repeatedly has waited since the first sleep. A goroutine in a system call is
 * in a thread, which has stacks of its own, so it counts only after a second. Returns false if the list cannot be read.
 */
bool scope_interpreter_goroutines_look(struct scope_memory *memory, const struct scope_goroutines *goroutines,
				       uint64_t now_ns, struct scope_waiting_tasks *waits,
				       struct scope_waiting_places *ret_places);

#endif
