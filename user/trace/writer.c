// SPDX-License-Identifier: GPL-2.0-only
/* Write a trace file: frames, compressed, checksummed and buffered. */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/grow.h"
#include "trace/format.h"

#define BUFFER_BYTES (256u << 10)
#define LEVEL_USUAL 1
#define COMPRESS_MIN_BYTES 256u /* below it the zstd frame's own head eats the gain */

struct scope_writer {
	int fd;
	char *path; /* or the name in messages */
	char *part; /* NULL: an unnamed file, fd is the caller's */
	ZSTD_CCtx *zstd;
	int level; /* 0: payloads are stored as they are */
	uint8_t *scratch; /* a metadata payload being put together */
	size_t scratch_bytes, scratch_capacity;
	uint8_t *packed; /* a payload compressed */
	size_t packed_capacity;
	size_t buffered;
	uint64_t written;
	struct scope_frame_end counts;
	int failed; /* -errno */
	struct scope_error problem;
	uint8_t buffer[BUFFER_BYTES];
};

static int fail(struct scope_writer *writer, int code)
{
	const char *remedy = "check the disk";

	if (writer->failed)
		return writer->failed;
	if (code == -ENOSPC || code == -EDQUOT)
		remedy = "make room there, or name a file on another disk";
	else if (code == -EFBIG)
		remedy = "raise the limit on file sizes (ulimit -f), or use another disk";
	else if (code == -ENOMEM)
		remedy = "free some memory";
	writer->failed = code;
	return scope_error_set(&writer->problem, code, "cannot write %s: %s; %s", writer->path,
			       strerror(-code), remedy);
}

