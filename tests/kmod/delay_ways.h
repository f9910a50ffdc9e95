/* SPDX-License-Identifier: GPL-2.0-only */
/* A session that delays one puppet in each possible way, and the contents of its records. */
#ifndef SCOPE_TESTS_KMOD_DELAY_WAYS_H
#define SCOPE_TESTS_KMOD_DELAY_WAYS_H

#include "client_delay.h"
#include "puppet.h"

#define DELAY_OWN_PATH "/proc/self/exe"
#ifdef __aarch64__
#define DELAY_WRAPPED "__arm64_sys_"
#else
#define DELAY_WRAPPED "__x64_sys_"
#endif
#define DELAY_WAYS 5
#define MS 1000000ull

/* Each with what comes to its site. */
struct delay_way {
	const char *name;
	enum puppet_act act;
	uint8_t flags; /* of its records */
	struct client_delay rule;
};
extern struct delay_way delay_ways[DELAY_WAYS];

/* Call it before any of them is used; delay_begin() does it. */
void delay_find_places(void);

/* What was recorded about delays: data of client_drain() with delay_on_record(). */
struct delay_served {
	uint64_t count, asked_ns, served_ns, longest_over_ns;
	uint32_t flags, all_flags; /* of any, and of all */
	uint32_t tid;		   /* of the last */
};
void delay_on_record(void *data, uint32_t cpu, uint32_t tid, uint64_t at_ns, const void *record, uint32_t bytes);

void delay_begin(struct client *client, struct puppet *puppet);
void delay_end(struct client *client, struct puppet *puppet, struct delay_served *served);
void delay_must(struct client *client, const struct client_delay *rule);
struct client_delay_state delay_state_of(struct client *client, uint32_t id);

#endif
