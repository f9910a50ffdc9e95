// SPDX-License-Identifier: GPL-2.0-only
/* Reads memory: of a thread only pages that are present, of a process all pages. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proc/reader_internal.h"

#define PAGES_MAX (SCOPE_READER_BYTES / 4096 + 2) /* smallest pages in one request, and one before */

/* Words of /proc/PID/pagemap, one for each page: Documentation/admin-guide/mm/pagemap.rst of the kernel. */
#define PAGE_PRESENT (1ull << 63)
#define PAGE_SWAPPED (1ull << 62)
#define PAGE_OF_FILE (1ull << 61) /* also set for a page of shared memory */

static int open_of(uint32_t tid, const char *name)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/%u/%s", tid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Returns false if this kernel has no such file, or the thread has ended. */
static bool look(uint32_t tid, uint64_t first, uint64_t *page, size_t count)
{
	const int fd = open_of(tid, "pagemap");
	ssize_t got;

	if (fd < 0)
		return false;
	memset(page, 0, count * sizeof(*page));
	got = pread(fd, page, count * sizeof(*page), (off_t)(first * sizeof(*page)));
	close(fd);
	return got >= 0;
}

static bool is_there(uint64_t page)
{
	return page & (PAGE_PRESENT | PAGE_SWAPPED);
}

static size_t read_piece(uint32_t tid, uint64_t address, void *data, size_t bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct iovec local = { data, bytes }, remote[PAGES_MAX];
	size_t count = 0, done, part;
	ssize_t got;

	/*
	 * There is one piece for each page, because the call copies only whole pieces and stops at the first one that
	 * it cannot read.
	 */
	for (done = 0; done < bytes; done += part) {
		part = page - (address + done) % page;
		if (part > bytes - done)
			part = bytes - done;
		remote[count++] = (struct iovec){ (void *)(uintptr_t)(address + done), part };
	}
	got = process_vm_readv((pid_t)tid, &local, 1, remote, count, 0);
	return got > 0 ? (size_t)got : 0;
}

static size_t bring_in(uint32_t tid, uint64_t address, size_t count)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const int fd = open_of(tid, "mem");
	uint8_t byte;
	size_t i;

	for (i = 0; fd >= 0 && i < count; i++)
		if (pread(fd, &byte, 1, (off_t)(address + i * size)) != 1)
			break;
	if (fd >= 0)
		close(fd);
	return i;
}

/*
 * Returns how many of the pages [first, last) of page[] may be read; the word at first - 1 is that
 * of the page before them. An absent page was never written to, or another process (userfaultfd,
 * FUSE) must supply it. After a page of private memory, such as a stack, /proc/PID/mem maps the
 * kernel's page of zeros or fails; it does not wait for userfaultfd, as process_vm_readv() does.
 * Two cases cannot be excluded: a file is mapped right after that page, or a page disappears
 * between this check and the read.
 */
static size_t readable(uint32_t tid, uint64_t address, const uint64_t *page, size_t first, size_t last)
{
	if (is_there(page[first]))
		return last - first;
	if (!is_there(page[first - 1]) || page[first - 1] & PAGE_OF_FILE)
		return 0;
	return bring_in(tid, address, last - first);
}

/* Number of pages of the same kind, from first on. */
static size_t end_of_run(const uint64_t *page, size_t first, size_t count)
{
	size_t last = first + 1;

	while (last < count && is_there(page[last]) == is_there(page[first]))
		last++;
	return last;
}

ssize_t scope_proc_reader_read_supplied(uint32_t tgid, uint64_t address, void *data, size_t bytes)
{
	return (ssize_t)read_piece(tgid, address, data, bytes < SCOPE_READER_BYTES ? bytes : SCOPE_READER_BYTES);
}

ssize_t scope_proc_reader_read_memory(uint32_t tid, uint64_t address, void *data, size_t bytes)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const uint64_t first = address / size;
	uint64_t page[PAGES_MAX];
	size_t done = 0, count, last, stop, want, got;

	if (bytes > SCOPE_READER_BYTES)
		bytes = SCOPE_READER_BYTES;
	if (!bytes || !first || address + bytes < address)
		return 0;
	count = (size_t)((address + bytes - 1) / size - first + 2);
	if (!look(tid, first - 1, page, count))
		return (ssize_t)read_piece(tid, address, data, bytes);
	for (size_t i = 1; i < count; i = last) {
		last = end_of_run(page, i, count);
		stop = i + readable(tid, address + done, page, i, last);
		if (stop == i)
			break;
		want = (size_t)((first - 1 + stop) * size - address);
		want = (want < bytes ? want : bytes) - done;
		got = read_piece(tid, address + done, (uint8_t *)data + done, want);
		done += got;
		if (stop < last || got < want)
			break;
	}
	return (ssize_t)done;
}

void scope_proc_reader_touch_pages(uint32_t tid, uint64_t address, uint32_t pages)
{
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t page[PAGES_MAX];
	const size_t count = pages < PAGES_MAX ? pages + 1 : PAGES_MAX;

	if (address >= size && count > 1 && look(tid, address / size - 1, page, count) && !is_there(page[1]))
		readable(tid, address, page, 1, end_of_run(page, 1, count));
}
