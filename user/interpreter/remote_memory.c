// SPDX-License-Identifier: GPL-2.0-only
/* Reads memory of a process by pages, up to a limit. */
#include "interpreter/remote_memory.h"

#include <string.h>
#include <sys/uio.h>

#define ADDRESS_MIN SCOPE_MEMORY_PAGE
#define ADDRESS_END (1ull << 56) /* above all user addresses of the machines that Scope knows */

void scope_interpreter_memory_begin(struct scope_memory *memory, uint32_t reads)
{
	memory->left = reads;
	for (size_t i = 0; i < SCOPE_MEMORY_PAGES; i++)
		memory->page[i].address = 0;
}

static bool may_be_read(const struct scope_memory *memory, uint64_t address, size_t bytes)
{
	return memory->left && address >= ADDRESS_MIN && address < ADDRESS_END && bytes <= ADDRESS_END - address;
}

bool scope_interpreter_memory_now(struct scope_memory *memory, uint64_t address, void *data, size_t bytes)
{
	if (!may_be_read(memory, address, bytes))
		return false;
	memory->left--;
	return memory->read(memory->context, address, data, bytes);
}

/* The page with that address; NULL: it cannot be read. */
static const struct scope_memory_page *page_of(struct scope_memory *memory, uint64_t address)
{
	const uint64_t start = address & ~(uint64_t)(SCOPE_MEMORY_PAGE - 1);
	struct scope_memory_page *page;

	for (size_t i = 0; i < SCOPE_MEMORY_PAGES; i++)
		if (memory->page[i].address == start)
			return &memory->page[i];
	page = &memory->page[memory->next++ % SCOPE_MEMORY_PAGES];
	page->address = 0;
	if (!scope_interpreter_memory_now(memory, start, page->data, sizeof(page->data)))
		return NULL;
	page->address = start;
	return page;
}

bool scope_interpreter_memory_get(struct scope_memory *memory, uint64_t address, void *data, size_t bytes)
{
	uint8_t *to = data;

	if (!may_be_read(memory, address, bytes))
		return false;
	while (bytes) {
		const size_t offset = address % SCOPE_MEMORY_PAGE;
		const size_t part = bytes < SCOPE_MEMORY_PAGE - offset ? bytes : SCOPE_MEMORY_PAGE - offset;
		const struct scope_memory_page *page = page_of(memory, address);

		if (!page)
			return false;
		memcpy(to, page->data + offset, part);
		to += part;
		address += part;
		bytes -= part;
	}
	return true;
}

bool scope_interpreter_memory_of_process(void *context, uint64_t address, void *data, size_t bytes)
{
	const uint32_t *pid = context;
	struct iovec local = { data, bytes }, remote = { (void *)(uintptr_t)address, bytes };

	return process_vm_readv((pid_t)*pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}
