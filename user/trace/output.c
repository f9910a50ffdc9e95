// SPDX-License-Identifier: GPL-2.0-only
/* A file that grows by whole pieces. */
#include "trace/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/newfile.h"

#define BUFFER_BYTES (256u << 10)

struct scope_output {
	int fd;
	char *path;		    /* or the name in messages */
	struct scope_newfile *file; /* NULL: an unnamed file, fd is the caller's */
	off_t begin;		    /* its offset in the file */
	uint64_t flushed;
	uint64_t whole; /* of the file: up to here it holds whole pieces */
	size_t buffered;
	int failed; /* -errno */
	struct scope_error problem;
	uint8_t buffer[BUFFER_BYTES];
};

int scope_trace_output_fail(struct scope_output *output, int code)
{
	const char *remedy = "check the disk";

	if (output->failed)
		return output->failed;
	if (code == -ENOSPC || code == -EDQUOT)
		remedy = "make room there, or name a file on another disk";
	else if (code == -EFBIG)
		remedy = "raise the limit on file sizes (ulimit -f), or use another disk";
	else if (code == -ENOMEM)
		remedy = "free some memory";
	output->failed = code;
	return scope_error_set(&output->problem, code, "cannot write %s: %s; %s", output->path, strerror(-code),
			       remedy);
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
	int err = output->failed;

	if (!err)
		err = write_out(output, output->buffer, output->buffered);
	if (!err)
		output->flushed += output->buffered;
	output->buffered = 0;
	return err;
}

int scope_trace_output_flush(struct scope_output *output)
{
	int err = flush(output);

	if (!err)
		output->whole = output->flushed;
	return err;
}

int scope_trace_output_begin(struct scope_output *output, size_t bytes)
{
	if (bytes > BUFFER_BYTES - output->buffered || !output->buffered)
		return scope_trace_output_flush(output);
	return output->failed;
}

int scope_trace_output_put(struct scope_output *output, const void *data, size_t bytes)
{
	size_t room = BUFFER_BYTES - output->buffered;
	int err = output->failed;

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
	struct scope_newfile *file;
	int err = scope_newfile_create(path, 0600, error, &file);

	if (err)
		return err;
	err = scope_trace_output_wrap(scope_newfile_fd(file), path, error, ret_output);
	if (err)
		scope_newfile_destroy(file);
	else
		(*ret_output)->file = file;
	return err;
}

int scope_trace_output_cut(struct scope_output *output)
{
	const off_t end = output->begin + (off_t)output->whole;

	output->buffered = 0;
	output->flushed = output->whole;
	if (ftruncate(output->fd, end) || lseek(output->fd, end, SEEK_SET) < 0)
		return -errno;
	output->failed = 0;
	return 0;
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
