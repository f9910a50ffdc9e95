// SPDX-License-Identifier: GPL-2.0-only
/* Reads files for a reader: those below /proc, and the target's own. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/temporary.h"
#include "proc/file.h"
#include "proc/open.h"
#include "proc/reader_internal.h"

#define PIECE_BYTES (1u << 20) /* bytes copied between two calls of alive() */

/* ---- text ---- */

struct found_text {
	uint32_t tgid;
	char *text;
	int refused; /* -errno; 0: no error */
};

static int first_with_maps(uint32_t tid, void *context)
{
	struct found_text *found = context;

	const int err = scope_proc_file_read(&found->text, "/proc/%u/task/%u/maps", found->tgid, tid);

	if (err == -EACCES || err == -EPERM)
		found->refused = err;
	if (err)
		return 0;
	if (found->text[0])
		return 1;
	free(found->text);
	found->text = NULL;
	return 0;
}

/* If the first thread of a process has ended, its maps can be read only through the other threads. */
static int get_maps(uint32_t tgid, char **ret_text)
{
	struct found_text found = { .tgid = tgid };
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	err = scope_proc_file_numbers(path, first_with_maps, &found);
	if (err != 1)
		return err ? err : found.refused ? found.refused : -ESRCH;
	*ret_text = found.text;
	return 0;
}

int scope_proc_reader_get_text(enum scope_proc_text what, uint32_t tgid, uint32_t tid, char **ret_text,
			       size_t *ret_bytes)
{
	size_t bytes = 0;
	int err;

	switch (what) {
	case SCOPE_PROC_MAPS:
		err = get_maps(tgid, ret_text);
		break;
	case SCOPE_PROC_CMDLINE:
		err = scope_proc_file_read_bytes(ret_text, &bytes, "/proc/%u/cmdline", tgid);
		break;
	case SCOPE_PROC_SYSCALL:
		err = scope_proc_file_read(ret_text, "/proc/%u/task/%u/syscall", tgid, tid);
		break;
	case SCOPE_PROC_STACK:
		err = scope_proc_file_read(ret_text, "/proc/%u/stack", tid);
		break;
	case SCOPE_PROC_PACKAGE:
		err = scope_proc_package_libraries(tgid, ret_text);
		break;
	default:
		err = -EINVAL;
	}
	if (!err)
		*ret_bytes = what == SCOPE_PROC_CMDLINE ? bytes : strlen(*ret_text);
	return err;
}

/* ---- files ---- */

static int open_place(const struct scope_reader_request *request, int root, const char *path)
{
	char folder[32];
	int fd;

	switch (request->what) {
	case SCOPE_READER_BELOW:
	case SCOPE_READER_ITSELF:
		return scope_proc_open_at(root, path, request->what == SCOPE_READER_ITSELF);
	case SCOPE_READER_PROGRAM:
		return scope_proc_open_program(request->tgid);
	case SCOPE_READER_MAPPED:
		/* Opens through map_files, which also works for files that were replaced or deleted since. */
		fd = scope_proc_open_mapped(request->tgid, request->address, request->address + request->bytes);
		if (fd >= 0 || !path || !*path)
			return fd;
		snprintf(folder, sizeof(folder), "/proc/%u/root", request->tgid);
		return scope_proc_open_below(folder, path);
	default:
		return -EINVAL;
	}
}

int scope_proc_reader_get_look(const struct scope_reader_request *request, int root, const char *path,
			       struct scope_proc_look *ret_look)
{
	struct scope_proc_look look = { 0 };
	const int fd = open_place(request, root, path);

	if (fd < 0)
		return fd;
	if (pread(fd, look.ident, sizeof(look.ident), 0) < 0)
		memset(look.ident, 0, sizeof(look.ident));
	if (request->what != SCOPE_READER_PROGRAM && scope_proc_build_id_read(fd, look.build_id))
		look.build_id[0] = '\0';
	if (request->what == SCOPE_READER_MAPPED && path)
		scope_proc_package_mark(fd, path, look.mark);
	close(fd);
	*ret_look = look;
	return 0;
}

/* True for file systems that do not depend on a server. Others have a server, or may be on top of one that has. */
static bool is_local(int fd)
{
	static const uint32_t local[] = {
		0xef53 /* ext4 */,	 0x58465342 /* xfs */,	    0x9123683e /* btrfs */, 0x01021994 /* tmpfs */,
		0x858458f6 /* ramfs */,	 0x73717368 /* squashfs */, 0xf2f52010 /* f2fs */,  0xe0f5e1e2 /* erofs */,
		0x2fc12fc1 /* zfs */,	 0x9660 /* isofs */,	    0x4d44 /* vfat */,	    0xca451a4e /* bcachefs */,
		0x28cd3d45 /* cramfs */, 0x52654973 /* reiserfs */, 0x3153464a /* jfs */,   0x958458f6 /* hugetlbfs */,
	};
	struct statfs system;

	if (fstatfs(fd, &system))
		return false;
	for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++)
		if ((uint32_t)system.f_type == local[i])
			return true;
	return false;
}

static bool same_folder(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * True if only this user, or root of the same user namespace, can truncate the file. Root of a container is another
 * user.
 */
static bool is_lasting(const struct scope_reader_request *request, int root, const struct stat *file)
{
	struct stat own, its;
	char path[32];

	if ((file->st_uid && file->st_uid != geteuid()) || file->st_mode & (S_IWGRP | S_IWOTH) || stat("/", &own))
		return false;
	if (root >= 0)
		return !fstat(root, &its) && same_folder(&own, &its);
	snprintf(path, sizeof(path), "/proc/%u/root/", request->tgid);
	return !stat(path, &its) && same_folder(&own, &its);
}

/* 0 or -errno. */
static int copy_all(int from, int to, void (*alive)(void *context), void *context)
{
	char *piece = malloc(PIECE_BYTES);
	uint64_t bytes = 0;
	ssize_t got = -1;
	int err = piece ? 0 : -ENOMEM;

	while (!err && (got = pread(from, piece, PIECE_BYTES, (off_t)bytes)) > 0) {
		if (pwrite(to, piece, (size_t)got, (off_t)bytes) != got)
			err = -ENOSPC;
		bytes += (uint64_t)got;
		if (bytes > SCOPE_READER_COPY_MAX)
			err = -EFBIG;
		if (alive)
			alive(context);
	}
	if (!err && got < 0)
		err = -errno;
	free(piece);
	return err;
}

/* Owns fd from here on. */
static int copy_of(int fd, void (*alive)(void *context), void *context)
{
	int copy, err = scope_temporary_open(NULL, &copy);

	if (!err) {
		err = copy_all(fd, copy, alive, context);
		if (err)
			close(copy);
	}
	close(fd);
	return err ? err : copy;
}

int scope_proc_reader_get_file(const struct scope_reader_request *request, int root, const char *path,
			       void (*alive)(void *context), void *context, struct scope_proc_found *ret_found)
{
	int fd = open_place(request, root, path);
	struct stat status;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status)) {
		close(fd);
		return -EIO;
	}
	*ret_found = (struct scope_proc_found){
		.device = status.st_dev,
		.inode = status.st_ino,
		.owner = status.st_uid,
		/* Without a reader, which could be given up, a copy does not help. */
		.copied = (alive && !is_local(fd)) || (request->snapshot && !is_lasting(request, root, &status)),
	};
	return ret_found->copied ? copy_of(fd, alive, context) : fd;
}
