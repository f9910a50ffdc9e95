// SPDX-License-Identifier: GPL-2.0-only
/* The control socket of a running recorder. */
#include "recorder/control_socket.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#define ANSWER_BYTES 4096
#define SOCKET_PATH_BYTES sizeof(((struct sockaddr_un *)0)->sun_path)
#define WAIT_SECONDS 300 /* for the answer to a snapshot: gigabytes may have to be written */

struct scope_recorder_socket {
	int fd;
	struct sockaddr_un address;
};

static const struct {
	enum scope_recorder_request wish;
	const char *word;
} words[] = {
	{ SCOPE_RECORDER_REQUEST_STATUS, "status\n" },
	{ SCOPE_RECORDER_REQUEST_SNAPSHOT, "snapshot\n" },
};

/*
 * Makes the directory. Only this user may have access, because otherwise another user's program could answer instead.
 */
static int make_directory(const char *directory, struct scope_error *error)
{
	struct stat status;

	if (mkdir(directory, 0700) && errno != EEXIST)
		return scope_error_set(error, -errno, "%s cannot be made: %s; run as root", directory, strerror(errno));
	if (lstat(directory, &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
	    status.st_mode & 0077)
		return scope_error_set(error, -EPERM,
				       "%s is not a directory of this user with mode "
				       "0700: remove it",
				       directory);
	return 0;
}

/* No process listens there any more. */
static bool is_dead(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool dead;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	dead = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) && errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return dead;
}

/* The path of the next recorder's socket, and its pid. Returns false if there is no more. */
static bool next_socket(DIR *stream, const char *directory, char path[SOCKET_PATH_BYTES], unsigned int *ret_pid)
{
	struct dirent *entry;

	while ((entry = readdir(stream))) {
		if (sscanf(entry->d_name, "record-%u.sock", ret_pid) != 1)
			continue;
		snprintf(path, SOCKET_PATH_BYTES, "%s/record-%u.sock", directory, *ret_pid);
		return true;
	}
	return false;
}

/* A recorder that is killed leaves its socket; the next recorder removes it. */
static void clear_away(const char *directory)
{
	char path[SOCKET_PATH_BYTES];
	DIR *stream = opendir(directory);
	unsigned int pid;

	while (stream && next_socket(stream, directory, path, &pid))
		if (is_dead(path))
			unlink(path);
	if (stream)
		closedir(stream);
}

int scope_recorder_socket_open(const char *directory, struct scope_error *error,
			       struct scope_recorder_socket **ret_control)
{
	struct scope_recorder_socket *control;
	int err = make_directory(directory, error);

	if (err)
		return err;
	clear_away(directory);
	control = calloc(1, sizeof(*control));
	if (!control)
		return scope_error_set(error, -ENOMEM, "no memory for a socket in %s", directory);
	control->address.sun_family = AF_UNIX;
	snprintf(control->address.sun_path, sizeof(control->address.sun_path), "%s/record-%d.sock", directory,
		 (int)getpid());
	unlink(control->address.sun_path);
	control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (control->fd < 0 || bind(control->fd, (struct sockaddr *)&control->address, sizeof(control->address)) ||
	    chmod(control->address.sun_path, 0600) || listen(control->fd, 8)) {
		err = scope_error_set(error, -errno, "%s cannot be made: %s", control->address.sun_path,
				      strerror(errno));
		scope_recorder_socket_close(control);
		return err;
	}
	*ret_control = control;
	return 0;
}

void scope_recorder_socket_close(struct scope_recorder_socket *control)
{
	if (!control)
		return;
	if (control->fd >= 0)
		close(control->fd);
	unlink(control->address.sun_path);
	free(control);
}

static bool may_enter(int client)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return !getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &length) && (!peer.uid || peer.uid == geteuid());
}

/*
 * Reads a client's request. A client that has not sent it yet is disconnected, because the recorder does not wait for
 * clients.
 */
static enum scope_recorder_request read_wish(int client)
{
	const struct timeval moment = { .tv_usec = 50000 };
	char line[32] = "";

	setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &moment, sizeof(moment));
	setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &moment, sizeof(moment));
	if (!may_enter(client) || recv(client, line, sizeof(line) - 1, 0) <= 0)
		return SCOPE_RECORDER_REQUEST_NOTHING;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(line, words[i].word))
			return words[i].wish;
	return SCOPE_RECORDER_REQUEST_NOTHING;
}

enum scope_recorder_request scope_recorder_socket_next(struct scope_recorder_socket *control, int *ret_client)
{
	enum scope_recorder_request wish;
	int client;

	while ((client = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		wish = read_wish(client);
		if (wish != SCOPE_RECORDER_REQUEST_NOTHING) {
			*ret_client = client;
			return wish;
		}
		close(client);
	}
	return SCOPE_RECORDER_REQUEST_NOTHING;
}

void scope_recorder_socket_answer(struct scope_recorder_socket *control, int client, const char *text)
{
	(void)control;
	send(client, text, strlen(text), MSG_NOSIGNAL);
	close(client);
}

/* Asks one recorder. 0 with the answer; -ECONNREFUSED: the recorder has ended. */
static int ask_one(const char *path, const char *word, char *answer)
{
	const struct timeval limit = { .tv_sec = WAIT_SECONDS };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	size_t used = 0;
	ssize_t got = 0;
	int err = 0;

	if (fd < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) || send(fd, word, strlen(word), MSG_NOSIGNAL) < 0)
		err = -errno;
	while (!err && used < ANSWER_BYTES - 1 && (got = recv(fd, answer + used, ANSWER_BYTES - 1 - used, 0)) > 0)
		used += (size_t)got;
	if (!err && got < 0)
		err = -errno;
	answer[used] = '\0';
	close(fd);
	return err;
}

int scope_recorder_socket_ask(const char *directory, enum scope_recorder_request wish,
			      void (*each)(void *context, unsigned int pid, const char *answer), void *context,
			      struct scope_error *error)
{
	char path[SOCKET_PATH_BYTES], answer[ANSWER_BYTES];
	const char *word = words[wish == SCOPE_RECORDER_REQUEST_SNAPSHOT].word;
	DIR *stream = opendir(directory);
	unsigned int pid;
	int count = 0;

	if (!stream)
		return errno == ENOENT ? 0
				       : scope_error_set(error, -errno,
							 "%s cannot be read: %s; "
							 "run as root",
							 directory, strerror(errno));
	while (next_socket(stream, directory, path, &pid)) {
		const int err = ask_one(path, word, answer);

		if (err == -ECONNREFUSED) {
			unlink(path);
			scope_error_set(error, err, "recorder %u was killed, and what it held is gone", pid);
		}
		if (err)
			continue;
		each(context, pid, answer);
		count++;
	}
	closedir(stream);
	return count;
}
