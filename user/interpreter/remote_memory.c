// SPDX-License-Identifier: GPL-2.0-only
/* Reads memory of a process by whole pages, up to a limit. */
#include "interpreter/remote_memory.h"

#include <string.h>
#include <sys/uio.h>

#define ADDRESS_MIN SCOPE_MEMORY_PAGE
#define ADDRESS_END (1ull << 56) /* after all user addresses of the machines that Scope knows */

void scope_interpreter_memory_begin(struct scope_memory *memory, uint32_t reads)
{
	memory->left = reads;
	memset(&memory->pages, 0, sizeof(memory->pages));
	memset(memory->used, 0, sizeof(memory->used));
}

void scope_interpreter_memory_used(const struct scope_memory *memory, struct scope_memory_pages *ret_pages)
{
	for (size_t i = 0; i < SCOPE_MEMORY_PAGES; i++)
		ret_pages->address[i] = memory->used[i] ? memory->pages.address[i] : 0;
}

void scope_interpreter_memory_begin_with(struct scope_memory *memory, uint32_t reads,
					 const struct scope_memory_pages *pages)
{
	size_t count = 0, read = 0;

	scope_interpreter_memory_begin(memory, reads);
	for (size_t i = 0; i < SCOPE_MEMORY_PAGES; i++)
		if (pages->address[i])
			memory->pages.address[count++] = pages->address[i];
	if (count && memory->read_pages)
		read = memory->read_pages(memory->context, memory->pages.address, memory->data, count);
	for (size_t i = read; i < count; i++)
		memory->pages.address[i] = 0;
	memory->next = (uint32_t)read;
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

/* Gets the page that contains that address; NULL: it cannot be read. */
static const uint8_t *page_of(struct scope_memory *memory, uint64_t address)
{
	const uint64_t start = address & ~(uint64_t)(SCOPE_MEMORY_PAGE - 1);
	size_t at;

	for (size_t i = 0; i < SCOPE_MEMORY_PAGES; i++)
		if (memory->pages.address[i] == start) {
			memory->used[i] = true;
			return memory->data[i];
		}
	at = memory->next++ % SCOPE_MEMORY_PAGES;
	memory->pages.address[at] = 0;
	if (!scope_interpreter_memory_now(memory, start, memory->data[at], SCOPE_MEMORY_PAGE))
		return NULL;
	memory->pages.address[at] = start;
	memory->used[at] = true;
	return memory->data[at];
}

bool scope_interpreter_memory_get(struct scope_memory *memory, uint64_t address, void *data, size_t bytes)
{
	uint8_t *to = data;

	if (!may_be_read(memory, address, bytes))
		return false;
	while (bytes) {
		const size_t offset = address % SCOPE_MEMORY_PAGE;
		const size_t part = bytes < SCOPE_MEMORY_PAGE - offset ? bytes : SCOPE_MEMORY_PAGE - offset;
		const uint8_t *page = page_of(memory, address);

		if (!page)
			return false;
		memcpy(to, page + offset, part);
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

size_t scope_interpreter_memory_pages_of_process(void *context, const uint64_t *address,
						 uint8_t (*data)[SCOPE_MEMORY_PAGE], size_t count)
{
	struct iovec local[SCOPE_MEMORY_PAGES], remote[SCOPE_MEMORY_PAGES];
	const uint32_t *pid = context;
	ssize_t got;

	if (count > SCOPE_MEMORY_PAGES)
		count = SCOPE_MEMORY_PAGES;
	for (size_t i = 0; i < count; i++) {
		local[i] = (struct iovec){ data[i], SCOPE_MEMORY_PAGE };
		remote[i] = (struct iovec){ (void *)(uintptr_t)address[i], SCOPE_MEMORY_PAGE };
	}
	got = process_vm_readv((pid_t)*pid, local, count, remote, count, 0);
	return got > 0 ? (size_t)got / SCOPE_MEMORY_PAGE : 0;
}
