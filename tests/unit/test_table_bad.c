// SPDX-License-Identifier: GPL-2.0-only
/* Unwind tables of files whose call frame information is wrong, overlaps, is missing, or changes while it is read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gelf.h>
#include <sys/stat.h>

#include "table_walk.h"

#define ROUNDS 400
#define DEPTH 64

/* A program, its bytes, and where its .eh_frame is. */
static struct {
	char path[128];
	uint8_t *data;
	size_t bytes, frame, frame_bytes;
	struct process process;
	struct snapshot snapshot;
} good;

static void find_frame(void)
{
	const int fd = open(good.path, O_RDONLY | O_CLOEXEC);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *scn = NULL;
	size_t names;

	assert_int_equal(elf_getshdrstrndx(elf, &names), 0);
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;

		assert_non_null(gelf_getshdr(scn, &shdr));
		if (strcmp(elf_strptr(elf, names, shdr.sh_name), ".eh_frame"))
			continue;
		good.frame = shdr.sh_offset;
		good.frame_bytes = shdr.sh_size;
	}
	elf_end(elf);
	close(fd);
	assert_true(good.frame_bytes > 100);
}

static int begin(void **state)
{
	struct stat stat;
	FILE *file;

	(void)state;
	elf_version(EV_CURRENT);
	assert_true(process_build("good", "-O2 -fomit-frame-pointer -static", good.path, sizeof(good.path)));
	assert_int_equal(lstat(good.path, &stat), 0);
	good.bytes = (size_t)stat.st_size;
	good.data = malloc(good.bytes);
	file = fopen(good.path, "r");
	assert_int_equal(fread(good.data, 1, good.bytes, file), good.bytes);
	fclose(file);
	find_frame();
	assert_true(process_start(&good.process, good.path, "run", 1));
	assert_int_equal(ptrace(PTRACE_SEIZE, good.process.pid, NULL, NULL), 0);
	assert_true(thread_halt(good.process.pid));
	assert_true(thread_snapshot(good.process.pid, SLICE_BYTES, &good.snapshot));
	return 0;
}

static int end(void **state)
{
	(void)state;
	process_stop(&good.process);
	free(good.data);
	processes_remove();
	return 0;
}

/* The file with these bytes in the place of its own. Without a name, so that nothing stays. */
static int file_of(const uint8_t *data, size_t bytes)
{
	const int fd = open(directory, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, bytes), bytes);
	return fd;
}

/* The stack of the program walked as if its file had these bytes. 0, a reason, or -1: the file has no table. */
static int walk_by(struct scope_image *image, unsigned int *ret_count)
{
	struct walk_space space = { 0 };
	uint64_t ip[DEPTH];
	uint64_t bias;
	uint8_t ended;
	int reason = -1;
	struct walk_file *file = &space.file[0];

	file->image = image;
	/* What the compiler makes the module must take, whatever it is made from. */
	file->has_table = !scope_symbol_image_table(image, &file->data, &file->bytes);
	if (file->has_table) {
		assert_int_equal(scope_unwind_table_open(file->data, file->bytes, NULL, &file->table), 0);
		space.maps = calloc(1, sizeof(*space.maps) + good.process.maps * sizeof(struct scope_unwind_map));
		for (size_t i = 0; i < good.process.maps; i++) {
			const struct scope_trace_map *map = &good.process.map[i];

			if (map->executable && !strcmp(map->path, good.path) &&
			    scope_symbol_image_bias(image, map->start, map->offset, map->end - map->start, &bias))
				space.maps->map[space.maps->count++] = (struct scope_unwind_map){ map->start, map->end,
												  map->start + bias,
												  &file->table, false };
		}
		reason = walk_stack(&space, &good.snapshot, ip, DEPTH, ret_count, &ended);
		free(space.maps);
		free(file->data);
	}
	return reason;
}

/* Returns as walk_by() does, or -2: it is no program at all. */
static int walk_bytes(const uint8_t *data, unsigned int *ret_count)
{
	const int fd = file_of(data, good.bytes);
	struct scope_image *image;
	int reason;

	if (scope_symbol_image_create(fd, NULL, "changed", &image))
		return -2;
	reason = walk_by(image, ret_count);
	scope_symbol_image_destroy(image);
	return reason;
}

