// SPDX-License-Identifier: GPL-2.0-only
/* Counts connections of clients, and for how long each was in use. */
#include "server/client_lives.h"

#include <errno.h>
#include <stdlib.h>

#include "server/stretch.h"

#define SLOTS_MIN 256u	      /* no rule: a power of two */
#define ACCEPTED (1ull << 63) /* no rule: no process has a number as large */

static struct scope_client_life *find(struct scope_client_life *slot, size_t slots, uint64_t key)
{
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 20);

	while (slot[at & (slots - 1)].key && slot[at & (slots - 1)].key != key)
		at++;
	return &slot[at & (slots - 1)];
}

static int make_room(struct scope_client_lives *lives)
{
	const size_t slots = lives->slots ? 2 * lives->slots : SLOTS_MIN;
	struct scope_client_life *slot;

	if (2 * (lives->count + 1) <= lives->slots)
		return 0;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < lives->slots; i++)
		if (lives->slot[i].key)
			*find(slot, slots, lives->slot[i].key) = lives->slot[i];
	free(lives->slot);
	lives->slot = slot;
	lives->slots = slots;
	return 0;
}

int scope_server_client_lives_note(struct scope_client_lives *lives, uint32_t connection, uint32_t tgid, int32_t fd,
				   uint64_t now_ns, struct scope_client_life **ret_life)
{
	const uint64_t key = connection ? ACCEPTED | connection : (uint64_t)tgid << 32 | ((uint32_t)fd + 1);
	struct scope_client_life *life;

	*ret_life = NULL;
	if (make_room(lives))
		return -ENOMEM;
	life = find(lives->slot, lives->slots, key);
	if (!life->key) {
		if (lives->count == SCOPE_CLIENT_LIVES_MAX)
			return 0;
		lives->count++;
		*life = (struct scope_client_life){ .key = key, .first_ns = now_ns };
	}
	life->last_ns = now_ns;
	*ret_life = life;
	return 0;
}

int scope_server_client_lives_open(const struct scope_client_lives *lives, double *ret_mean, uint32_t *ret_most)
{
	struct scope_stretches stretches = { 0 };
	uint64_t first_ns = UINT64_MAX, last_ns = 0;
	struct scope_busy busy;
	int err = 0;

	for (size_t i = 0; !err && i < lives->slots; i++) {
		const struct scope_client_life *life = &lives->slot[i];

		if (!life->key)
			continue;
		first_ns = life->first_ns < first_ns ? life->first_ns : first_ns;
		last_ns = life->last_ns > last_ns ? life->last_ns : last_ns;
		err = scope_server_stretch_add(&stretches, life->first_ns, life->last_ns);
	}
	busy = scope_server_stretch_sum(&stretches, 1, last_ns);
	scope_server_stretch_free(&stretches);
	if (err)
		return err;
	*ret_mean = last_ns > first_ns ? busy.mean_ns / (double)(last_ns - first_ns) : (double)lives->count;
	*ret_most = busy.most;
	return 0;
}

void scope_server_client_lives_free(struct scope_client_lives *lives)
{
	free(lives->slot);
	*lives = (struct scope_client_lives){ 0 };
}
