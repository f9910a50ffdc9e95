/* SPDX-License-Identifier: GPL-2.0-only */
/* For how long requests waited at each descriptor: for the answers of a peer, or for the disk of a file. */
#ifndef SCOPE_WAITS_FD_TIME_H
#define SCOPE_WAITS_FD_TIME_H

#include "timeline/thread.h"
#include "waits/pair_table.h"

#define SCOPE_FD_TIMES_MAX 65536 /* no rule: waits at further descriptors are not counted */
#define SCOPE_FD_TIMES_UNIT 8	 /* no rule: descriptors at which one request waits, and that are counted */

struct scope_fd_time {
	uint32_t tgid;
	int32_t fd;
	uint8_t class;		   /* SCOPE_WAIT_NETWORK or SCOPE_WAIT_DISK */
	uint64_t slow, others;	   /* slow requests that waited there, and others */
	double slow_ns, others_ns; /* what they waited */
};

/* Of slow ones, or of others. 0: there are none. */
static inline double scope_waits_fd_time_mean(double ns, uint64_t count)
{
	return count ? ns / (double)count : 0;
}

/* Waits of a thread since its last unit. Zeroed: none. */
struct scope_fd_waits {
	struct {
		uint32_t number; /* of the descriptor */
		double ns;
	} at[SCOPE_FD_TIMES_UNIT];
	unsigned count;
};

/* A zeroed struct with pairs.most set is empty. */
struct scope_fd_times {
	struct scope_pair_table pairs; /* tgid and descriptor with class: the number of an element of fd */
	struct scope_fd_time *fd;
	size_t count, capacity;
	double slow_ns; /* of all slow requests, from begin to end */
};

void scope_waits_fd_times_free(struct scope_fd_times *times);
/* A wait at no descriptor is left out. 0 or -ENOMEM. */
int scope_waits_fd_times_wait(struct scope_fd_times *times, struct scope_fd_waits *waits, uint32_t tgid,
			      const struct scope_wait *wait);
/* A unit ended, in which the thread waited so. Of units that are no requests only waits for a disk count. */
void scope_waits_fd_times_unit(struct scope_fd_times *times, struct scope_fd_waits *waits, bool request, bool slow);

#endif
