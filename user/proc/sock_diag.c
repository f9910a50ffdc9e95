// SPDX-License-Identifier: GPL-2.0-only
/* Asks the kernel about sockets of any network namespace, by sock_diag(7). */
#include "proc/sock_diag.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sock_diag.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct opening {
	struct nl_sock *socket;
	int namespace; /* -1: that of this process */
	int err;
};

static void connect_socket(struct opening *opening)
{
	if (opening->namespace >= 0 && setns(opening->namespace, CLONE_NEWNET)) {
		opening->err = -errno;
		return;
	}
	opening->err = nl_connect(opening->socket, NETLINK_SOCK_DIAG) ? -EPROTONOSUPPORT : 0;
}

static void *connect_there(void *user)
{
	connect_socket(user);
	return NULL;
}

static bool is_own_namespace(const char *path)
{
	char own[64], other[64];
	const ssize_t own_length = readlink("/proc/self/ns/net", own, sizeof(own));
	const ssize_t length = readlink(path, other, sizeof(other));

	return length > 0 && length == own_length && !memcmp(own, other, (size_t)length);
}

/* A socket stays in the namespace in which it was made, and setns() changes only the calling thread. */
static int connect_in(const char *path, struct opening *opening)
{
	pthread_t thread;

	opening->namespace = open(path, O_RDONLY | O_CLOEXEC);
	if (opening->namespace < 0)
		return -errno;
	opening->err = -pthread_create(&thread, NULL, connect_there, opening);
	if (!opening->err)
		pthread_join(thread, NULL);
	close(opening->namespace);
	return opening->err;
}

int scope_proc_sock_diag_open(uint32_t pid, struct nl_sock **ret_socket)
{
	struct opening opening = { .socket = nl_socket_alloc(), .namespace = -1 };
	char path[64];

	if (!opening.socket)
		return -ENOMEM;
	snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	if (is_own_namespace(path))
		connect_socket(&opening);
	else
		opening.err = connect_in(path, &opening);
	if (opening.err) {
		nl_socket_free(opening.socket);
		return opening.err;
	}
	*ret_socket = opening.socket;
	return 0;
}

int scope_proc_sock_diag_dump(struct nl_sock *socket, void *request, size_t bytes, nl_recvmsg_msg_cb_t take, void *user)
{
	int err = nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, take, user);

	if (!err)
		err = nl_send_simple(socket, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, request, bytes);
	return err < 0 ? err : nl_recvmsgs_default(socket);
}
