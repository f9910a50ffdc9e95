/* SPDX-License-Identifier: GPL-2.0-only */
/* A process that does one thing a requested number of times. */
#ifndef SCOPE_TESTS_KMOD_PUPPET_H
#define SCOPE_TESTS_KMOD_PUPPET_H

#include <stdint.h>
#include <sys/types.h>

struct puppet {
	pid_t pid;
	int to_fd, from_fd;
};

#define PUPPET_HOLE_BYTES 16384
#define PUPPET_HOLE_MARK 0x70707565741e5eedull /* in the frame after it */
#define PUPPET_PATH "/nowhere/at/all"	       /* what it opens, in vain */

enum puppet_act {
	PUPPET_GETPPID,
	PUPPET_OPEN,
	PUPPET_FUNCTION,  /* puppet_function(), through the place that uprobes are set on */
	PUPPET_SPAWN,	  /* a new process of the program, which calls the function as often */
	PUPPET_BAD_STACK, /* getppid with a stack pointer that leads nowhere */
	PUPPET_NAP,	  /* nanosleep of 0.3 ms */
	PUPPET_HOLE_NAP,  /* the same above PUPPET_HOLE_BYTES of stack that were never written to */
	PUPPET_RECEIVE,	  /* a byte from a socket of its own */
	PUPPET_BURN,	  /* loops in code of its own, see puppet_burn_range() */
	PUPPET_WORK,	  /* loops elsewhere */
	PUPPET_PINGPONG,  /* a byte to a child and back, with some work on either side */
	PUPPET_ACTS,
};

/* A child of this process, which runs the program at path (NULL: this one). It waits. */
void puppet_begin(struct puppet *puppet, const char *path);
void puppet_do(struct puppet *puppet, enum puppet_act act, uint32_t times);
/* Begin, and wait for the end. */
void puppet_start(struct puppet *puppet, enum puppet_act act, uint32_t times);
void puppet_wait(struct puppet *puppet);
void puppet_end(struct puppet *puppet);

/* The i-th call gets i, 2 i, 3 i and returns 7 i. Where it begins in the program's file. */
uint64_t puppet_function_offset(void);

/* Where the code of PUPPET_BURN is in that process. */
struct scope_delay_range;
void puppet_burn_range(const struct puppet *puppet, struct scope_delay_range *ret_range);

/* What main() does for a new process: `puppet`, or `puppet function N`. */
void puppet_main(int argc, char **argv);

#endif
