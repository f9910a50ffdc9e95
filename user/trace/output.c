// SPDX-License-Identifier: GPL-2.0-only
/* A file that grows by whole pieces. */
#include "trace/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/newfile.h"

#define BUFFER_BYTES (256u << 10)

struct scope_output {
	int fd;
	char *path;		    /* or the name in messages */
	struct scope_newfile *file; /* NULL: an unnamed file, fd is the caller's */
	off_t begin;		    /* its offset in the file */
	uint64_t flushed;
	uint64_t whole;	 /* up to this offset the file holds whole pieces */
	uint64_t before; /* the value of `whole` before; 0: not known */
	size_t buffered;
	size_t certain; /* whole pieces in the buffer, not in the file yet */
	int err;	/* -errno */
	struct scope_error problem;
	uint8_t buffer[BUFFER_BYTES];
};

int scope_trace_output_fail(struct scope_output *output, int err)
{
	const char *remedy = "check the disk";

	if (output->err)
		return output->err;
	if (err == -ENOSPC || err == -EDQUOT)
		remedy = "make room there, or name a file on another disk";
	else if (err == -EFBIG)
		remedy = "raise the limit on file sizes (ulimit -f), or use another disk";
	else if (err == -ENOMEM)
		remedy = "free some memory";
	output->err = err;
	return scope_error_set(&output->problem, err, "cannot write %s: %s; %s", output->path, strerror(-err), remedy);
}

