// SPDX-License-Identifier: GPL-2.0-only
/* Finds the file that a process had mapped, or explains why it cannot be used. */
#include "symbol/mapped_file.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proc/open.h"
#include "proc/reader.h"
#include "symbol/debugfile.h"
#include "symbol/runtime.h"

/*
 * The kernel's page of code is the same in all processes of a machine, so this process's own page is used. It must be
 * as large as that of the traced process (the caller checks that it has the same build-id).
 */
static int vdso_open(const struct scope_trace_map *row)
{
	const uint8_t *base = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)base;
	size_t page = sysconf(_SC_PAGESIZE), bytes;
	int fd;

	if (!base || memcmp(ehdr->e_ident, ELFMAG, SELFMAG) || ehdr->e_ident[EI_CLASS] != ELFCLASS64)
		return -ENOENT;
	bytes = ehdr->e_shoff + (size_t)ehdr->e_shnum * ehdr->e_shentsize;
	bytes = (bytes + page - 1) & ~(page - 1);
	if (bytes != row->end - row->start)
		return -ENOENT;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, base, bytes) == (ssize_t)bytes)
		return fd;
	close(fd);
	return -EIO;
}

/* 0 with file->image set; -ENOENT or another error of the file; -ESTALE: another build; -ENOMEM. */
static int image_open(const struct scope_spaces *spaces, struct scope_file *file, int fd,
		      char ret_found[SCOPE_IMAGE_ID_TEXT])
{
	struct scope_image *image;
	int err;

	if (fd < 0)
		return fd;
	err = scope_symbol_image_create(fd, &spaces->options, file->real_path, &image);
	if (err)
		return err;
	if (*file->build_id && strcmp(file->build_id, scope_symbol_image_build_id(image))) {
		strcpy(ret_found, scope_symbol_image_build_id(image));
		scope_symbol_image_destroy(image);
		return -ESTALE;
	}
	file->image = image;
	return 0;
}

static int trouble_say(struct scope_spaces *spaces, const struct scope_file *file, int err, const char *found)
{
	const char *id = *file->build_id ? file->build_id : "unknown";

	if (err == -ESTALE)
		return scope_symbol_spaces_problem(
			spaces,
			"%s: the file on disk has build-id %s, the one that ran has %s; put that "
			"version back, or name a folder that has it with --debug-dir, to see its "
			"function names",
			file->path, *found ? found : "(none)", id);
	if (file->deleted)
		return scope_symbol_spaces_problem(
			spaces,
			"%s: deleted or replaced while it ran; restart the process, or name a folder "
			"that has that version (build-id %s) with --debug-dir, to see its function "
			"names",
			file->path, id);
	return scope_symbol_spaces_problem(
		spaces,
		"%s: cannot be read (%s); copy it there, or name a folder that has it (build-id %s) "
		"with --debug-dir, to see its function names",
		file->path, err == -ENOEXEC ? "not an ELF program" : strerror(-err), id);
}

static int debug_say(struct scope_spaces *spaces, const struct scope_file *file)
{
	return scope_symbol_spaces_problem(
		spaces,
		"%s: only its debug file was found, so its functions are named, but stacks end "
		"in them; put the program itself (build-id %s) there, too",
		file->path, file->build_id);
}

/* A stripped program may still export some names to its libraries and plugins. */
static int stripped_say(struct scope_spaces *spaces, const struct scope_file *file, size_t named, size_t functions,
			const char *id)
{
	if (2 * named >= functions)
		return 0;
	if (file->image && scope_symbol_image_is_go(file->image))
		return scope_symbol_spaces_problem(
			spaces,
			"%s: names of %zu of %zu functions are known, the others are shown as %s+0x…: " SCOPE_RUNTIME_GO_NEEDS,
			file->path, named, functions, file->module);
	return scope_symbol_spaces_problem(
		spaces,
		"%s: stripped, names of %zu of %zu functions are known, the others are shown as "
		"%s+0x…; name the folder of its debug symbols with --debug-dir "
		"(/usr/lib/debug where a package has them; build-id %s)",
		file->path, named, functions, file->module, *id ? id : "none");
}

