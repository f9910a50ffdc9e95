// SPDX-License-Identifier: GPL-2.0-only
/* The requests to a reader, one function for each; without a reader they do the work themselves. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proc/reader.h"
#include "proc/reader_internal.h"

static ssize_t ask_memory(struct scope_proc_reader *reader, enum scope_reader_kind kind, uint32_t tgid, uint32_t tid,
			  uint64_t address, void *data, size_t bytes)
{
	struct scope_reader_request request = {
		.kind = kind,
		.tgid = tgid,
		.tid = tid,
		.address = address,
		.bytes = bytes,
	};
	struct scope_reader_wanted wanted = { .data = data, .room = bytes };
	const int err = scope_proc_reader_ask(reader, &request, NULL, &wanted);

	return err ? err : (ssize_t)wanted.bytes;
}

ssize_t scope_proc_reader_memory(struct scope_proc_reader *reader, uint32_t tgid, uint32_t tid, uint64_t address,
				 void *data, size_t bytes)
{
	return reader ? ask_memory(reader, SCOPE_READER_MEMORY, tgid, tid, address, data, bytes)
		      : scope_proc_reader_read_memory(tid, address, data, bytes);
}

ssize_t scope_proc_reader_supplied(struct scope_proc_reader *reader, uint32_t tgid, uint64_t address, void *data,
				   size_t bytes)
{
	return reader ? ask_memory(reader, SCOPE_READER_SUPPLIED, tgid, tgid, address, data, bytes)
		      : scope_proc_reader_read_supplied(tgid, address, data, bytes);
}

int scope_proc_reader_text(struct scope_proc_reader *reader, enum scope_proc_text what, uint32_t tgid, uint32_t tid,
			   char **ret_text, size_t *ret_bytes)
{
	struct scope_reader_request request = {
		.kind = SCOPE_READER_TEXT,
		.tgid = tgid,
		.tid = tid,
		.what = what,
	};
	struct scope_reader_wanted wanted = { .limit = SCOPE_READER_TEXT_MAX };
	int err;

	if (!reader)
		return scope_proc_reader_get_text(what, tgid, tid, ret_text, ret_bytes);
	err = scope_proc_reader_ask(reader, &request, NULL, &wanted);
	if (!err && !scope_proc_reader_make_room(&wanted, 1))
		err = -ENOMEM;
	if (err) {
		free(wanted.data);
		return err;
	}
	wanted.data[wanted.bytes] = '\0';
	*ret_text = (char *)wanted.data;
	*ret_bytes = wanted.bytes;
	return 0;
}

/* ---- files ---- */

/* The number of a file, like that of a thread: a hash of its name, or of the address where it is mapped. */
static uint32_t number_of(const struct scope_reader_request *request, const char *path)
{
	uint64_t hash = 0xcbf29ce484222325ull ^ request->tgid ^ request->address << 8;

	for (; path && *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3ull;
	return (uint32_t)(hash ^ hash >> 32);
}

static int look(struct scope_proc_reader *reader, struct scope_reader_request *request, const char *path,
		struct scope_proc_look *ret_look)
{
	const struct scope_reader_attachment attachment = { .path = path, .root = -1 };
	struct scope_proc_look answer = { 0 };
	struct scope_reader_wanted wanted = { .data = (uint8_t *)&answer, .room = sizeof(answer) };
	int err;

	request->kind = SCOPE_READER_LOOK;
	if (!reader)
		return scope_proc_reader_get_look(request, -1, path, ret_look);
	request->tid = number_of(request, path);
	err = scope_proc_reader_ask(reader, request, &attachment, &wanted);
	if (err)
		return err;
	if (wanted.bytes != sizeof(answer))
		return -EPROTO;
	answer.build_id[sizeof(answer.build_id) - 1] = '\0';
	answer.mark[sizeof(answer.mark) - 1] = '\0';
	*ret_look = answer;
	return 0;
}

int scope_proc_reader_look_mapped(struct scope_proc_reader *reader, uint32_t tgid, uint64_t start, uint64_t end,
				  const char *path, struct scope_proc_look *ret_look)
{
	struct scope_reader_request request = {
		.what = SCOPE_READER_MAPPED,
		.tgid = tgid,
		.address = start,
		.bytes = end - start,
	};

	return look(reader, &request, path, ret_look);
}

int scope_proc_reader_look_program(struct scope_proc_reader *reader, uint32_t tgid, struct scope_proc_look *ret_look)
{
	struct scope_reader_request request = { .what = SCOPE_READER_PROGRAM, .tgid = tgid };

	return look(reader, &request, NULL, ret_look);
}

/* root: NULL if the place needs none. Holding a root directory never blocks. */
static int open_file(struct scope_proc_reader *reader, struct scope_reader_request *request, const char *root,
		     const char *path, struct scope_proc_found *ret_found)
{
	struct scope_reader_attachment attachment = { .path = path, .root = -1 };
	struct scope_proc_found found = { 0 };
	struct scope_reader_wanted wanted = { .data = (uint8_t *)&found, .room = sizeof(found) };
	int err;

	if (path && strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (root) {
		attachment.root = open(*root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (attachment.root < 0)
			return -errno;
	}
	request->kind = SCOPE_READER_OPEN;
	request->tid = number_of(request, path);
	if (!reader) {
		err = scope_proc_reader_get_file(request, attachment.root, path, NULL, NULL, &found);
	} else {
		err = scope_proc_reader_ask(reader, request, &attachment, &wanted);
		if (!err)
			err = wanted.fd >= 0 ? wanted.fd : -EPROTO;
	}
	if (attachment.root >= 0)
		close(attachment.root);
	if (err >= 0 && ret_found)
		*ret_found = found;
	return err;
}

int scope_proc_reader_open_below(struct scope_proc_reader *reader, const char *root, const char *path, bool snapshot)
{
	struct scope_reader_request request = { .what = SCOPE_READER_BELOW, .snapshot = snapshot };

	return open_file(reader, &request, root, path, NULL);
}

int scope_proc_reader_open_itself(struct scope_proc_reader *reader, const char *root, const char *path,
				  struct scope_proc_found *ret_found)
{
	struct scope_reader_request request = { .what = SCOPE_READER_ITSELF };

	return open_file(reader, &request, root, path, ret_found);
}

int scope_proc_reader_open_mapped(struct scope_proc_reader *reader, uint32_t tgid, uint64_t start, uint64_t end,
				  bool snapshot, struct scope_proc_found *ret_found)
{
	struct scope_reader_request request = {
		.what = SCOPE_READER_MAPPED,
		.tgid = tgid,
		.address = start,
		.bytes = end - start,
		.snapshot = snapshot,
	};

	return open_file(reader, &request, NULL, NULL, ret_found);
}

int scope_proc_reader_open_program(struct scope_proc_reader *reader, uint32_t tgid)
{
	struct scope_reader_request request = { .what = SCOPE_READER_PROGRAM, .tgid = tgid, .snapshot = true };

	return open_file(reader, &request, NULL, NULL, NULL);
}
