/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control socket of a running recorder: /run/scope/record-PID.sock in a directory of mode 0700,
 * where PID is the recorder's. A client sends one line, "status" or "snapshot", and reads the answer
 * to its end. Only root, and the user the recorder runs as, have access.
 */
#ifndef SCOPE_RECORDER_CONTROL_SOCKET_H
#define SCOPE_RECORDER_CONTROL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define SCOPE_RECORDER_SOCKET_DIRECTORY "/run/scope"

struct scope_recorder_socket;

enum scope_recorder_request {
	SCOPE_RECORDER_REQUEST_NOTHING,
	SCOPE_RECORDER_REQUEST_STATUS,
	SCOPE_RECORDER_REQUEST_SNAPSHOT,
};

/* Makes directory and socket, and removes those of recorders that were killed. 0 or -errno, error filled. */
int scope_recorder_socket_open(const char *directory, struct scope_error *error,
			       struct scope_recorder_socket **ret_control);
void scope_recorder_socket_close(struct scope_recorder_socket *control); /* removes the socket; NULL is fine */

/* The next request, without waiting. A client is a number for answer(). */
enum scope_recorder_request scope_recorder_socket_next(struct scope_recorder_socket *control, int *ret_client);

/* Sends the text and closes the connection. */
void scope_recorder_socket_answer(struct scope_recorder_socket *control, int client, const char *text);

/*
 * Asks every recorder in the directory; each() gets the answers, the recorder's pid first. Sockets
 * that killed recorders left are removed, and error names the last of these. Returns how many
 * answered, or -errno with error filled.
 */
int scope_recorder_socket_ask(const char *directory, enum scope_recorder_request wish,
			      void (*each)(void *context, unsigned int pid, const char *answer), void *context,
			      struct scope_error *error);

#endif
