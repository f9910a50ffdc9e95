// SPDX-License-Identifier: GPL-2.0-only
/* Finds the source packages of files: by marks in them, and by the database of dpkg. */
#include "proc/package.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <elfutils/libdwelf.h>
#include <libelf.h>
#include <jansson.h>

#include "base/grow.h"
#include "base/now.h"
#include "proc/elf_notes.h"
#include "proc/open.h"

#define NOTE_TYPE 0xcafe1a7eu /* the note's owner is "FDO" */

/* ---- marks in files ---- */

/* Returns 1 for a note that names the package, and its mark. */
static int take_note(const struct scope_elf_note *note, void *context)
{
	char *mark = context;
	const char *type, *name;
	json_t *root;
	int found;

	if (!scope_proc_elf_note_is(note, NOTE_TYPE, "FDO"))
		return 0;
	root = json_loadb((const char *)note->data, strnlen((const char *)note->data, note->bytes), 0, NULL);
	found = !json_unpack(root, "{s:s, s:s}", "type", &type, "name", &name) &&
		snprintf(mark, SCOPE_PACKAGE_MARK, "%s:%s", type, name) < SCOPE_PACKAGE_MARK;
	json_decref(root);
	return found;
}

/*
 * The name of the debug file of libdns.so.1 is "libdns.so.1-9.16.23-14.el9.x86_64.debug": its end is the same in all
 * files of a source package.
 */
static int mark_of_debug_link(int fd, const char *path, char ret_mark[SCOPE_PACKAGE_MARK])
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *link = NULL;
	const size_t length = strlen(base);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	GElf_Word check;
	int found;

	if (elf && elf_kind(elf) == ELF_K_ELF)
		link = dwelf_elf_gnu_debuglink(elf, &check);
	found = link && length && !strncmp(link, base, length) && link[length] == '-' &&
		snprintf(ret_mark, SCOPE_PACKAGE_MARK, "debug:%s", link + length) < SCOPE_PACKAGE_MARK;
	elf_end(elf);
	return found;
}

void scope_proc_package_mark(int fd, const char *path, char ret_mark[SCOPE_PACKAGE_MARK])
{
	if (scope_proc_elf_notes(fd, take_note, ret_mark) != 1 && !mark_of_debug_link(fd, path, ret_mark))
		ret_mark[0] = '\0';
}

/* ---- dpkg ---- */

#define DPKG "/var/lib/dpkg/"
#define BUDGET_NS 400000000ull
#define FILE_BYTES_MAX (32u << 20)
#define LIBRARIES_BYTES_MAX (1u << 20)

/* An installed package. */
struct package {
	char *list;   /* base name, without suffix, of the file that lists its files */
	char *source; /* the source package */
};

struct dpkg {
	char root[32];
	uint64_t until_ns;
	struct package *package;
	size_t count, room;
};

/*
 * Calls each() for every line of a file. If each() returns another value than 0, the walk ends and returns it. Else
 * returns 0 or -errno.
 */
static int each_line(const struct dpkg *dpkg, const char *path, int (*each)(char *line, void *context), void *context)
{
	const int fd = scope_proc_open_below(dpkg->root, path);
	struct stat status;
	FILE *stream;
	size_t room = 0;
	char *line = NULL;
	int result = 0;

	if (fd < 0)
		return fd;
	stream = fstat(fd, &status) || status.st_size > FILE_BYTES_MAX ? NULL : fdopen(fd, "r");
	if (!stream) {
		close(fd);
		return -EFBIG;
	}
	while (!result && getline(&line, &room, stream) > 0) {
		line[strcspn(line, "\n")] = '\0';
		result = each(line, context);
	}
	free(line);
	fclose(stream);
	return result;
}

/* A paragraph of the file `status`. */
struct paragraph {
	struct dpkg *dpkg;
	char *name, *source, *arch;
	bool installed, same; /* same: it may be installed for several architectures */
};

static int paragraph_end(struct paragraph *paragraph)
{
	struct dpkg *dpkg = paragraph->dpkg;
	struct package package = { .source = paragraph->source };
	int err = 0;

	if (paragraph->name && paragraph->installed) {
		if (!package.source)
			package.source = strdup(paragraph->name);
		if (asprintf(&package.list, "%s%s%s", paragraph->name, paragraph->same && paragraph->arch ? ":" : "",
			     paragraph->same && paragraph->arch ? paragraph->arch : "") < 0)
			package.list = NULL;
		err = !package.list || !package.source ||
				      scope_grow(&dpkg->package, &dpkg->room, dpkg->count + 1, sizeof(*dpkg->package))
			      ? -ENOMEM
			      : 0;
		if (!err)
			dpkg->package[dpkg->count++] = package;
		else
			free(package.list);
	}
	if (err || !paragraph->name || !paragraph->installed)
		free(package.source);
	free(paragraph->name);
	free(paragraph->arch);
	*paragraph = (struct paragraph){ .dpkg = dpkg };
	return err;
}

