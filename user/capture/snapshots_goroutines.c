// SPDX-License-Identifier: GPL-2.0-only
/* Finds the goroutines of a process by the file of its program. */
#include "capture/snapshots_goroutines.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "proc/file.h"
#include "symbol/goprogram.h"

#define WALKER "runtime.forEachGRace" /* reads the list without a lock; every program has it since Go 1.17 */
#define SLEEPER "time.Sleep"
#define FILE_MAX (1ll << 30) /* bytes of the largest program that is read */
#define FIND_READS 8u	     /* reads of its memory */
#define NOT_GO 64	     /* no rule: programs that are remembered as no Go programs */

/* Files that are no Go programs. They are remembered because servers start the same programs again and again. */
static struct {
	dev_t device;
	ino_t inode;
} not_go[NOT_GO];
static unsigned not_gos;

static bool is_known(const struct stat *file)
{
	for (unsigned i = 0; i < NOT_GO; i++)
		if (not_go[i].inode == file->st_ino && not_go[i].device == file->st_dev)
			return true;
	return false;
}

static void note_known(const struct stat *file)
{
	not_go[not_gos % NOT_GO].device = file->st_dev;
	not_go[not_gos++ % NOT_GO].inode = file->st_ino;
}

static bool read_program(int fd, struct scope_go_program *ret_program)
{
	Elf *elf;
	bool found;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	found = elf && !scope_symbol_go_program_read(elf, WALKER, SLEEPER, ret_program);
	elf_end(elf);
	return found;
}

/* Finds the address at which offset 0 of that file is mapped. */
static bool find_start(uint32_t tgid, const struct stat *file, uint64_t *ret_start)
{
	char *maps, line[256]; /* the path in a line may be cut */
	bool found = false;

	if (scope_proc_file_read(&maps, "/proc/%" PRIu32 "/maps", tgid))
		return false;
	for (const char *at = maps; !found && scope_lines_take(&at, line, sizeof(line));) {
		uint64_t start, offset, inode;

		found = sscanf(line, "%" SCNx64 "-%*x %*s %" SCNx64 " %*s %" SCNu64, &start, &offset, &inode) == 3 &&
			!offset && inode == file->st_ino;
		if (found)
			*ret_start = start;
	}
	free(maps);
	return found;
}

static enum scope_snapshots_go find(uint32_t tgid, int fd, const struct stat *file, struct scope_memory *memory,
				    struct scope_goroutines *ret_goroutines)
{
	uint8_t code[SCOPE_GOROUTINE_CODE_MAX];
	struct scope_go_program program;
	uint64_t start, bytes;

	if (!read_program(fd, &program)) {
		note_known(file);
		return SCOPE_SNAPSHOTS_GO_ABSENT;
	}
	if (!program.start || !find_start(tgid, file, &start))
		return SCOPE_SNAPSHOTS_GO_UNKNOWN;
	bytes = program.end - program.start < sizeof(code) ? program.end - program.start : sizeof(code);
	scope_interpreter_memory_begin(memory, FIND_READS);
	start -= program.first;
	if (!scope_interpreter_memory_get(memory, start + program.start, code, bytes) ||
	    !scope_interpreter_goroutines_find(program.version, start + program.start, code, bytes, ret_goroutines))
		return SCOPE_SNAPSHOTS_GO_UNKNOWN;
	if (program.other_start) {
		ret_goroutines->sleep = start + program.other_start;
		ret_goroutines->sleep_end = start + program.other_end;
	}
	return SCOPE_SNAPSHOTS_GO_FOUND;
}

enum scope_snapshots_go scope_capture_snapshots_go_find(uint32_t tgid, struct scope_memory *memory,
							struct scope_goroutines *ret_goroutines)
{
	enum scope_snapshots_go found = SCOPE_SNAPSHOTS_GO_ABSENT;
	struct stat file;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/exe", tgid);
	if (stat(path, &file) || !S_ISREG(file.st_mode) || file.st_size > FILE_MAX || is_known(&file))
		return SCOPE_SNAPSHOTS_GO_ABSENT;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return SCOPE_SNAPSHOTS_GO_ABSENT;
	found = find(tgid, fd, &file, memory, ret_goroutines);
	close(fd);
	return found;
}
