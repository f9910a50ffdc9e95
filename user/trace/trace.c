// SPDX-License-Identifier: GPL-2.0-only
/* Opens a trace file: checks its header, reads its metadata, indexes its sub-buffers by CPU. */
#include "trace/trace_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/grow.h"

static const struct scope_frame *frame_at(const struct scope_trace *trace, uint64_t offset)
{
	return (const struct scope_frame *)(trace->data + offset);
}

/* Finds the CPU's index, or the place to insert it. */
static size_t cpu_place(const struct scope_trace *trace, uint32_t cpu)
{
	size_t low = 0, high = trace->cpus;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (trace->cpu[middle].cpu < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int index_subbuf(struct scope_trace *trace, uint64_t offset)
{
	const uint32_t number = frame_at(trace, offset)->cpu, raw_bytes = frame_at(trace, offset)->raw_bytes;
	size_t place = cpu_place(trace, number);
	struct scope_trace_cpu *cpu;

	if (!scope_trace_is_cpu(number) || raw_bytes > SCOPE_FRAME_RAW_MAX)
		return -EBADMSG;
	if (place == trace->cpus || trace->cpu[place].cpu != number) {
		if (scope_grow(&trace->cpu, &trace->cpu_capacity, trace->cpus + 1, sizeof(*cpu)))
			return -ENOMEM;
		cpu = &trace->cpu[place];
		memmove(cpu + 1, cpu, (trace->cpus - place) * sizeof(*cpu));
		*cpu = (struct scope_trace_cpu){ .cpu = number };
		trace->cpus++;
	}
	cpu = &trace->cpu[place];
	if (raw_bytes > cpu->largest) {
		trace->unpacked += raw_bytes - cpu->largest;
		cpu->largest = raw_bytes;
	}
	if (trace->unpacked > SCOPE_FILE_SUBBUFS_BUDGET(trace->bytes))
		return -E2BIG;
	if (scope_grow(&cpu->frame, &cpu->capacity, cpu->count + 1, sizeof(*cpu->frame)))
		return -ENOMEM;
	cpu->frame[cpu->count++] = offset;
	return 0;
}

static int read_row(struct scope_trace *trace, uint64_t offset)
{
	const struct scope_frame *frame = frame_at(trace, offset);
	uint8_t *buffer = NULL;
	size_t capacity = 0;
	const uint8_t *data;
	int err = frame->flags & SCOPE_FRAME_ZSTD ? scope_trace_spend(trace, frame->raw_bytes) : 0;

	if (!err)
		err = scope_trace_payload(trace, offset, &buffer, &capacity, NULL, &data);
	if (err) {
		free(buffer);
		return err;
	}
	if (buffer)
		err = scope_trace_keep_block(trace, buffer);
	return err ? err : scope_trace_add_row(trace, frame->type, data, frame->raw_bytes);
}

/*
 * Compares the counts in the END frame with the frames found, so that missing frames are noticed even if nothing else
 * is wrong.
 */
static int read_end(struct scope_trace *trace, uint64_t offset, uint64_t frames)
{
	const struct scope_frame_end *end;
	uint8_t *buffer = NULL;
	size_t capacity = 0;
	const uint8_t *data;
	int err = scope_trace_payload(trace, offset, &buffer, &capacity, NULL, &data);

	if (!err && frame_at(trace, offset)->raw_bytes < SCOPE_FRAME_END_BYTES_MIN)
		err = -EBADMSG;
	if (!err) {
		end = (const struct scope_frame_end *)data;
		if (end->frames > frames && !trace->damage.frames)
			trace->damage.missing = end->frames - frames;
	}
	free(buffer);
	return err;
}

static int read_frame(struct scope_trace *trace, uint64_t offset, uint64_t frames)
{
	switch (frame_at(trace, offset)->type) {
	case SCOPE_FRAME_SUBBUF:
		return index_subbuf(trace, offset);
	case SCOPE_FRAME_END:
		return read_end(trace, offset, frames);
	case SCOPE_FRAME_META:
	case SCOPE_FRAME_MAP:
	case SCOPE_FRAME_SYMBOL:
	case SCOPE_FRAME_FD:
	case SCOPE_FRAME_MEMORY:
	case SCOPE_FRAME_THREAD:
	case SCOPE_FRAME_SYMBOLS:
	case SCOPE_FRAME_INDEX:
	case SCOPE_FRAME_STOPPED_STACK:
	case SCOPE_FRAME_LOCK:
	case SCOPE_FRAME_FILE:
	case SCOPE_FRAME_PLACES:
	case SCOPE_FRAME_MAPS:
		return read_row(trace, offset);
	case SCOPE_FRAME_SKIP:
		return 0;
	}
	/* A newer format that this reader may read can have unknown frames, which it may skip. */
	return trace->header.version > SCOPE_FILE_VERSION ? 0 : -EBADMSG;
}

static void note_frame(struct scope_trace *trace, uint64_t offset)
{
	if (!trace->damage.frames++)
		trace->damage.first_frame = offset;
}

/* Returns the offset of the next whole head after a damaged one, or an offset after which no head fits. */
static uint64_t next_head(const struct scope_trace *trace, uint64_t offset)
{
	do {
		offset += SCOPE_FRAME_ALIGN;
	} while (offset + sizeof(struct scope_frame) <= trace->bytes && !scope_trace_head_is_good(trace, offset));
	return offset;
}

/* A frame that needs more memory than a valid file of this size can need. */
static int refuse_greedy(const struct scope_trace *trace, uint64_t offset, struct scope_error *error)
{
	const bool subbuf = frame_at(trace, offset)->type == SCOPE_FRAME_SUBBUF;

	return scope_error_set(error, -E2BIG,
			       "%s: with the frame at byte %llu its %s would take more than %llu MB "
			       "of memory, which no trace of %llu bytes does: this is no file that `scope record` "
			       "wrote; get it again from where it was recorded",
			       trace->name, (unsigned long long)offset, subbuf ? "sub-buffers" : "metadata",
			       (unsigned long long)((subbuf ? SCOPE_FILE_SUBBUFS_BUDGET(trace->bytes)
							    : SCOPE_FILE_ROWS_BUDGET(trace->bytes)) >>
						    20),
			       (unsigned long long)trace->bytes);
}

static int scan(struct scope_trace *trace, struct scope_error *error)
{
	uint64_t offset = trace->header.header_bytes, frames = 0;
	struct scope_damage *damage = &trace->damage;

	damage->no_end = true;
	while (offset + sizeof(struct scope_frame) <= trace->bytes) {
		const struct scope_frame *frame = frame_at(trace, offset);
		uint64_t next;
		int err;

		if (!scope_trace_head_is_good(trace, offset)) {
			note_frame(trace, offset);
			offset = next_head(trace, offset);
			continue;
		}
		next = offset + sizeof(*frame) + scope_trace_frame_padded(frame->payload_bytes);
		if (next > trace->bytes)
			break;
		err = read_frame(trace, offset, frames);
		if (err == -ENOMEM)
			return err;
		if (err == -E2BIG)
			return refuse_greedy(trace, offset, error);
		if (err)
			note_frame(trace, offset);
		frames += frame->type != SCOPE_FRAME_SKIP;
		/* A skipped payload counts, too, because the pages next to its head are mapped. */
		scope_trace_touched(trace, next - offset);
		offset = next;
		if (frame->type == SCOPE_FRAME_END) {
			damage->no_end = false;
			damage->after_end = trace->bytes - offset;
			break;
		}
	}
	damage->end = offset < trace->bytes ? offset : trace->bytes;
	damage->cut = damage->no_end && offset < trace->bytes;
	scope_trace_damage_update(damage);
	return 0;
}

static int check_header(struct scope_trace *trace, struct scope_error *error)
{
	struct scope_file_header *header = &trace->header;
	const char *name = trace->name;

	if (trace->bytes < sizeof(*header) || memcmp(trace->data, SCOPE_FILE_MAGIC, sizeof(header->magic)))
		return scope_error_set(error, -ENODATA,
				       "%s is not a Scope trace; make one with "
				       "`scope record`",
				       name);
	memcpy(header, trace->data, sizeof(*header));
	if (header->byte_order == __builtin_bswap32(SCOPE_FILE_BYTE_ORDER))
		return scope_error_set(error, -EPROTO,
				       "%s was written with the other byte order; "
				       "read it on a machine like the one that wrote it",
				       name);
	if (header->byte_order != SCOPE_FILE_BYTE_ORDER)
		return scope_error_set(error, -ENODATA,
				       "%s has a damaged header; copy the file "
				       "again, or record again",
				       name);
	if (header->oldest_reader > SCOPE_FILE_VERSION)
		return scope_error_set(error, -EPROTO,
				       "%s has format %u, which programs that "
				       "know format %u or newer can read; this one (%s) knows "
				       "format %u: use a newer Scope",
				       name, header->version, header->oldest_reader, SCOPE_VERSION, SCOPE_FILE_VERSION);
	if (header->header_bytes < sizeof(*header) || header->header_bytes % SCOPE_FRAME_ALIGN ||
	    header->header_bytes > trace->bytes)
		return scope_error_set(error, -ENODATA,
				       "%s has a damaged header; copy the file "
				       "again, or record again",
				       name);
	return 0;
}

/*
 * Address space for a file that grows, because its mapping must not move. Some arm64 kernels have only 2^39 bytes of
 * address space.
 */
#define GROWN_BYTES_MAX (1ull << 36)

static int map_file(struct scope_trace *trace, int fd, bool grows, struct scope_error *error)
{
	struct stat status;
	void *data;

	if (fstat(fd, &status))
		return scope_error_set(error, -errno, "cannot read %s: %s", trace->name, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return scope_error_set(error, -EINVAL,
				       "%s is not a regular file; name the trace "
				       "that `scope record` wrote",
				       trace->name);
	if (!status.st_size)
		return scope_error_set(error, -ENODATA, "%s is empty; record again", trace->name);
	trace->mapped_bytes = grows ? GROWN_BYTES_MAX : (uint64_t)status.st_size;
	data = mmap(NULL, trace->mapped_bytes, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (data == MAP_FAILED)
		return scope_error_set(error, -errno, "cannot map %s: %s", trace->name, strerror(errno));
	trace->data = data;
	trace->bytes = status.st_size;
	return 0;
}

static int open_fd(int fd, const char *name, bool grows, struct scope_error *error, struct scope_trace **ret_trace)
{
	struct scope_trace *trace = calloc(1, sizeof(*trace));
	int err;

	if (trace)
		trace->name = strdup(name);
	if (!trace || !trace->name) {
		free(trace);
		return scope_error_set(error, -ENOMEM, "cannot read %s: out of memory", name);
	}
	trace->descriptor = -1;
	trace->limit_ns = grows ? 0 : UINT64_MAX;
	trace->to_ns = UINT64_MAX;
	err = map_file(trace, fd, grows, error);
	if (!err)
		err = check_header(trace, error);
	if (!err && grows) {
		trace->scanned = trace->header.header_bytes;
		trace->descriptor = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		err = trace->descriptor < 0 ? -errno : scope_trace_grow(trace, 0);
	} else if (!err) {
		err = scan(trace, error);
	}
	if (err == -ENOMEM)
		scope_error_set(error, err, "cannot read %s: %s", name, strerror(-err));
	if (err) {
		scope_trace_close(trace);
		return err;
	}
	*ret_trace = trace;
	return 0;
}

int scope_trace_open_fd(int fd, const char *name, struct scope_error *error, struct scope_trace **ret_trace)
{
	return open_fd(fd, name, false, error, ret_trace);
}

int scope_trace_open_growing(int fd, const char *name, struct scope_error *error, struct scope_trace **ret_trace)
{
	return open_fd(fd, name, true, error, ret_trace);
}

/* Indexes the added frames. A frame that is not complete yet is left for the next call. */
static int scan_more(struct scope_trace *trace)
{
	while (trace->scanned + sizeof(struct scope_frame) <= trace->bytes &&
	       scope_trace_head_is_good(trace, trace->scanned)) {
		const struct scope_frame *frame = frame_at(trace, trace->scanned);
		uint64_t next = trace->scanned + sizeof(*frame) + scope_trace_frame_padded(frame->payload_bytes);
		int err;

		if (next > trace->bytes)
			break;
		err = frame->type == SCOPE_FRAME_END ? 0 : read_frame(trace, trace->scanned, 0);
		if (err)
			return err;
		scope_trace_touched(trace, next - trace->scanned);
		trace->scanned = next;
	}
	return 0;
}

int scope_trace_grow(struct scope_trace *trace, uint64_t settled_ns)
{
	struct stat status;
	int err;

	if (fstat(trace->descriptor, &status))
		return -errno;
	if ((uint64_t)status.st_size > trace->mapped_bytes)
		return -EFBIG;
	trace->bytes = status.st_size;
	err = scan_more(trace);
	trace->passed_ns = scope_trace_merge_passed(trace);
	if (settled_ns > trace->limit_ns)
		trace->limit_ns = settled_ns;
	return err || !trace->merge ? err : scope_trace_merge_grow(trace);
}

bool scope_trace_late(const struct scope_trace *trace)
{
	return trace->late;
}

int scope_trace_open_only(const char *path, struct scope_error *error, int *ret_fd)
{
	int fd;

	if (!strcmp(path, "-"))
		return scope_error_set(error, -EINVAL,
				       "a trace is read from a file, not from standard input: save it, and "
				       "name the file");
	/* O_NONBLOCK: without it the open of a FIFO would block before it is refused. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return scope_error_set(error, -errno,
				       "cannot open %s: %s; check the name and its "
				       "permissions",
				       path, strerror(errno));
	*ret_fd = fd;
	return 0;
}

int scope_trace_open(const char *path, struct scope_error *error, struct scope_trace **ret_trace)
{
	int fd, err;

	err = scope_trace_open_only(path, error, &fd);
	if (err)
		return err;
	err = scope_trace_open_fd(fd, path, error, ret_trace);
	close(fd);
	return err;
}

void scope_trace_close(struct scope_trace *trace)
{
	if (!trace)
		return;
	scope_trace_merge_destroy(trace->merge);
	scope_trace_again_destroy(trace);
	for (size_t i = 0; i < trace->cpus; i++)
		free(trace->cpu[i].frame);
	for (size_t i = 0; i < trace->blocks; i++)
		free(trace->block[i]);
	if (trace->data)
		munmap((void *)trace->data, trace->mapped_bytes);
	if (trace->descriptor >= 0)
		close(trace->descriptor);
	free(trace->cpu);
	free(trace->block);
	free(trace->meta);
	free(trace->meta_slot);
	free(trace->period);
	free(trace->map);
	free(trace->symbol);
	free(trace->fd);
	free(trace->memory);
	free(trace->stopped_stack);
	free(trace->lock);
	free(trace->file);
	free(trace->code);
	free(trace->thread);
	free(trace->place);
	free(trace->name);
	free(trace);
}
