// SPDX-License-Identifier: GPL-2.0-only
/* A file that gets its name when it is complete. */
#include "base/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX 8
#define KEPT_MAX 10000
#define ROUNDS_MAX 100 /* attempts, as other programs may take the same name */
#define PROC_MAGIC 0x9fa0
#define NO_REPLACE 1u /* RENAME_NOREPLACE */

struct scope_newfile {
	int fd;	      /* -1: closed */
	FILE *stream; /* NULL: not requested; else it owns fd */
	char *path;   /* NULL: standard output */
	bool special;
	char *part; /* NULL: a special file, or PATH.part was renamed already */
	char note[512];
};

static const char *name_of(const struct scope_newfile *file)
{
	return file->path ? file->path : "standard output";
}

static int fail(const char *name, int err, struct scope_error *error)
{
	const char *remedy = "name another place";

	if (err == -ENOSPC || err == -EDQUOT || err == -EIO)
		remedy = "free some room, or name another place";
	else if (err == -EACCES || err == -ENOENT || err == -EPERM || err == -EROFS)
		remedy = "name a file in a directory you may write to";
	return scope_error_set(error, err, "%.300s cannot be written: %s; %s", name, strerror(-err), remedy);
}

/* Returns the directory of a path. */
static void parent_of(const char *path, char *ret_parent, size_t size)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", path);
	snprintf(ret_parent, size, "%s", dirname(copy));
}

/*
 * True if another user may have put the file there. The test is that of the kernel's protected_symlinks and
 * protected_fifos.
 */
static bool planted(const char *path, const struct stat *status)
{
	char parent[PATH_MAX];
	struct stat directory;

	parent_of(path, parent, sizeof(parent));
	return !stat(parent, &directory) && directory.st_mode & S_IWOTH && status->st_uid != geteuid() &&
	       status->st_uid != 0 && status->st_uid != directory.st_uid;
}

/*
 * Returns 1 if the path names a descriptor of a process, directly or by links (/dev/stdout, /proc/self/fd/1), else 0.
 * -EPERM: one of the links belongs to another user.
 */
static int names_descriptor(const char *path)
{
	char at[PATH_MAX], parent[PATH_MAX], target[PATH_MAX], next[2 * PATH_MAX];
	struct stat status;
	struct statfs system;
	ssize_t length;

	snprintf(at, sizeof(at), "%s", path);
	for (int i = 0; i < LINKS_MAX && !lstat(at, &status) && S_ISLNK(status.st_mode); i++) {
		if (planted(at, &status))
			return -EPERM;
		parent_of(at, parent, sizeof(parent));
		if (!statfs(parent, &system) && system.f_type == PROC_MAGIC)
			return 1;
		length = readlink(at, target, sizeof(target) - 1);
		if (length < 0)
			return 0;
		target[length] = '\0';
		snprintf(next, sizeof(next), "%s%s%s", target[0] == '/' ? "" : parent, target[0] == '/' ? "" : "/",
			 target);
		if (strlen(next) >= sizeof(at))
			return -ENAMETOOLONG;
		memcpy(at, next, strlen(next) + 1);
	}
	return 0;
}

/*
 * Decides how to write to path. Returns 1 if the existing file is written to, 0 if a new file replaces it, or -errno
 * with error filled.
 */
static int judge(const char *path, struct scope_error *error)
{
	struct stat status;
	int err = names_descriptor(path);

	if (err == -EPERM)
		return scope_error_set(error, err,
				       "%.300s is a link of another user in a directory that "
				       "anybody may write to: remove it, or name another place",
				       path);
	if (err || stat(path, &status))
		return err;
	if (S_ISREG(status.st_mode))
		return 0;
	if (S_ISDIR(status.st_mode))
		return scope_error_set(error, -EISDIR, "%.300s is a directory: name a file", path);
	if (!S_ISCHR(status.st_mode) && !S_ISFIFO(status.st_mode))
		return scope_error_set(error, -EINVAL,
				       "%.300s is a %s, which is not written to: name a "
				       "file",
				       path, S_ISBLK(status.st_mode) ? "block device" : "socket");
	if (planted(path, &status))
		return scope_error_set(error, -EPERM,
				       "%.300s belongs to another user, in a directory that "
				       "anybody may write to: name another place",
				       path);
	return 1;
}

