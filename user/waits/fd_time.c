// SPDX-License-Identifier: GPL-2.0-only
/* For how long requests waited at each descriptor: for the answers of a peer, or for the disk of a file. */
#include "waits/fd_time.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "waits/history.h"

void scope_waits_fd_times_free(struct scope_fd_times *times)
{
	scope_waits_pairs_free(&times->pairs);
	free(times->fd);
	times->fd = NULL;
	times->count = times->capacity = 0;
}

static int number_of(struct scope_fd_times *times, uint32_t tgid, uint32_t fd, uint8_t class, uint32_t *ret_number)
{
	int err = scope_waits_pairs_add(&times->pairs, tgid, (uint64_t) class << 32 | fd, ret_number);

	if (err || *ret_number == SCOPE_PAIR_NONE || *ret_number < times->count)
		return err;
	if (scope_grow(&times->fd, &times->capacity, times->count + 1, sizeof(*times->fd)))
		return -ENOMEM;
	times->fd[times->count++] = (struct scope_fd_time){ .tgid = tgid, .fd = (int32_t)(fd - 1), .class = class };
	return 0;
}

int scope_waits_fd_times_wait(struct scope_fd_times *times, struct scope_fd_waits *waits, uint32_t tgid,
			      const struct scope_wait *wait)
{
	const uint32_t fd = scope_waits_descriptor_of(wait);
	unsigned at = 0;
	uint32_t number;
	int err;

	if (!fd || wait->waker != SCOPE_WAIT_NO_THREAD)
		return 0;
	err = number_of(times, tgid, fd, wait->class, &number);
	if (err || number == SCOPE_PAIR_NONE)
		return err;
	while (at < waits->count && waits->at[at].number != number)
		at++;
	if (at == SCOPE_FD_TIMES_UNIT)
		return 0;
	if (at == waits->count) {
		waits->at[at].number = number;
		waits->at[at].ns = 0;
		waits->count++;
	}
	waits->at[at].ns += (double)(wait->wake_ns - wait->begin_ns);
	return 0;
}

void scope_waits_fd_times_unit(struct scope_fd_times *times, struct scope_fd_waits *waits, bool request, bool slow)
{
	for (unsigned i = 0; i < waits->count; i++) {
		struct scope_fd_time *fd = &times->fd[waits->at[i].number];

		if (!request && fd->class != SCOPE_WAIT_DISK)
			continue;
		if (slow) {
			fd->slow++;
			fd->slow_ns += waits->at[i].ns;
		} else {
			fd->others++;
			fd->others_ns += waits->at[i].ns;
		}
	}
	waits->count = 0;
}