static int write_out(struct scope_writer *writer, const uint8_t *data, size_t bytes)
{
	while (bytes) {
		ssize_t done = write(writer->fd, data, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return fail(writer, done ? -errno : -ENOSPC);
		data += done;
		bytes -= done;
	}
	return 0;
}

static int flush(struct scope_writer *writer)
{
	int ret = write_out(writer, writer->buffer, writer->buffered);

	writer->buffered = 0;
	return ret;
}

static int put(struct scope_writer *writer, const void *data, size_t bytes)
{
	int ret = 0;

	if (writer->failed)
		return writer->failed;
	writer->written += bytes;
	if (bytes > BUFFER_BYTES - writer->buffered)
		ret = flush(writer);
	if (ret)
		return ret;
	if (bytes > BUFFER_BYTES)
		return write_out(writer, data, bytes);
	memcpy(writer->buffer + writer->buffered, data, bytes);
	writer->buffered += bytes;
	return 0;
}

/* Bytes of the payload in writer->packed; 0: better stored as it is. */
static size_t compress_payload(struct scope_writer *writer, const void *raw, size_t bytes)
{
	size_t packed;

	if (!writer->level || bytes < COMPRESS_MIN_BYTES ||
	    scope_grow(&writer->packed, &writer->packed_capacity, ZSTD_compressBound(bytes), 1))
		return 0;
	packed = ZSTD_compressCCtx(writer->zstd, writer->packed, writer->packed_capacity, raw,
				   bytes, writer->level);
	return ZSTD_isError(packed) || packed >= bytes ? 0 : packed;
}

static int put_frame(struct scope_writer *writer, uint16_t type, uint32_t cpu, const void *raw,
		     size_t bytes)
{
	static const uint8_t pad[SCOPE_FRAME_ALIGN];
	struct scope_frame frame = {
		.magic = SCOPE_FRAME_MAGIC, .type = type, .cpu = cpu, .raw_bytes = bytes,
	};
	const void *payload = raw;
	int ret;

	if (writer->failed)
		return writer->failed;
	if (bytes > SCOPE_FRAME_RAW_MAX)
		return -E2BIG;
	frame.payload_bytes = compress_payload(writer, raw, bytes);
	if (frame.payload_bytes) {
		frame.flags = SCOPE_FRAME_ZSTD;
		payload = writer->packed;
	} else {
		frame.payload_bytes = bytes;
	}
	frame.payload_crc = libdeflate_crc32(0, payload, frame.payload_bytes);
	frame.head_crc = libdeflate_crc32(0, (const uint8_t *)&frame, offsetof(struct scope_frame, head_crc));
	ret = put(writer, &frame, sizeof(frame));
	if (!ret)
		ret = put(writer, payload, frame.payload_bytes);
	if (!ret)
		ret = put(writer, pad,
			  scope_frame_padded(frame.payload_bytes) - frame.payload_bytes);
	if (ret)
		return ret;
	writer->counts.frames++;
	writer->counts.subbufs += type == SCOPE_FRAME_SUBBUF;
	return 0;
}

static int put_header(struct scope_writer *writer)
{
	struct scope_file_header header = {
		.magic = SCOPE_FILE_MAGIC,
		.byte_order = SCOPE_FILE_BYTE_ORDER,
		.version = SCOPE_FILE_VERSION,
		.oldest_reader = SCOPE_FILE_OLDEST_READER,
		.header_bytes = sizeof(header),
	};

	return put(writer, &header, sizeof(header));
}

int scope_writer_create_fd(int fd, const char *name, struct scope_error *error,
			   struct scope_writer **ret_writer)
{
	struct scope_writer *writer = calloc(1, sizeof(*writer));
	int ret;

	if (!writer)
		return scope_error_set(error, -ENOMEM, "cannot write %s: out of memory", name);
	writer->fd = fd;
	writer->path = strdup(name);
	writer->zstd = ZSTD_createCCtx();
	writer->level = LEVEL_USUAL;
	ret = writer->path && writer->zstd ? put_header(writer) : -ENOMEM;
	if (ret) {
		scope_writer_destroy(writer);
		return scope_error_set(error, ret, "cannot write %s: %s", name, strerror(-ret));
	}
	*ret_writer = writer;
	return 0;
}

/*
 * The name must not lead through a link that someone else may have put there: a recorder runs as
 * root, often in /tmp.
 */
static int open_part(const char *path, const char *part, struct scope_error *error)
{
	struct stat status;
	int fd;

	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return scope_error_set(error, -EINVAL,
				       "cannot write %s: it exists and is not a regular file; "
				       "name another file", path);
	unlink(part);
	fd = open(part, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	return scope_error_set(error, -errno,
			       "cannot create %s: %s; name a file in a directory you may write to",
			       part, strerror(errno));
}

int scope_writer_create(const char *path, struct scope_error *error,
			struct scope_writer **ret_writer)
{
	struct scope_writer *writer;
	char *part;
	int fd, ret;

	if (asprintf(&part, "%s.part", path) < 0)
		return scope_error_set(error, -ENOMEM, "cannot write %s: out of memory", path);
	fd = open_part(path, part, error);
	if (fd < 0) {
		free(part);
		return fd;
	}
	ret = scope_writer_create_fd(fd, path, error, &writer);
	if (ret) {
		close(fd);
		unlink(part);
		free(part);
		return ret;
	}
	writer->part = part;
	*ret_writer = writer;
	return 0;
}

void scope_writer_set_level(struct scope_writer *writer, int level)
{
	writer->level = level;
}

static void scratch_begin(struct scope_writer *writer)
{
	writer->scratch_bytes = 0;
}

static int scratch_add(struct scope_writer *writer, const void *data, size_t bytes)
{
	size_t end = writer->scratch_bytes + bytes;

	if (scope_grow(&writer->scratch, &writer->scratch_capacity, end, 1))
		return fail(writer, -ENOMEM);
	if (bytes)
		memcpy(writer->scratch + writer->scratch_bytes, data, bytes);
	writer->scratch_bytes = end;
	return 0;
}

/* A fixed head, then two strings (the second may be NULL: none). */
static int put_strings(struct scope_writer *writer, uint16_t type, const void *head,
		       size_t head_bytes, const char *first, const char *second)
{
	int ret;

	scratch_begin(writer);
	ret = scratch_add(writer, head, head_bytes);
	if (!ret)
		ret = scratch_add(writer, first, strlen(first) + 1);
	if (!ret && second)
		ret = scratch_add(writer, second, strlen(second) + 1);
	if (ret)
		return ret;
	return put_frame(writer, type, 0, writer->scratch, writer->scratch_bytes);
}

int scope_writer_meta(struct scope_writer *writer, const char *key, const char *value)
{
	return put_strings(writer, SCOPE_FRAME_META, NULL, 0, key, value);
}

int scope_writer_map(struct scope_writer *writer, const struct scope_trace_map *map)
{
	struct scope_frame_map head = {
		.tgid = map->tgid, .executable = map->executable,
		.start = map->start, .end = map->end, .offset = map->offset,
	};

	return put_strings(writer, SCOPE_FRAME_MAP, &head, sizeof(head), map->path, map->build_id);
}

int scope_writer_symbol(struct scope_writer *writer, const struct scope_trace_symbol *symbol)
{
	struct scope_frame_symbol head = {
		.tgid = symbol->tgid, .library = symbol->library,
		.start = symbol->start, .size = symbol->size,
	};

	return put_strings(writer, SCOPE_FRAME_SYMBOL, &head, sizeof(head), symbol->name,
			   symbol->module);
}

int scope_writer_fd(struct scope_writer *writer, const struct scope_trace_fd *fd)
{
	struct scope_frame_fd head = { .tgid = fd->tgid, .fd = fd->fd, .kind = fd->kind };

	return put_strings(writer, SCOPE_FRAME_FD, &head, sizeof(head), fd->name, NULL);
}

int scope_writer_memory(struct scope_writer *writer, const struct scope_trace_memory *memory)
{
	struct scope_frame_memory head = {
		.tid = memory->tid, .bytes = memory->bytes, .address = memory->address,
	};
	int ret;

	scratch_begin(writer);
	ret = scratch_add(writer, &head, sizeof(head));
	if (!ret)
		ret = scratch_add(writer, memory->data, memory->bytes);
	if (ret)
		return ret;
	return put_frame(writer, SCOPE_FRAME_MEMORY, 0, writer->scratch, writer->scratch_bytes);
}

int scope_writer_subbuf(struct scope_writer *writer, const struct scope_subbuf *subbuf)
{
	if (subbuf->magic != SCOPE_SUBBUF_MAGIC || subbuf->used_bytes < sizeof(*subbuf) ||
	    subbuf->used_bytes > SCOPE_SUBBUF_BYTES_MAX || subbuf->used_bytes % 8)
		return -EINVAL;
	return put_frame(writer, SCOPE_FRAME_SUBBUF, subbuf->cpu, subbuf, subbuf->used_bytes);
}

uint64_t scope_writer_bytes(const struct scope_writer *writer)
{
	return writer->written;
}

const char *scope_writer_error(const struct scope_writer *writer)
{
	return writer->problem.text;
}

/* Some file systems report a full disk only as the file is closed. */
static int publish(struct scope_writer *writer)
{
	int fd = writer->fd;

	if (!writer->part)
		return 0;
	writer->fd = -1;
	if (close(fd) || rename(writer->part, writer->path))
		return fail(writer, -errno);
	free(writer->part);
	writer->part = NULL;
	return 0;
}

int scope_writer_finish(struct scope_writer *writer, struct scope_error *error)
{
	struct scope_frame_end end = writer->counts;
	int ret = put_frame(writer, SCOPE_FRAME_END, 0, &end, sizeof(end));

	if (!ret)
		ret = flush(writer);
	if (!ret)
		ret = publish(writer);
	if (ret)
		return scope_error_set(error, ret, "%s", writer->problem.text);
	return 0;
}

void scope_writer_destroy(struct scope_writer *writer)
{
	if (!writer)
		return;
	if (writer->part) {
		if (writer->fd >= 0)
			close(writer->fd);
		unlink(writer->part);
	}
	ZSTD_freeCCtx(writer->zstd);
	free(writer->part);
	free(writer->path);
	free(writer->scratch);
	free(writer->packed);
	free(writer);
}
