/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads from outside where goroutines of a Go program wait.
 *
 *   allgptr ──► g, g, g …   g: stack, status, where it parked ──► its frames, by frame pointers
 *
 * A goroutine that waits is in no thread, so no thread's stack shows it. The runtime has a list of all of them, of which
 * it uses the two words `allgptr` and `allglen` itself in runtime.forEachGRace, without a lock. A goroutine that waits changes
 * nothing of its stack; it is read only if it is the same before and after that. As in interpreter.h, nothing of the process is
 * changed or waited for, and all of it may lie.
 */
#ifndef SCOPE_INTERPRETER_GOROUTINES_H
#define SCOPE_INTERPRETER_GOROUTINES_H

#include "interpreter/remote_memory.h"
#include "interpreter/waiting_tasks.h"

#define SCOPE_GOROUTINE_CODE_MAX 1024 /* bytes of runtime.forEachGRace */

/* Where the list is, and members of its structures. */
struct scope_goroutines {
	uint64_t list, length;	   /* addresses of allgptr and allglen */
	uint32_t status;	   /* offsets in struct g */
	uint64_t sleep, sleep_end; /* where time.Sleep is; 0, 0: not known */
};

/*
 * version: as the program says, "go1.19.8". code: of runtime.forEachGRace, which begins at address. false: the
 * version, the machine or the code is not known.
 */
bool scope_interpreter_goroutines_find(const char *version, uint64_t address, const uint8_t *code, size_t bytes,
				       struct scope_goroutines *ret_goroutines);

/*
 * All that wait at now_ns. One that has the same words on its stack as in the look before has waited since then: one that went on
 * and came back has others. Of one in time.Sleep only the words of its outer callers count, so that one that sleeps again
 * and again has waited since it began to. One in a system call is in a thread, which has stacks of its own, and counts only once it has
 * been there for a second. false: the list cannot be read.
 */
bool scope_interpreter_goroutines_look(struct scope_memory *memory, const struct scope_goroutines *goroutines,
				       uint64_t now_ns, struct scope_waiting_tasks *waits,
				       struct scope_waiting_places *ret_places);

#endif
