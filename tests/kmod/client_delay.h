/* SPDX-License-Identifier: GPL-2.0-only */
/* The messages by which a test sets delay rules, and the module's answers. */
#ifndef SCOPE_TESTS_KMOD_CLIENT_DELAY_H
#define SCOPE_TESTS_KMOD_CLIENT_DELAY_H

#include "client.h"

/* Fields that are 0 or NULL are not sent. */
struct client_delay {
	uint32_t id;
	uint8_t site; /* enum scope_delay_site */
	int syscall;  /* of SCOPE_DELAY_SYSCALL; -1: not sent */
	uint32_t flags;
	const char *symbol, *path;
	uint64_t offset, ns, seed, hit_max_ns, second_max_ns;
	uint32_t probability;
	uint32_t tid;			       /* 0: every traced thread */
	const struct scope_delay_range *range; /* one, or NULL */
};

struct client_delay_state {
	uint32_t id;
	uint64_t ns, visits, served, asked_ns, served_ns, missed, capped;
	uint64_t required_ns, unsettled_ns;
};

/* The kernel's words for a refusal are in client_delay_text. */
extern char client_delay_text[256];
int client_delay_set(struct client *client, const struct client_delay *delay);
int client_delay_remove(struct client *client, uint32_t id);
int client_delay_next(struct client *client, uint32_t id, struct client_delay_state *ret_state);

#endif
