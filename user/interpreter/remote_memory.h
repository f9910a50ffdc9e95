/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of a process whose interpreter is read. It is not trusted: it may change, be wrong, have pointers in a circle,
 * or disappear while it is read. So the number of reads is limited, and code that follows pointers ends at this limit
 * at the latest.
 */
#ifndef SCOPE_INTERPRETER_REMOTE_MEMORY_H
#define SCOPE_INTERPRETER_REMOTE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE_MEMORY_PAGE 4096u
#define SCOPE_MEMORY_PAGES 64u /* pages that are kept, because a chain of frames is usually on a few pages */

/* Addresses of pages; 0: none. */
struct scope_memory_pages {
	uint64_t address[SCOPE_MEMORY_PAGES];
};

struct scope_memory {
	/* Reads all of these bytes, or returns false. */
	bool (*read)(void *context, uint64_t address, void *data, size_t bytes);
	/* May be NULL. Reads whole pages at once; returns how many of them, from the first on, it could read. */
	size_t (*read_pages)(void *context, const uint64_t *address, uint8_t (*data)[SCOPE_MEMORY_PAGE], size_t count);
	void *context;
	uint32_t left; /* reads that are still allowed */
	uint32_t next; /* the page that is replaced next */
	struct scope_memory_pages pages;
	bool used[SCOPE_MEMORY_PAGES]; /* since begin */
	uint8_t data[SCOPE_MEMORY_PAGES][SCOPE_MEMORY_PAGE];
};

/* Forgets the pages of earlier reads, and allows that many reads from here on. */
void scope_interpreter_memory_begin(struct scope_memory *memory, uint32_t reads);

/* The same, and reads those pages at once, which an earlier look at the same data used. */
void scope_interpreter_memory_begin_with(struct scope_memory *memory, uint32_t reads,
					 const struct scope_memory_pages *pages);

/* Gets the kept pages that were used. */
void scope_interpreter_memory_used(const struct scope_memory *memory, struct scope_memory_pages *ret_pages);

/*
 * Reads whole pages, so that data on one page is read once and at one time. Returns false if it cannot be read, or the
 * limit is reached.
 */
bool scope_interpreter_memory_get(struct scope_memory *memory, uint64_t address, void *data, size_t bytes);

/* The same, but reads the present content, without kept pages. */
bool scope_interpreter_memory_now(struct scope_memory *memory, uint64_t address, void *data, size_t bytes);

static inline bool scope_interpreter_memory_word(struct scope_memory *memory, uint64_t address, uint64_t *ret_word)
{
	return scope_interpreter_memory_get(memory, address, ret_word, sizeof(*ret_word));
}

/* A function for the member `read`: process_vm_readv() of the process whose number context points to (uint32_t). */
bool scope_interpreter_memory_of_process(void *context, uint64_t address, void *data, size_t bytes);
/* The same for the member `read_pages`. */
size_t scope_interpreter_memory_pages_of_process(void *context, const uint64_t *address,
						 uint8_t (*data)[SCOPE_MEMORY_PAGE], size_t count);

#endif
