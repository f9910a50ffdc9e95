// SPDX-License-Identifier: GPL-2.0-only
/* Small files that would need much memory are refused before they use it; the message names the frame. */
#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include "trace/format.h"
#include "trace_fixture.h"

static const struct scope_file_header header = {
	.magic = "SCOPEtrc",
	.byte_order = SCOPE_FILE_BYTE_ORDER,
	.version = SCOPE_FILE_VERSION,
	.oldest_reader = SCOPE_FILE_OLDEST_READER,
	.header_bytes = sizeof(struct scope_file_header),
};

/* Appends a frame whose payload decompresses to `bytes` of that byte, and how long the file is then. */
static off_t put_frame(int fd, uint16_t type, uint32_t cpu, uint8_t byte, size_t bytes)
{
	uint8_t *raw = malloc(bytes);
	size_t room = ZSTD_compressBound(bytes), padded;
	uint8_t *payload = calloc(1, room + SCOPE_FRAME_ALIGN);
	struct scope_frame frame = {
		.magic = SCOPE_FRAME_MAGIC,
		.type = type,
		.flags = SCOPE_FRAME_ZSTD,
		.cpu = cpu,
		.raw_bytes = (uint32_t)bytes,
	};

	assert_non_null(raw);
	assert_non_null(payload);
	memset(raw, byte, bytes);
	frame.payload_bytes = (uint32_t)ZSTD_compress(payload, room, raw, bytes, 1);
	frame.payload_crc = (uint32_t)crc32(0, payload, frame.payload_bytes);
	frame.head_crc = (uint32_t)crc32(0, (const uint8_t *)&frame, offsetof(struct scope_frame, head_crc));
	padded = scope_trace_frame_padded(frame.payload_bytes);
	assert_int_equal(write(fd, &frame, sizeof(frame)), sizeof(frame));
	assert_int_equal(write(fd, payload, padded), padded);
	free(raw);
	free(payload);
	return lseek(fd, 0, SEEK_CUR);
}

static int begin(void)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	assert_int_equal(write(fd, &header, sizeof(header)), sizeof(header));
	return fd;
}

static void check_refused(int fd, const char *what, off_t first, off_t last)
{
	struct scope_error error = { "" };
	struct scope_trace *trace;
	unsigned long long at;

	assert_int_equal(scope_trace_open_fd(fd, "bomb", &error, &trace), -E2BIG);
	assert_non_null(strstr(error.text, what));
	assert_int_equal(sscanf(error.text, "bomb: with the frame at byte %llu ", &at), 1);
	assert_in_range(at, first, last);
	close(fd);
}

static void test_metadata(void **state)
{
	off_t end = 0, ninth = 0;
	int fd = begin();

	(void)state;
	for (int i = 0; i < 400; i++) {
		end = put_frame(fd, SCOPE_FRAME_META, 0, 0, SCOPE_FRAME_RAW_MAX);
		if (i == 8)
			ninth = end;
	}
	assert_in_range(end, 1, 400000);
	/* 128 MiB are eight of them; the rows of 6.2 GB of them are not made. */
	check_refused(fd, "its metadata would take more than 1", sizeof(header), ninth);
}

/* Rows are larger than what they are made of: a symbol of 17 bytes takes 48. */
static void test_rows(void **state)
{
	off_t end = 0;
	int fd = begin();

	(void)state;
	for (int i = 0; i < 4; i++)
		end = put_frame(fd, SCOPE_FRAME_SYMBOLS, 0, 0, SCOPE_FRAME_RAW_MAX);
	check_refused(fd, "its metadata would take more than", sizeof(header), end);
}

/* A name that no zero byte ends is damage, and the others are read. */
static void test_damage_is_no_bomb(void **state)
{
	struct scope_trace *trace;
	int fd = begin();

	(void)state;
	for (int i = 0; i < 7; i++)
		put_frame(fd, SCOPE_FRAME_META, 0, 1, SCOPE_FRAME_RAW_MAX / 2);
	assert_int_equal(scope_trace_open_fd(fd, "bomb", NULL, &trace), 0);
	assert_non_null(strstr(scope_trace_damage(trace), "7 damaged frames"));
	scope_trace_close(trace);
	close(fd);
}

static void test_subbufs(void **state)
{
	off_t end = 0;
	int fd = begin();

	(void)state;
	for (uint32_t cpu = 0; cpu < 300; cpu++)
		end = put_frame(fd, SCOPE_FRAME_SUBBUF, cpu, 0, SCOPE_FRAME_RAW_MAX);
	check_refused(fd, "its sub-buffers would take more than", sizeof(header), end / 8);
}

/* What a recorder may write: 128 CPUs with sub-buffers of 256 KiB, all nothing but the same byte. */
static void test_real_sizes_are_read(void **state)
{
	struct scope_trace *trace;
	int fd = begin();

	(void)state;
	for (uint32_t cpu = 0; cpu < 128; cpu++)
		put_frame(fd, SCOPE_FRAME_SUBBUF, cpu, 0, SCOPE_SUBBUF_BYTES_DEFAULT);
	for (int i = 0; i < 10; i++)
		put_frame(fd, SCOPE_FRAME_META, 0, 0, 1 << 20);
	assert_int_equal(scope_trace_open_fd(fd, "large", NULL, &trace), 0);
	scope_trace_close(trace);
	close(fd);
}

static void test_memory_stayed_small(void **state)
{
	struct rusage usage;

	(void)state;
	getrusage(RUSAGE_SELF, &usage);
	assert_in_range(usage.ru_maxrss, 1, 900 << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_metadata),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_damage_is_no_bomb),
		cmocka_unit_test(test_subbufs),
		cmocka_unit_test(test_real_sizes_are_read),
		cmocka_unit_test(test_memory_stayed_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
