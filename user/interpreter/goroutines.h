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

#define SCOPE_GOROUTINES_MAX 16384    /* of one process that are looked at */
#define SCOPE_GOROUTINE_FRAMES 64     /* of one stack; the outer ones beyond are left out */
#define SCOPE_GOROUTINE_PLACES 512    /* different stacks of one look; others are left out */
#define SCOPE_GOROUTINE_CODE_MAX 1024 /* bytes of runtime.forEachGRace */

/* Where the list is, and members of its structures. */
struct scope_goroutines {
	uint64_t list, length;	   /* addresses of allgptr and allglen */
	uint32_t status;	   /* offsets in struct g */
	uint64_t sleep, sleep_end; /* where time.Sleep is; 0, 0: not known */
};

#define SCOPE_GOROUTINE_WAITED_MAX 255 /* seconds */

/*
 * Goroutines that wait with the same stack. Those that have waited for a second are apart from the others. One in a system call is
 * in a thread, which has stacks of its own, and counts only once it has been there for a second.
 */
struct scope_goroutine_place {
	uint32_t goroutines;
	uint32_t waited_s; /* for how long the first of them has, at most SCOPE_GOROUTINE_WAITED_MAX; 0: none for a second */
	uint16_t count;
	bool cut;	/* there are more frames */
	uint64_t first; /* in struct scope_goroutine_places: its addresses */
};

struct scope_goroutine_places {
	uint32_t places, looked, torn;
	uint32_t addresses;
	struct scope_goroutine_place place[SCOPE_GOROUTINE_PLACES];
	uint64_t address[SCOPE_GOROUTINE_PLACES *
			 SCOPE_GOROUTINE_FRAMES]; /* innermost first: program counter, return addresses */
};

/*
 * version: as the program says, "go1.19.8". code: of runtime.forEachGRace, which begins at address. false: the
 * version, the machine or the code is not known.
 */
bool scope_interpreter_goroutines_find(const char *version, uint64_t address, const uint8_t *code, size_t bytes,
				       struct scope_goroutines *ret_goroutines);

#define SCOPE_GOROUTINE_WAITS 32768 /* a power of two, above SCOPE_GOROUTINES_MAX */

/* How each one waited in the last look. Begins with zeros; one for each process. */
struct scope_goroutine_waits {
	uint64_t look; /* number of the last one */
	struct scope_goroutine_wait {
		uint64_t g, hash, since_ns, look;
	} row[SCOPE_GOROUTINE_WAITS];
};

/*
 * All that wait at now_ns. One that has the same words on its stack as in the look before has waited since then: one that went on
 * and came back has others. Of one in time.Sleep only the words of its outer callers count, so that one that sleeps again
 * and again has waited since it began to. false: the list cannot be read.
 */
bool scope_interpreter_goroutines_look(struct scope_memory *memory, const struct scope_goroutines *goroutines,
				       uint64_t now_ns, struct scope_goroutine_waits *waits,
				       struct scope_goroutine_places *ret_places);

#endif