/* Keeps the first word of a field's value. Returns false if the line is another field. */
static bool take_field(const char *line, const char *key, char **ret_value)
{
	const size_t bytes = strlen(key);

	if (strncmp(line, key, bytes))
		return false;
	if (!*ret_value)
		*ret_value = strndup(line + bytes, strcspn(line + bytes, " "));
	return true;
}

static int take_status(char *line, void *context)
{
	struct paragraph *paragraph = context;

	if (!*line)
		return paragraph_end(paragraph);
	if (take_field(line, "Package: ", &paragraph->name) || take_field(line, "Source: ", &paragraph->source) ||
	    take_field(line, "Architecture: ", &paragraph->arch))
		return 0;
	paragraph->installed |= !strncmp(line, "Status: ", 8) && strstr(line, " installed");
	paragraph->same |= !strcmp(line, "Multi-Arch: same");
	return 0;
}

static int read_packages(struct dpkg *dpkg)
{
	struct paragraph paragraph = { .dpkg = dpkg };
	int err = each_line(dpkg, DPKG "status", take_status, &paragraph);
	const int last = paragraph_end(&paragraph);

	return err ? err : last;
}

static const char *below_usr(const char *path)
{
	return strncmp(path, "/usr/", 5) ? path : path + 4;
}

static bool is_same_path(const char *left, size_t bytes, const char *right)
{
	const char *from = strncmp(left, "/usr/", bytes < 5 ? bytes : 5) || bytes < 5 ? left : left + 4;

	bytes -= (size_t)(from - left);
	right = below_usr(right);
	return strlen(right) == bytes && !memcmp(from, right, bytes);
}

static int find_line(char *line, void *context)
{
	return is_same_path(line, strlen(line), context);
}

/* A stream that collects paths, up to a limit. */
struct libraries {
	FILE *stream;
	size_t bytes;
};

static int keep_library(char *line, void *context)
{
	struct libraries *libraries = context;

	if (!strstr(line, ".so"))
		return 0;
	libraries->bytes += strlen(line) + 1;
	if (libraries->bytes > LIBRARIES_BYTES_MAX)
		return 1;
	fprintf(libraries->stream, "%s\n", line);
	return 0;
}

static int each_file(const struct dpkg *dpkg, const struct package *package, int (*each)(char *line, void *context),
		     void *context)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), DPKG "info/%s.list", package->list) >= (int)sizeof(path))
		return 0;
	return scope_now_ns() < dpkg->until_ns ? each_line(dpkg, path, each, context) : -ETIMEDOUT;
}

/* The source of the package with the program; NULL: no package has it, or the time ended before it was found. */
static const char *source_of(const struct dpkg *dpkg, char *program)
{
	for (size_t i = 0; i < dpkg->count; i++) {
		const int found = each_file(dpkg, &dpkg->package[i], find_line, program);

		if (found > 0)
			return dpkg->package[i].source;
		if (found == -ETIMEDOUT)
			break;
	}
	return NULL;
}

static int write_libraries(const struct dpkg *dpkg, char *program, char **ret_text)
{
	const char *source = source_of(dpkg, program);
	size_t size;
	struct libraries libraries = { .stream = open_memstream(ret_text, &size) };

	if (!libraries.stream)
		return -ENOMEM;
	for (size_t i = 0; source && i < dpkg->count; i++)
		if (!strcmp(dpkg->package[i].source, source))
			each_file(dpkg, &dpkg->package[i], keep_library, &libraries);
	return fclose(libraries.stream) ? -ENOMEM : 0;
}

int scope_proc_package_libraries(uint32_t tgid, char **ret_text)
{
	struct dpkg dpkg = { .until_ns = scope_now_ns() + BUDGET_NS };
	char link[32], program[PATH_MAX];
	ssize_t bytes;
	int err;

	snprintf(link, sizeof(link), "/proc/%u/exe", tgid);
	snprintf(dpkg.root, sizeof(dpkg.root), "/proc/%u/root", tgid);
	bytes = readlink(link, program, sizeof(program) - 1);
	if (bytes < 0)
		return -errno;
	program[bytes] = '\0';
	err = read_packages(&dpkg);
	if (!err)
		err = write_libraries(&dpkg, program, ret_text);
	for (size_t i = 0; i < dpkg.count; i++) {
		free(dpkg.package[i].list);
		free(dpkg.package[i].source);
	}
	free(dpkg.package);
	return err;
}

bool scope_proc_package_has(const char *libraries, const char *path)
{
	for (size_t bytes; *libraries; libraries += bytes + (libraries[bytes] == '\n')) {
		bytes = strcspn(libraries, "\n");
		if (is_same_path(libraries, bytes, path))
			return true;
	}
	return false;
}
