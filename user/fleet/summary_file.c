// SPDX-License-Identifier: GPL-2.0-only
/* A file of summaries: a header, then a frame for each. */
#include "fleet/summary_file.h"

#include <endian.h>
#include <errno.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "fleet/codec.h"

#define LEVEL 9		/* no rule: of compression */
#define STEP_MAX_S 4096 /* no rule */

static int pack(const struct scope_fleet_summary *summary, uint8_t **ret_frame, size_t *ret_bytes)
{
	struct scope_fleet_frame *head;
	uint8_t *raw, *frame;
	size_t raw_bytes, bytes, room;
	int err = scope_fleet_codec_write(summary, &raw, &raw_bytes);

	if (err)
		return err;
	room = ZSTD_compressBound(raw_bytes);
	frame = malloc(sizeof(*head) + room);
	bytes = frame ? ZSTD_compress(frame + sizeof(*head), room, raw, raw_bytes, LEVEL) : 0;
	free(raw);
	if (!frame || ZSTD_isError(bytes) || raw_bytes > SCOPE_FLEET_RAW_MAX) {
		free(frame);
		return frame && raw_bytes > SCOPE_FLEET_RAW_MAX ? -E2BIG : -ENOMEM;
	}
	head = (struct scope_fleet_frame *)frame;
	*head = (struct scope_fleet_frame){
		.magic = htole32(SCOPE_FLEET_FRAME_MAGIC),
		.payload_bytes = htole32((uint32_t)bytes),
		.raw_bytes = htole32((uint32_t)raw_bytes),
		.payload_crc = htole32(libdeflate_crc32(0, frame + sizeof(*head), bytes)),
	};
	*ret_frame = frame;
	*ret_bytes = sizeof(*head) + bytes;
	return 0;
}

/* Doubles the step until seconds fit into the bytes that they may take. */
static int pack_bounded(struct scope_fleet_summary *summary, uint8_t **ret_frame, size_t *ret_bytes)
{
	const uint64_t span_s = (summary->to_us - summary->from_us + 999999) / 1000000;

	for (;;) {
		int err = pack(summary, ret_frame, ret_bytes);

		/* Names and findings take some hundred bytes, however short the window is. */
		if (!err && (*ret_bytes <= (span_s + 2) * SCOPE_FLEET_BYTES_A_SECOND || summary->step_s >= STEP_MAX_S ||
			     summary->step_s >= 2 * span_s))
			return 0;
		if (err && (err != -E2BIG || summary->step_s >= STEP_MAX_S))
			return err;
		if (!err)
			free(*ret_frame);
		err = scope_fleet_summary_halve(summary);
		if (err)
			return err;
	}
}

