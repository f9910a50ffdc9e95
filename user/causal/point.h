/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses progress points, the events that count as one unit of progress, from words of the command line. */
#ifndef SCOPE_CAUSAL_POINT_H
#define SCOPE_CAUSAL_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "causal/locate.h"

enum scope_point_kind {
	SCOPE_POINT_REQUEST, /* an answer on an accepted connection: the first bytes that are sent after some were received */
	SCOPE_POINT_SYSCALL,  /* a system call that returned */
	SCOPE_POINT_FUNCTION, /* a function of the program that was entered */
};

struct scope_mark {
	enum scope_point_kind kind;
	uint16_t nr;		  /* SYSCALL */
	struct scope_place place; /* FUNCTION */
};

/* A visit of `end` is progress. With `pair`, a visit of `begin` means one more in flight. */
struct scope_point {
	bool pair;
	struct scope_mark begin, end;
};

/*
 * "request", "syscall:NAME", "function:NAME" (locate.h), or a pair "begin:MARK,end:MARK" of the last two. A request is
 * also a pair; it begins with the first bytes received. 0; -EINVAL: another form; other errors as in locate.h, with
 * error filled.
 */
int scope_causal_point_parse(uint32_t tgid, const char *text, struct scope_error *error, struct scope_point *ret_point);

#endif