/* Bytes at random: lengths, ranges that overlap, rules that are others. Each is refused, or a walk by it ends. */
static void test_lies(void **state)
{
	uint8_t *data = malloc(good.bytes);
	unsigned int count, walked = 0, copied = 0;

	(void)state;
	srand(1);
	assert_int_equal(walk_bytes(good.data, &count), 0);
	assert_true(count > 3);
	for (unsigned int round = 0; round < ROUNDS; round++) {
		const unsigned int edits = 1u << rand() % 12;
		int reason;

		memcpy(data, good.data, good.bytes);
		for (unsigned int i = 0; i < edits; i++)
			data[good.frame + (size_t)rand() % good.frame_bytes] = (uint8_t)rand();
		reason = walk_bytes(data, &count);
		assert_true(reason < (int)SCOPE_COPY_REASONS && reason > -2);
		walked += !reason;
		copied += reason > 0;
		assert_true(reason || (count && count <= DEPTH));
	}
	print_message("%u walked, %u copied of %u\n", walked, copied, ROUNDS);
	assert_true(walked && copied);
	free(data);
}

/* All entries are of one range, and then each also covers what comes after it: one counts, and rows stay in order. */
static void test_overlaps(void **state)
{
	uint8_t *data = malloc(good.bytes);
	unsigned int count;

	(void)state;
	for (unsigned int way = 0; way < 2; way++) {
		size_t at = good.frame;
		unsigned int changed = 0;

		memcpy(data, good.data, good.bytes);
		while (at + 16 <= good.frame + good.frame_bytes) {
			uint32_t length, id, huge = 0x7fffffff;

			memcpy(&length, data + at, sizeof(length));
			memcpy(&id, data + at + 4, sizeof(id));
			if (!length)
				break;
			/* An entry of a function: its start, relative to here, and its size. */
			if (id && !way) {
				const uint32_t start = (uint32_t)(good.frame - at);

				memcpy(data + at + 8, &start, sizeof(start));
			}
			if (id)
				memcpy(data + at + 12, &huge, sizeof(huge));
			changed += id != 0;
			at += 4 + (size_t)length;
		}
		assert_true(changed > 100);
		assert_true(walk_bytes(data, &count) >= 0);
	}
	free(data);
}

/* Without the section walks end in copies, and so does one of zeros. */
static void test_gone(void **state)
{
	uint8_t *data = malloc(good.bytes);
	char command[512], path[160];
	struct scope_image *image;
	unsigned int count;
	int fd;

	(void)state;
	memcpy(data, good.data, good.bytes);
	memset(data + good.frame, 0, good.frame_bytes);
	assert_int_equal(walk_bytes(data, &count), SCOPE_COPY_NO_TABLE);
	free(data);
	snprintf(path, sizeof(path), "%s/bare", directory);
	snprintf(command, sizeof(command), "objcopy --remove-section .eh_frame %s %s 2>/dev/null", good.path, path);
	assert_int_equal(system(command), 0);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(scope_symbol_image_create(fd, NULL, path, &image), 0);
	assert_int_equal(walk_by(image, &count), SCOPE_COPY_NO_TABLE);
	scope_symbol_image_destroy(image);
}

/* It is written to after it was opened and before its table is made. (One that others may cut short is read from a copy: test_reader.c.) */
static void test_changes(void **state)
{
	unsigned int count;

	(void)state;
	for (unsigned int way = 0; way < 2; way++) {
		const int fd = file_of(good.data, good.bytes);
		uint8_t noise[4096];
		struct scope_image *image;

		assert_int_equal(scope_symbol_image_create(fd, NULL, "changing", &image), 0);
		memset(noise, way ? 0xff : 0, sizeof(noise));
		for (size_t at = 0; at < good.frame_bytes; at += sizeof(noise))
			assert_int_equal(pwrite(fd, noise, sizeof(noise), (off_t)(good.frame + at)), sizeof(noise));
		assert_true(walk_by(image, &count) != 0);
		scope_symbol_image_destroy(image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_overlaps),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_changes),
	};

	if (!tracing_permitted()) {
		printf("processes may not be traced here\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, begin, end);
}
