/* SPDX-License-Identifier: GPL-2.0-only */
/* The requests and answers of a trace while its links are found. */
#ifndef SCOPE_FLEET_EXCHANGES_INTERNAL_H
#define SCOPE_FLEET_EXCHANGES_INTERNAL_H

#include "fleet/exchanges.h"
#include "timeline/timeline.h"

/* Exchanges kept of a link by how long they took, and of the others by the rest before them. */
#define SCOPE_FLEET_KEPT_EACH 24 /* no rule */

struct connection;

struct kept {
	uint64_t measure; /* 0: empty */
	uint64_t at_ns, took_ns;
	uint16_t port;
};

/* The longest, and those after the longest rests. */
struct sums {
	uint64_t ns;
	struct kept kept[2][SCOPE_FLEET_KEPT_EACH];
};

struct finding {
	struct scope_fleet_summarizer *summarizer;
	struct scope_timeline *timeline;
	struct scope_fleet_names names; /* of the links, until they are chosen */
	struct connection *slot;	/* open addressing by key, a power of two, half full at most */
	size_t slots, used;
	struct sums *sums; /* by link */
	size_t sums_capacity;
};

/* The link of these addresses; "" and "": the one without any. 0 or -ENOMEM. */
int scope_fleet_exchanges_link(struct finding *finding, bool answers, const char *client, const char *server,
			       uint32_t *ret_link);
/* Keeps the links with most time, as many as a summary may have. 0 or -ENOMEM. */
int scope_fleet_exchanges_choose(struct finding *finding);

#endif