/* Appends, because the file may be that of a redirection. */
static int open_special(const char *path, struct scope_error *error)
{
	int fd;

	fflush(stdout);
	fd = path ? open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC) : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return fail(path ? path : "standard output", -errno, error);
	lseek(fd, 0, SEEK_END);
	return fd;
}

/* Renames without replacing anything: 0, -EEXIST, or -errno. */
static int rename_new(const char *from, const char *to)
{
	if (!syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE))
		return 0;
	if (errno != ENOSYS && errno != EINVAL)
		return -errno;
	/*
	 * An old kernel or file system cannot rename in one step without replacing. If the program is killed between
	 * the two steps, both names stay.
	 */
	if (!link(from, to))
		return unlink(from) ? -errno : 0;
	if (errno == EEXIST)
		return -EEXIST;
	if (!faccessat(AT_FDCWD, to, F_OK, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	return rename(from, to) ? -errno : 0;
}

/* Renames the existing file to the first free name, and says so in the note. */
static int keep(struct scope_newfile *file, const char *path)
{
	const size_t used = strlen(file->note);
	struct stat status;
	char old[PATH_MAX];
	int err = -EEXIST;

	if (lstat(path, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;

	for (unsigned int i = 1; err == -EEXIST && i < KEPT_MAX; i++) {
		const int written = i == 1 ? snprintf(old, sizeof(old), "%s.old", path)
					   : snprintf(old, sizeof(old), "%s.old.%u", path, i);

		err = (size_t)written < sizeof(old) ? rename_new(path, old) : -ENAMETOOLONG;
	}
	if (!err)
		snprintf(file->note + used, sizeof(file->note) - used,
			 "%s%.100s was there already and is "
			 "kept as %.110s",
			 used ? "; " : "", path, old);
	return err;
}

/* True if the open file still has that name. */
static bool is_named(int fd, const char *path)
{
	struct stat named, open;

	return !lstat(path, &named) && !fstat(fd, &open) && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

/* Moves an existing PATH.part out of the way. 0, or -errno with error filled. */
static int clear_part(struct scope_newfile *file, const char *part, struct scope_error *error)
{
	const int fd = open(part, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	int err = 0;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
		err = scope_error_set(error, -EPERM,
				      "%.300s is there already and is no file that this user "
				      "may replace: remove it, or name another place",
				      part);
	else if (flock(fd, LOCK_EX | LOCK_NB))
		err = scope_error_set(error, -EBUSY,
				      "%.200s is being written by another program, which has "
				      "%.200s open: name another file, or wait for its end",
				      file->path, part);
	else if (is_named(fd, part))
		err = !status.st_size ? (unlink(part) ? -errno : 0) : keep(file, part);
	if (fd >= 0)
		close(fd);
	return err == -ENOENT ? 0 : err;
}

/* Creates PATH.part and locks it. 0, or -errno with error filled. */
static int open_part(struct scope_newfile *file, const char *part, mode_t mode, struct scope_error *error)
{
	for (int round = 0; round < ROUNDS_MAX; round++) {
		int err, fd = open(part, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, mode);

		if (fd >= 0) {
			/* If the file system has no locks, other programs see only that the file exists. */
			if ((!flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) && is_named(fd, part)) {
				file->fd = fd;
				return 0;
			}
			/* Another program took this file for one that a killed program left, and has moved it away. */
			close(fd);
			continue;
		}
		if (errno != EEXIST)
			return fail(file->path, -errno, error);
		if (error)
			error->text[0] = '\0';
		err = clear_part(file, part, error);
		if (err)
			return error && !error->text[0] ? fail(file->path, err, error) : err;
	}
	return fail(file->path, -EBUSY, error);
}

static int create(struct scope_newfile *file, mode_t mode, struct scope_error *error)
{
	char part[PATH_MAX];
	int err = file->path ? judge(file->path, error) : 1;

	if (err < 0)
		return err;
	if (err) {
		file->special = true;
		file->fd = open_special(file->path, error);
		return file->fd < 0 ? file->fd : 0;
	}
	if (snprintf(part, sizeof(part), "%s.part", file->path) >= (int)sizeof(part))
		return fail(file->path, -ENAMETOOLONG, error);
	err = open_part(file, part, mode, error);
	if (err)
		return err;
	file->part = strdup(part);
	if (!file->part)
		unlink(part);
	return file->part ? 0 : fail(file->path, -ENOMEM, error);
}

int scope_newfile_create(const char *path, mode_t mode, struct scope_error *error, struct scope_newfile **ret_file)
{
	struct scope_newfile *file = calloc(1, sizeof(*file));
	int err = file ? 0 : -ENOMEM;

	if (path && !strcmp(path, "-"))
		path = NULL;
	if (file) {
		file->fd = -1;
		file->path = path ? strdup(path) : NULL;
		err = path && !file->path ? -ENOMEM : 0;
	}
	if (err)
		fail(path ? path : "standard output", err, error);
	else
		err = create(file, mode, error);
	if (err)
		scope_newfile_destroy(file);
	else
		*ret_file = file;
	return err;
}

int scope_newfile_fd(const struct scope_newfile *file)
{
	return file->fd;
}

FILE *scope_newfile_stream(struct scope_newfile *file)
{
	if (!file->stream)
		file->stream = fdopen(file->fd, "w");
	return file->stream;
}

const char *scope_newfile_path(const struct scope_newfile *file)
{
	return file->part ? file->part : file->path;
}

bool scope_newfile_is_special(const struct scope_newfile *file)
{
	return file->special;
}

const char *scope_newfile_note(const struct scope_newfile *file)
{
	return file->note;
}

static int close_all(struct scope_newfile *file)
{
	int err = 0;

	if (file->stream ? fclose(file->stream) : file->fd >= 0 ? close(file->fd) : 0)
		err = -errno;
	file->stream = NULL;
	file->fd = -1;
	return err;
}

static int publish(struct scope_newfile *file)
{
	int err = -EEXIST;

	for (int round = 0; err == -EEXIST && round < ROUNDS_MAX; round++) {
		err = rename_new(file->part, file->path);
		if (err != -EEXIST)
			break;
		err = keep(file, file->path);
		if (!err || err == -ENOENT)
			err = -EEXIST;
	}
	return err;
}

/*
 * Some file systems report a full disk only when a descriptor is closed. A duplicate is closed here, so that the lock
 * stays.
 */
static int flush(struct scope_newfile *file)
{
	int fd;

	errno = 0;
	if (file->stream && (fflush(file->stream) || ferror(file->stream)))
		return errno ? -errno : -EIO;
	fd = dup(file->fd);
	return fd < 0 || close(fd) ? -errno : 0;
}

int scope_newfile_finish(struct scope_newfile *file, struct scope_error *error)
{
	int err;

	if (file->fd < 0)
		return 0;
	err = flush(file);
	if (!err && file->part) {
		/* Renames only if the name still belongs to this file. */
		err = is_named(file->fd, file->part) ? publish(file) : -ESTALE;
		if (!err) {
			free(file->part);
			file->part = NULL;
		}
	}
	if (!err)
		err = close_all(file);
	return err ? fail(name_of(file), err, error) : 0;
}

void scope_newfile_destroy(struct scope_newfile *file)
{
	if (!file)
		return;
	if (file->part && is_named(file->fd, file->part))
		unlink(file->part);
	close_all(file);
	free(file->part);
	free(file->path);
	free(file);
}
