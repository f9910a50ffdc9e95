// SPDX-License-Identifier: GPL-2.0-only
/* Looks for files by build-id: separate debug files, and programs that are not at their own path. */
#include "symbol/debugfile.h"

#include <elfutils/libdwelf.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "proc/reader.h"
#include "symbol/server.h"

#define DEBUG_ROOT "/usr/lib/debug"

static bool same_build_id(int fd, const unsigned char *id, int id_bytes)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
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

/* The folders may also hold the stripped program, under the same build-id. */
static bool has_symbols(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	bool found = false;
	GElf_Shdr shdr;

	while (!found && elf && (scn = elf_nextscn(elf, scn)))
		found = gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_SYMTAB;
	elf_end(elf);
	return found;
}

/* What to search for. */
struct wanted {
	const unsigned char *id;
	int id_bytes;
	const char *link; /* NULL: none */
	GElf_Word crc;
	bool stripped; /* a stripped file is accepted, because the program itself is searched */
	struct scope_proc_reader *reader;
	char *path; /* PATH_MAX bytes: where it was found, below root */
};

/* Returns a file descriptor, or -1 if the file is absent or another build. */
static int wanted_open(const struct wanted *wanted, const char *root, int path_bytes)
{
	int fd = path_bytes < PATH_MAX ? scope_proc_reader_open_below(wanted->reader, root, wanted->path, true) : -1;

	if (fd < 0)
		return -1;
	if ((wanted->id_bytes > 0 ? same_build_id(fd, wanted->id, wanted->id_bytes) : same_crc(fd, wanted->crc)) &&
	    (wanted->stripped || has_symbols(fd)))
		return fd;
	close(fd);
	return -1;
}

/* suffix: ".debug", or "" for the program itself. */
static int try_build_id(const struct wanted *wanted, const char *root, const char *folder, const char *suffix)
{
	char *path = wanted->path;
	int at;

	if (wanted->id_bytes < 2)
		return -1;
	at = snprintf(path, PATH_MAX, "%s/.build-id/%02x/", folder, wanted->id[0]);
	for (int i = 1; i < wanted->id_bytes && at < PATH_MAX; i++)
		at += snprintf(path + at, PATH_MAX - at, "%02x", wanted->id[i]);
	if (at < PATH_MAX)
		at += snprintf(path + at, PATH_MAX - at, "%s", suffix);
	return wanted_open(wanted, root, at);
}

/* Searches the file's folder, its .debug folder, and the same folder below DEBUG_ROOT. */
static int try_link(const struct wanted *wanted, const char *root, const char *folder, const char *file)
{
	static const struct {
		const char *before, *suffix;
	} folders[] = { { "", "" }, { "", "/.debug" }, { DEBUG_ROOT, "" } };
	const char *slash = strrchr(file, '/');
	int fd = -1;

	if (!wanted->link || !slash)
		return -1;
	/* If the link has the file's own name, the first folder has the file itself: it is not stripped. */
	for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(*folders); i++)
		fd = wanted_open(wanted, root,
				 snprintf(wanted->path, PATH_MAX, "%s%s%.*s%s/%s", folder, folders[i].before,
					  (int)(slash - file), file, folders[i].suffix, wanted->link));
	return fd;
}

/* Searches a folder that the user named: by build-id, by the file's path below it, or only by its name. */
static int try_folder(const struct wanted *wanted, const char *folder, const char *file, const char *suffix)
{
	const char *slash = strrchr(file, '/');
	int fd = try_build_id(wanted, "", folder, suffix);

	if (fd < 0 && wanted->id_bytes > 0)
		fd = wanted_open(wanted, "", snprintf(wanted->path, PATH_MAX, "%s%s%s", folder, file, suffix));
	if (fd < 0 && wanted->id_bytes > 0 && slash)
		fd = wanted_open(wanted, "", snprintf(wanted->path, PATH_MAX, "%s%s%s", folder, slash, suffix));
	return fd;
}

/* The user's folders come before the distribution's, and folders below the root before those of the host. */
static int find(const struct scope_debugfile *where, const struct wanted *wanted)
{
	const char *root = scope_symbol_root(&where->options);
	const char *const *folder = where->options.debug_dir;
	int fd = -1;

	for (; fd < 0 && folder && *folder; folder++) {
		fd = try_folder(wanted, *folder, where->path, ".debug");
		if (fd < 0)
			fd = try_folder(wanted, *folder, where->path, "");
		if (fd < 0)
			fd = try_link(wanted, "", *folder, where->path);
		if (fd < 0 && wanted->link)
			fd = wanted_open(wanted, "", snprintf(wanted->path, PATH_MAX, "%s/%s", *folder, wanted->link));
	}
	if (fd < 0)
		fd = try_build_id(wanted, root, DEBUG_ROOT, ".debug");
	if (fd < 0)
		fd = try_link(wanted, root, "", where->path);
	if (fd < 0 && *root)
		fd = try_build_id(wanted, "", DEBUG_ROOT, ".debug");
	if (fd < 0 && *root)
		fd = try_link(wanted, "", "", where->path);
	return fd;
}

int scope_symbol_debugfile_find(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
				const char *link, GElf_Word crc, char **ret_path)
{
	const struct scope_debugfile *where = *user;
	char path[PATH_MAX];
	struct wanted wanted = { .link = link && !strchr(link, '/') ? link : NULL,
				 .crc = crc,
				 .reader = where->options.reader,
				 .path = path };
	GElf_Addr address;
	int fd;

	(void)name, (void)base, (void)file;
	wanted.id_bytes = dwfl_module_build_id(module, &wanted.id, &address);
	fd = find(where, &wanted);
	if (fd >= 0)
		*ret_path = strdup(path);
	else
		fd = scope_symbol_server_find(where->options.server, wanted.id, wanted.id_bytes, false, ret_path);
	return fd;
}

/* Number of bytes of a hexadecimal number; 0: it is not one. */
static int bytes_of(const char *text, unsigned char *bytes, size_t room)
{
	size_t count = strlen(text) / 2;

	if (strlen(text) % 2 || count > room)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (sscanf(text + 2 * i, "%2hhx", &bytes[i]) != 1)
			return 0;
	return (int)count;
}

int scope_symbol_debugfile_program(const struct scope_symbol_options *options, const char *file, const char *build_id)
{
	const char *const *folder = options->debug_dir;
	unsigned char id[SCOPE_DEBUGFILE_ID_MAX];
	char path[PATH_MAX];
	struct wanted wanted = { .id = id, .reader = options->reader, .path = path, .stripped = true };
	int fd = -1;

	wanted.id_bytes = bytes_of(build_id, id, sizeof(id));
	if (!wanted.id_bytes)
		return -1;
	elf_version(EV_CURRENT);
	for (; fd < 0 && folder && *folder; folder++)
		fd = try_folder(&wanted, *folder, file, "");
	if (fd < 0)
		fd = scope_symbol_server_find(options->server, id, wanted.id_bytes, true, NULL);
	for (folder = options->debug_dir; fd < 0 && folder && *folder; folder++)
		fd = try_folder(&wanted, *folder, file, ".debug");
	if (fd < 0)
		fd = try_build_id(&wanted, scope_symbol_root(options), DEBUG_ROOT, ".debug");
	if (fd < 0 && *scope_symbol_root(options))
		fd = try_build_id(&wanted, "", DEBUG_ROOT, ".debug");
	return fd;
}