static int symbols_check(struct scope_spaces *spaces, const struct scope_file *file)
{
	const struct scope_file_functions *functions;
	int err;

	if (scope_symbol_image_is_debug(file->image))
		return debug_say(spaces, file);
	if (file->library) /* a library's names are read at the first lookup */
		return 0;
	err = scope_symbol_image_functions(file->image, &functions);
	return err ? err
		   : stripped_say(spaces, file, functions->named, functions->count,
				  scope_symbol_image_build_id(file->image));
}

int scope_symbol_file_note_problem(struct scope_spaces *spaces, struct scope_file *file)
{
	const struct scope_trace_file *recorded = file->recorded;

	if (file->said)
		return 0;
	file->said = true;
	if (!strcmp(file->path, "[vdso]"))
		return 0;
	switch (recorded->outcome) {
	case SCOPE_FILE_READ:
		return file->library || recorded->functions == UINT32_MAX
			       ? 0
			       : stripped_say(spaces, file, recorded->named, recorded->functions, file->build_id);
	case SCOPE_FILE_DEBUG:
		return debug_say(spaces, file);
	case SCOPE_FILE_OTHER:
		return trouble_say(spaces, file, -ESTALE, recorded->found);
	case SCOPE_FILE_UNREADABLE:
		break;
	}
	return trouble_say(spaces, file, recorded->error ? -recorded->error : -ENOEXEC, "");
}

/* Notes the result for a trace (names.c). 0 or -ENOMEM. */
static int outcome_note(struct scope_file *file, int err, const char *found)
{
	if (file->image) {
		file->go = file->go || scope_symbol_image_names_go(file->image);
		file->outcome = scope_symbol_image_is_debug(file->image) ? SCOPE_FILE_DEBUG : SCOPE_FILE_READ;
		return 0;
	}
	file->outcome = err == -ESTALE ? SCOPE_FILE_OTHER : SCOPE_FILE_UNREADABLE;
	file->error = err == -ENOEXEC || err == -ESTALE ? 0 : -err;
	file->found = strdup(found);
	return file->found ? 0 : -ENOMEM;
}

int scope_symbol_file_open(struct scope_spaces *spaces, struct scope_file *file, const struct scope_trace_map *row)
{
	char found[SCOPE_IMAGE_ID_TEXT] = "";
	int err = -ENOENT;

	if (!strcmp(file->path, "[vdso]")) {
		err = image_open(spaces, file, vdso_open(row), found);
		return err == -ENOMEM ? err : outcome_note(file, err, found);
	}
	if (scope_symbol_file_is_made(file))
		return 0;
	/*
	 * If the mapped file was deleted, a file that is now at its path is used only if its build-id can be
	 * compared. A file in memory has no path.
	 */
	if ((!file->deleted && !file->elf) || *file->build_id)
		err = image_open(spaces, file,
				 scope_proc_reader_open_below(spaces->options.reader,
							      scope_symbol_root(&spaces->options), file->real_path,
							      true),
				 found);
	if (err && err != -ENOMEM && (*file->build_id || file->elf)) {
		char ignored[SCOPE_IMAGE_ID_TEXT];
		int other = image_open(spaces, file,
				       scope_proc_reader_open_mapped(spaces->options.reader, row->tgid, row->start,
								     row->end, true, NULL),
				       ignored);

		err = !other || other == -ENOMEM ? other : err;
	}
	if (err && err != -ENOMEM && *file->build_id) {
		char ignored[SCOPE_IMAGE_ID_TEXT];
		int fd = scope_symbol_debugfile_program(&spaces->options, file->real_path, file->build_id);
		int other = fd < 0 ? -ENOENT : image_open(spaces, file, fd, ignored);

		err = !other || other == -ENOMEM ? other : err;
	}
	if (err == -ENOMEM || outcome_note(file, err, found))
		return -ENOMEM;
	if (file->recorded && (err || file->said)) /* the trace has more details */
		return scope_symbol_file_note_problem(spaces, file);
	file->said = true;
	return err ? trouble_say(spaces, file, err, found) : symbols_check(spaces, file);
}
