/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A FUSE file system with one file, without a library, in a mount namespace of its own. Layouts: linux/fuse.h.
 */
#ifndef SCOPE_TESTS_HOSTILE_FUSE_H
#define SCOPE_TESTS_HOSTILE_FUSE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FUSE_FILE_NODE 2
#define FUSE_FILE_NAME "program"

struct hostile_fuse {
	int device;
	uint8_t *content; /* of the file */
	size_t bytes;
};

static void fuse_reply(const struct hostile_fuse *fuse, uint64_t unique, int error, const void *data, size_t bytes)
{
	struct fuse_out_header head = {
		.len = (uint32_t)(sizeof(head) + bytes),
		.error = error,
		.unique = unique,
	};
	struct iovec piece[] = { { &head, sizeof(head) }, { (void *)data, bytes } };

	(void)!writev(fuse->device, piece, bytes ? 2 : 1);
}

static struct fuse_attr fuse_attributes(const struct hostile_fuse *fuse, uint64_t node)
{
	return (struct fuse_attr){
		.ino = node,
		.nlink = 1,
		.blksize = 4096,
		.size = node == FUSE_FILE_NODE ? fuse->bytes : 0,
		.mode = node == FUSE_FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755,
	};
}

static void fuse_serve_one(const struct hostile_fuse *fuse, const struct fuse_in_header *in)
{
	const void *body = in + 1;

	if (in->opcode == FUSE_INIT) {
		const struct fuse_init_out out = {
			.major = FUSE_KERNEL_VERSION,
			.minor = 31,
			.max_readahead = 65536,
			.max_write = 65536,
		};

		fuse_reply(fuse, in->unique, 0, &out, sizeof(out));
	} else if (in->opcode == FUSE_LOOKUP && !strcmp(body, FUSE_FILE_NAME)) {
		/* Nothing is cached for long: the kernel asks again each time. */
		const struct fuse_entry_out out = {
			.nodeid = FUSE_FILE_NODE,
			.attr = fuse_attributes(fuse, FUSE_FILE_NODE),
		};

		fuse_reply(fuse, in->unique, 0, &out, sizeof(out));
	} else if (in->opcode == FUSE_LOOKUP) {
		fuse_reply(fuse, in->unique, -ENOENT, NULL, 0);
	} else if (in->opcode == FUSE_GETATTR) {
		const struct fuse_attr_out out = { .attr = fuse_attributes(fuse, in->nodeid) };

		fuse_reply(fuse, in->unique, 0, &out, sizeof(out));
	} else if (in->opcode == FUSE_OPEN) {
		const struct fuse_open_out out = { .open_flags = FOPEN_KEEP_CACHE };

		fuse_reply(fuse, in->unique, 0, &out, sizeof(out));
	} else if (in->opcode == FUSE_READ) {
		const struct fuse_read_in *read = body;
		const size_t left = read->offset < fuse->bytes ? fuse->bytes - read->offset : 0;

		fuse_reply(fuse, in->unique, 0, fuse->content + read->offset, left < read->size ? left : read->size);
	} else if (in->opcode == FUSE_RELEASE || in->opcode == FUSE_FLUSH) {
		fuse_reply(fuse, in->unique, 0, NULL, 0);
	} else if (in->opcode != FUSE_FORGET && in->opcode != FUSE_BATCH_FORGET && in->opcode != FUSE_INTERRUPT) {
		fuse_reply(fuse, in->unique, -ENOSYS, NULL, 0);
	}
}

/* The server's whole life. */
static void fuse_serve(const struct hostile_fuse *fuse)
{
	static uint8_t request[1 << 18];

	while (read(fuse->device, request, sizeof(request)) > 0 || errno == EINTR || errno == EAGAIN)
		fuse_serve_one(fuse, (const struct fuse_in_header *)request);
}

/* Mounts it at a folder, in a mount namespace of this process's own. 0 or -errno. */
static int fuse_mount(struct hostile_fuse *fuse, const char *folder)
{
	char options[128];

	fuse->device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fuse->device < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return -errno;
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse->device);
	return mount("hostile", folder, "fuse", 0, options) ? -errno : 0;
}

#endif
