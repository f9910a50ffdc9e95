/* SPDX-License-Identifier: GPL-2.0-only */
/* What requests of the servers in this folder run: the usual work, and functions of which each is a bug of its own. See ../libraries.py. */
#ifndef SCOPE_TESTS_KINDS_H
#define SCOPE_TESTS_KINDS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reports name such functions: they must stay. */
#define KIND __attribute__((noinline, noclone))

#define ANSWER_MAX 128

/* Takes the arguments PORT PEER FOLDER [VARIANT] of a server, and begins what the bugs need beside requests: a thread, and a process that logs.
 * Returns the port. */
uint16_t kinds_begin(int argc, char **argv);

/* The fourth argument, "" without one. */
const char *kinds_variant(void);

/* A socket that listens at the port of 127.0.0.1, or has it for datagrams. */
int kinds_listen(uint16_t port);
int kinds_datagrams(uint16_t port);

/* Takes an accepted connection: sends at once what is written to it. */
void kinds_accepted(int fd);

/* The port of the peer. */
uint16_t kinds_peer(void);

/* Runs the usual work and the function that path names, if any. */
long kinds_run(const char *path);

/* Does the same for the text of a request by HTTP. Returns the bytes of the answer, which has ANSWER_MAX of room. */
size_t kinds_answer(const char *request, size_t bytes, char *answer);

/* The path in the text of a request, in a buffer of 32 bytes. */
void kinds_path(const char *request, size_t bytes, char *path);

/* Makes an answer by HTTP of a number. Returns its bytes. */
size_t kinds_print(long number, char *answer);

#ifdef __cplusplus
}
#endif
#endif
