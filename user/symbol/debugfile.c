// SPDX-License-Identifier: GPL-2.0-only
/* Looks for separate debug files in the folders where distributions put them. */
#include "symbol/debugfile.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define DEBUG_ROOT "/usr/lib/debug"

static bool same_build_id(int fd, const unsigned char *id, int id_bytes)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *found;
	ssize_t bytes = elf ? dwelf_elf_gnu_build_id(elf, &found) : -1;
	bool same = bytes == id_bytes && !memcmp(found, id, id_bytes);

	elf_end(elf);
	return same;
}

static bool same_crc(int fd, GElf_Word crc)
{
	unsigned char buffer[16384];
	uLong sum = crc32(0, NULL, 0);
	ssize_t got;
	off_t at = 0;

	while ((got = pread(fd, buffer, sizeof(buffer), at)) > 0) {
		sum = crc32(sum, buffer, got);
		at += got;
	}
	return !got && sum == crc;
}

/* The file descriptor, or -1 where the file is absent or another one. */
static int try_open(const char *path, const unsigned char *id, int id_bytes, GElf_Word crc)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    (id_bytes > 0 ? same_build_id(fd, id, id_bytes) : same_crc(fd, crc)))
		return fd;
	close(fd);
	return -1;
}

static int try_build_id(const char *root, const unsigned char *id, int id_bytes, char *path)
{
	int at;

	if (id_bytes < 2)
		return -1;
	at = snprintf(path, PATH_MAX, "%s" DEBUG_ROOT "/.build-id/%02x/", root, id[0]);
	for (int i = 1; i < id_bytes && at < PATH_MAX; i++)
		at += snprintf(path + at, PATH_MAX - at, "%02x", id[i]);
	if (at < PATH_MAX)
		at += snprintf(path + at, PATH_MAX - at, ".debug");
	return at < PATH_MAX ? try_open(path, id, id_bytes, 0) : -1;
}

static int try_link(const struct scope_debugfile *where, const char *root, const char *link,
		    const unsigned char *id, int id_bytes, GElf_Word crc, char *path)
{
	static const struct {
		const char *before, *behind;
	} folders[] = { { "", "" }, { "", "/.debug" }, { DEBUG_ROOT, "" } };
	const char *slash = strrchr(where->path, '/');
	int fd = -1;

	if (!link || !slash || strchr(link, '/'))
		return -1;
	for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(*folders); i++) {
		int bytes = snprintf(path, PATH_MAX, "%s%s%.*s%s/%s", root, folders[i].before,
				     (int)(slash - where->path), where->path, folders[i].behind,
				     link);

		/* A link with the name of its own file is found beside it first: not stripped. */
		if (bytes < PATH_MAX)
			fd = try_open(path, id, id_bytes, crc);
	}
	return fd;
}

int scope_debugfile_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **ret_path)
{
	const struct scope_debugfile *where = *user;
	const char *roots[] = { where->root, "" };
	const unsigned char *id = NULL;
	GElf_Addr address;
	int id_bytes = dwfl_module_build_id(module, &id, &address);
	char path[PATH_MAX];

	(void)name, (void)base, (void)file;
	for (size_t i = 0; i < (*where->root ? 2 : 1); i++) {
		int fd = try_build_id(roots[i], id, id_bytes, path);

		if (fd < 0)
			fd = try_link(where, roots[i], link, id, id_bytes, crc, path);
		if (fd >= 0) {
			*ret_path = strdup(path);
			return fd;
		}
	}
	return -1;
}