static int write_out(struct scope_output *output, const uint8_t *data, size_t bytes)
{
	while (bytes) {
		ssize_t done = write(output->fd, data, bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return scope_trace_output_fail(output, done ? -errno : -ENOSPC);
		data += done;
		bytes -= done;
	}
	return 0;
}

static int flush(struct scope_output *output)
{
	int err = output->err;

	if (!err)
		err = write_out(output, output->buffer, output->buffered);
	if (err)
		return err;
	output->flushed += output->buffered;
	output->buffered = output->certain = 0;
	return 0;
}

int scope_trace_output_flush(struct scope_output *output)
{
	int err;

	if (!output->err)
		output->certain = output->buffered;
	err = flush(output);

	if (!err && output->whole != output->flushed) {
		output->before = output->whole;
		output->whole = output->flushed;
	}
	return err;
}

int scope_trace_output_begin(struct scope_output *output, size_t bytes)
{
	if (!output->err)
		output->certain = output->buffered;
	if (bytes > BUFFER_BYTES - output->buffered || !output->buffered)
		return scope_trace_output_flush(output);
	return output->err;
}

int scope_trace_output_put(struct scope_output *output, const void *data, size_t bytes)
{
	size_t room = BUFFER_BYTES - output->buffered;
	int err = output->err;

	if (err || !bytes)
		return err;
	if (bytes <= room) {
		memcpy(output->buffer + output->buffered, data, bytes);
		output->buffered += bytes;
		return 0;
	}
	/* The piece is larger than the buffer, which holds only its beginning. */
	err = flush(output);
	if (!err)
		err = write_out(output, data, bytes);
	if (!err)
		output->flushed += bytes;
	return err;
}

uint64_t scope_trace_output_bytes(const struct scope_output *output)
{
	return output->flushed + output->buffered;
}

uint64_t scope_trace_output_whole(const struct scope_output *output)
{
	return output->whole;
}

uint64_t scope_trace_output_whole_before(const struct scope_output *output)
{
	return output->before;
}

int scope_trace_output_fd(const struct scope_output *output)
{
	return output->fd;
}

const char *scope_trace_output_problem(const struct scope_output *output)
{
	return output->problem.text;
}

int scope_trace_output_wrap(int fd, const char *name, struct scope_error *error, struct scope_output **ret_output)
{
	struct scope_output *output = calloc(1, sizeof(*output));
	off_t begin = lseek(fd, 0, SEEK_CUR);

	if (output)
		output->path = strdup(name);
	if (!output || !output->path) {
		free(output);
		return scope_error_set(error, -ENOMEM, "cannot write %s: out of memory", name);
	}
	output->fd = fd;
	output->begin = begin > 0 ? begin : 0;
	*ret_output = output;
	return 0;
}

int scope_trace_output_create(const char *path, struct scope_error *error, struct scope_output **ret_output)
{
	const char *name = strcmp(path, "-") ? path : "standard output";
	struct scope_newfile *file;
	int err = scope_newfile_create(path, 0600, error, &file);

	if (err)
		return err;
	if (isatty(scope_newfile_fd(file)))
		err = scope_error_set(error, -EINVAL, "%s is a terminal, and a trace is no text: name a file", name);
	if (!err)
		err = scope_trace_output_wrap(scope_newfile_fd(file), name, error, ret_output);
	if (err)
		scope_newfile_destroy(file);
	else
		(*ret_output)->file = file;
	return err;
}

int scope_trace_output_cut(struct scope_output *output, uint64_t end)
{
	int err = scope_trace_output_truncate(output, end);

	output->buffered = output->certain = 0;
	if (!err)
		output->err = 0;
	return err;
}

int scope_trace_output_truncate(struct scope_output *output, uint64_t end)
{
	const off_t at = output->begin + (off_t)end;

	if (ftruncate(output->fd, at) || lseek(output->fd, at, SEEK_SET) < 0)
		return -errno;
	output->flushed = output->whole = end;
	output->before = 0;
	return 0;
}

int scope_trace_output_retry(struct scope_output *output)
{
	int err = scope_trace_output_truncate(output, output->whole);

	if (err)
		return err;
	output->buffered = output->certain;
	output->err = 0;
	output->problem.text[0] = '\0';
	return 0;
}

int scope_trace_output_piece(struct scope_output *output, const struct scope_frame *head, const void *payload)
{
	static const uint8_t pad[SCOPE_FRAME_ALIGN];
	const size_t bytes = head->payload_bytes, padded = scope_trace_frame_padded(bytes);
	int err = scope_trace_output_begin(output, BUFFER_BYTES);

	if (!err)
		err = write_out(output, (const uint8_t *)head, sizeof(*head));
	if (!err)
		err = write_out(output, payload, bytes);
	if (!err)
		err = write_out(output, pad, padded - bytes);
	if (err)
		return err;
	output->flushed += sizeof(*head) + padded;
	output->whole = output->flushed;
	output->before = 0;
	return 0;
}

uint64_t scope_trace_output_room(const struct scope_output *output)
{
	struct statvfs disk;

	if (fstatvfs(output->fd, &disk))
		return 0;
	/* A file system in memory without a limit says that it has no blocks at all. */
	return disk.f_blocks ? (uint64_t)disk.f_bavail * disk.f_frsize : UINT64_MAX;
}

int scope_trace_output_gap(struct scope_output *output, const void *head, size_t bytes, uint64_t gap)
{
	const off_t at = output->begin + (off_t)output->flushed;
	int err = 0;

	/* Reserves blocks now, so that they exist if the disk gets full. Some file systems cannot do that. */
	if (fallocate(output->fd, FALLOC_FL_KEEP_SIZE, at, (off_t)gap) && errno != EOPNOTSUPP && errno != ENOSYS)
		err = -errno;
	if (!err && (pwrite(output->fd, head, bytes, at) != (ssize_t)bytes || ftruncate(output->fd, at + (off_t)gap) ||
		     lseek(output->fd, at + (off_t)gap, SEEK_SET) < 0))
		err = errno ? -errno : -EIO;
	if (err) {
		scope_trace_output_truncate(output, output->flushed);
		return err;
	}
	output->flushed += gap;
	output->whole = output->flushed;
	output->before = 0;
	return 0;
}

int scope_trace_output_read(const struct scope_output *output, void *data, size_t bytes, uint64_t at)
{
	const ssize_t done = pread(output->fd, data, bytes, output->begin + (off_t)at);

	return done == (ssize_t)bytes ? 0 : done < 0 ? -errno : -EIO;
}

int scope_trace_output_replace(struct scope_output *output, const void *data, size_t bytes, uint64_t at)
{
	const ssize_t done = pwrite(output->fd, data, bytes, output->begin + (off_t)at);

	return done == (ssize_t)bytes ? 0 : done < 0 ? -errno : -EIO;
}

bool scope_trace_output_is_regular(const struct scope_output *output)
{
	struct stat status;

	return !scope_trace_output_is_special(output) && !fstat(output->fd, &status) && S_ISREG(status.st_mode);
}

int scope_trace_output_publish(struct scope_output *output)
{
	int err;

	if (!output->file)
		return 0;
	err = scope_newfile_finish(output->file, NULL);
	if (!err)
		output->fd = -1;
	return err ? scope_trace_output_fail(output, err) : 0;
}

const char *scope_trace_output_note(const struct scope_output *output)
{
	return output->file ? scope_newfile_note(output->file) : "";
}

bool scope_trace_output_is_special(const struct scope_output *output)
{
	return output->file && scope_newfile_is_special(output->file);
}

void scope_trace_output_destroy(struct scope_output *output)
{
	if (!output)
		return;
	scope_newfile_destroy(output->file);
	free(output->path);
	free(output);
}
