/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages by which a test sets probes and stacks while a session runs, and the module's answers. */
#ifndef SCOPE_TESTS_KMOD_CLIENT_PROBE_H
#define SCOPE_TESTS_KMOD_CLIENT_PROBE_H

#include "client.h"

struct client_probe {
	uint32_t id;
	uint8_t kind;		   /* enum scope_probe_kind */
	const char *symbol, *path; /* one of them */
	uint64_t offset;
	uint8_t args;
	uint32_t flags;
};

/* The kernel's words for a refusal are in client_probe_text. */
extern char client_probe_text[256];
int client_probe_add(struct client *client, const struct client_probe *probe);
int client_probe_remove(struct client *client, uint32_t id);

struct client_probe_state {
	uint32_t id, kind;
	uint64_t offset, hits, missed;
	char name[SCOPE_PROBE_NAME_BYTES];
};
int client_probe_next(struct client *client, uint32_t id, struct client_probe_state *ret_state);
/* Hits of one that is there. */
uint64_t client_probe_hits(struct client *client, uint32_t id);

/*
 * Functions that had other names before 4.17, 5.6 and 5.8: the name that this kernel has. For x86, like the tests
 * that need them; the second name is the same everywhere.
 */
enum client_function { CLIENT_GETPPID, CLIENT_OPEN, CLIENT_INT3, CLIENT_JPROBES };
const char *client_probe_function(enum client_function which);

/* True if a kprobe may change where a thread continues: from 4.19 on, when jprobes were removed. */
bool client_kprobes_divert(void);

/* The settings that a test changes; threads NULL: that set stays, count 0: all. */
struct client_stacks {
	int mode;			   /* -1: stays */
	uint32_t min_ns, sample_period_ns; /* UINT32_MAX: stays */
	const int32_t *threads;
	uint32_t count;
	int only_syscall; /* -1: unchanged; else the one number that gets stacks */
};
int client_stacks(struct client *client, const struct client_stacks *stacks);

#endif
