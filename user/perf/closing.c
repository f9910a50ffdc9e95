// SPDX-License-Identifier: GPL-2.0-only
/* Closes descriptors of probes in a thread of its own. */
#include "perf/closing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scope_perf_closing {
	struct scope_perf_closing *next;
	pthread_t thread;
	atomic_bool over;
	size_t fds;
	int fd[];
};

static void close_all(const int *fd, size_t fds)
{
	for (size_t i = 0; i < fds; i++)
		close(fd[i]);
}

/* Calls nothing but close(), so the process may fork at any time. */
static void *run(void *context)
{
	struct scope_perf_closing *closing = context;

	close_all(closing->fd, closing->fds);
	atomic_store(&closing->over, true);
	return NULL;
}

void scope_perf_closing_begin(struct scope_perf_closing **list, const int *fd, size_t fds)
{
	struct scope_perf_closing *closing = fds ? malloc(sizeof(*closing) + fds * sizeof(*fd)) : NULL;

	if (closing) {
		atomic_init(&closing->over, false);
		closing->fds = fds;
		memcpy(closing->fd, fd, fds * sizeof(*fd));
	}
	if (!closing || pthread_create(&closing->thread, NULL, run, closing)) {
		free(closing);
		close_all(fd, fds);
		return;
	}
	closing->next = *list;
	*list = closing;
}

bool scope_perf_closing_busy(struct scope_perf_closing **list)
{
	while (*list) {
		struct scope_perf_closing *closing = *list;

		if (!atomic_load(&closing->over))
			return true;
		*list = closing->next;
		pthread_join(closing->thread, NULL);
		free(closing);
	}
	return false;
}

void scope_perf_closing_end(struct scope_perf_closing **list)
{
	while (*list) {
		struct scope_perf_closing *closing = *list;

		*list = closing->next;
		pthread_join(closing->thread, NULL);
		free(closing);
	}
}