static int write_all(int fd, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	while (bytes) {
		const ssize_t done = write(fd, at, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		at += done;
		bytes -= (size_t)done;
	}
	return 0;
}

int scope_fleet_file_append(int fd, struct scope_fleet_summary *summary)
{
	const struct scope_fleet_file_header header = {
		.magic = SCOPE_FLEET_FILE_MAGIC,
		.version = htole32(SCOPE_FLEET_FILE_VERSION),
		.oldest_reader = htole32(SCOPE_FLEET_FILE_OLDEST_READER),
	};
	const off_t end = lseek(fd, 0, SEEK_END);
	uint8_t *frame;
	size_t bytes;
	int err = pack_bounded(summary, &frame, &bytes);

	if (err)
		return err;
	/* A pipe has no size, and gets a header as every file begins with one. */
	if (end <= 0)
		err = write_all(fd, &header, sizeof(header));
	if (!err)
		err = write_all(fd, frame, bytes);
	free(frame);
	/* If the disk is full no half frame stays. */
	if (err && end >= 0 && ftruncate(fd, end))
		return err;
	return err;
}

struct reading {
	uint8_t *data;
	size_t bytes, at;
	const char *name;
	struct scope_error *error;
	struct scope_fleet_file_stats *stats;
};

static void problem(struct reading *reading, const char *what)
{
	if (!reading->stats->problem[0])
		snprintf(reading->stats->problem, sizeof(reading->stats->problem), "%s at byte %zu", what, reading->at);
}

/* Steps over a header. 0; -EBADMSG: there is none; -EPROTO: it is newer. */
static int take_header(struct reading *reading)
{
	struct scope_fleet_file_header header;

	if (reading->bytes - reading->at < sizeof(header))
		return -EBADMSG;
	memcpy(&header, reading->data + reading->at, sizeof(header));
	if (memcmp(header.magic, SCOPE_FLEET_FILE_MAGIC, sizeof(header.magic)))
		return -EBADMSG;
	if (le32toh(header.oldest_reader) > SCOPE_FLEET_FILE_VERSION)
		return scope_error_set(
			reading->error, -EPROTO,
			"%s is a summary of format %u, which takes a reader of format %u; this is one of "
			"format %u: use a newer scope here",
			reading->name, le32toh(header.version), le32toh(header.oldest_reader),
			SCOPE_FLEET_FILE_VERSION);
	reading->at += sizeof(header);
	return 0;
}

/* The place of the next frame or header, by how it begins; the end if there is none. */
static void skip(struct reading *reading)
{
	const uint32_t magic = htole32(SCOPE_FLEET_FRAME_MAGIC);

	for (reading->at++; reading->at < reading->bytes; reading->at++) {
		const size_t left = reading->bytes - reading->at;

		if (left >= sizeof(magic) && !memcmp(reading->data + reading->at, &magic, sizeof(magic)))
			return;
		if (left >= 8 && !memcmp(reading->data + reading->at, SCOPE_FLEET_FILE_MAGIC, 8))
			return;
	}
}

/* 0 and a summary; -EBADMSG: it is damaged; -ENODATA: it is cut off; -ENOMEM. */
static int take_frame(const struct reading *reading, struct scope_fleet_summary **ret_summary, size_t *ret_bytes)
{
	const uint8_t *payload = reading->data + reading->at + sizeof(struct scope_fleet_frame);
	struct scope_fleet_frame frame;
	uint32_t bytes, raw_bytes;
	uint8_t *raw;
	int err;

	if (reading->bytes - reading->at < sizeof(frame))
		return -ENODATA;
	memcpy(&frame, reading->data + reading->at, sizeof(frame));
	bytes = le32toh(frame.payload_bytes);
	raw_bytes = le32toh(frame.raw_bytes);
	if (le32toh(frame.magic) != SCOPE_FLEET_FRAME_MAGIC || raw_bytes > SCOPE_FLEET_RAW_MAX)
		return -EBADMSG;
	if (reading->bytes - reading->at - sizeof(frame) < bytes)
		return -ENODATA;
	if (libdeflate_crc32(0, payload, bytes) != le32toh(frame.payload_crc))
		return -EBADMSG;
	raw = malloc(raw_bytes ? raw_bytes : 1);
	if (!raw)
		return -ENOMEM;
	err = ZSTD_decompress(raw, raw_bytes, payload, bytes) == raw_bytes
		      ? scope_fleet_codec_read(raw, raw_bytes, ret_summary)
		      : -EBADMSG;
	free(raw);
	*ret_bytes = sizeof(frame) + bytes;
	return err;
}

static int take_all(struct reading *reading, int (*each)(void *user, const struct scope_fleet_summary *summary),
		    void *user)
{
	int err = take_header(reading);

	if (err == -EBADMSG)
		return scope_error_set(reading->error, err,
				       "%s is no file of summaries: make one by `scope fleet summarize TRACE`",
				       reading->name);
	while (!err && reading->at < reading->bytes) {
		struct scope_fleet_summary *summary;
		size_t bytes;

		err = take_header(reading);
		if (err == -EPROTO)
			return err;
		if (!err)
			continue;
		err = take_frame(reading, &summary, &bytes);
		if (!err) {
			reading->at += bytes;
			reading->stats->summaries++;
			err = each(user, summary);
			scope_fleet_summary_destroy(summary);
		} else if (err == -EBADMSG || err == -ENODATA) {
			problem(reading, err == -ENODATA ? "it is cut off" : "a summary is damaged");
			skip(reading);
			err = 0;
		}
	}
	return err;
}

/* Reads a copy, because a file that another program truncates must not end this one. 0 or -errno. */
static int read_all(int fd, struct reading *reading)
{
	size_t done = 0;

	reading->data = malloc(reading->bytes);
	if (!reading->data)
		return -ENOMEM;
	while (done < reading->bytes) {
		const ssize_t more = pread(fd, reading->data + done, reading->bytes - done, (off_t)done);

		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			return -errno;
		if (!more)
			break;
		done += (size_t)more;
	}
	reading->bytes = done;
	return 0;
}

int scope_fleet_file_each(int fd, const char *name, struct scope_error *error,
			  int (*each)(void *user, const struct scope_fleet_summary *summary), void *user,
			  struct scope_fleet_file_stats *ret_stats)
{
	struct reading reading = { .name = name, .error = error, .stats = ret_stats };
	struct stat status;
	int err;

	*ret_stats = (struct scope_fleet_file_stats){ 0 };
	if (fstat(fd, &status))
		return scope_error_set(error, -errno, "%s cannot be read: %s", name, strerror(errno));
	if (!S_ISREG(status.st_mode) || !status.st_size)
		return scope_error_set(error, -EBADMSG, "%s is %s", name,
				       S_ISREG(status.st_mode) ? "empty" : "no regular file");
	reading.bytes = (size_t)status.st_size;
	err = read_all(fd, &reading);
	if (err && err != -ENOMEM)
		scope_error_set(error, err, "%s cannot be read: %s", name, strerror(-err));
	if (!err)
		err = take_all(&reading, each, user);
	if (err == -ENOMEM)
		scope_error_set(error, err, "no memory to read %s", name);
	free(reading.data);
	return err;
}
