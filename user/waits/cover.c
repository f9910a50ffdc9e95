// SPDX-License-Identifier: GPL-2.0-only
/* The times in which a thread was waited for: stretches of its time, each counted once for any number of waiters. */
#include "waits/cover.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

void scope_waits_covers_free(struct scope_covers *covers)
{
	for (size_t i = 0; i < covers->threads; i++)
		free(covers->thread[i].stretch);
	free(covers->thread);
	*covers = (struct scope_covers){ .every = 1 };
}

static bool is_kept(const struct scope_covers *covers, uint64_t time_ns)
{
	return time_ns / SCOPE_COVER_SLICE_NS % covers->every == 0;
}

/* The first stretch that ends at that time or later. */
static size_t first_from(const struct scope_cover *cover, uint64_t time_ns)
{
	size_t low = 0, high = cover->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (cover->stretch[middle].end_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Inserts a stretch and merges it with those that it touches. */
static int put(struct scope_covers *covers, struct scope_cover *cover, struct scope_stretch_ns stretch)
{
	const size_t at = first_from(cover, stretch.begin_ns);
	size_t until = at;

	for (; until < cover->count && cover->stretch[until].begin_ns <= stretch.end_ns; until++) {
		if (cover->stretch[until].begin_ns < stretch.begin_ns)
			stretch.begin_ns = cover->stretch[until].begin_ns;
		if (cover->stretch[until].end_ns > stretch.end_ns)
			stretch.end_ns = cover->stretch[until].end_ns;
	}
	if (scope_grow(&cover->stretch, &cover->capacity, cover->count + 1, sizeof(stretch)))
		return -ENOMEM;
	memmove(cover->stretch + at + 1, cover->stretch + until, (cover->count - until) * sizeof(stretch));
	cover->stretch[at] = stretch;
	cover->count = cover->count - (until - at) + 1;
	covers->stretches = covers->stretches - (until - at) + 1;
	return 0;
}

/* Halves the number of slices. */
static void thin(struct scope_covers *covers)
{
	covers->every *= 2;
	covers->stretches = 0;
	for (size_t i = 0; i < covers->threads; i++) {
		struct scope_cover *cover = &covers->thread[i];
		size_t kept = 0;

		for (size_t j = 0; j < cover->count; j++)
			if (is_kept(covers, cover->stretch[j].begin_ns))
				cover->stretch[kept++] = cover->stretch[j];
		cover->count = kept;
		covers->stretches += kept;
	}
}

int scope_waits_covers_add(struct scope_covers *covers, uint32_t thread, uint64_t begin_ns, uint64_t end_ns)
{
	if (scope_grow(&covers->thread, &covers->capacity, thread + 1ul, sizeof(*covers->thread)))
		return -ENOMEM;
	while (covers->threads <= thread)
		covers->thread[covers->threads++] = (struct scope_cover){ 0 };
	/* A stretch is cut at the ends of slices, so that each part goes or stays by its own slice. */
	while (begin_ns < end_ns) {
		const uint64_t slice_ns = (begin_ns / SCOPE_COVER_SLICE_NS + 1) * SCOPE_COVER_SLICE_NS - 1;
		const uint64_t until_ns = end_ns < slice_ns ? end_ns : slice_ns;

		if (is_kept(covers, begin_ns) &&
		    put(covers, &covers->thread[thread], (struct scope_stretch_ns){ begin_ns, until_ns }))
			return -ENOMEM;
		begin_ns = until_ns < end_ns ? until_ns + 1 : end_ns;
	}
	if (covers->stretches > (covers->most ? covers->most : SCOPE_COVERS_MAX))
		thin(covers);
	return 0;
}

bool scope_waits_covers_has(const struct scope_covers *covers, uint32_t thread, uint64_t time_ns)
{
	const struct scope_cover *cover = thread < covers->threads ? &covers->thread[thread] : NULL;
	const size_t at = cover ? first_from(cover, time_ns) : 0;

	return cover && at < cover->count && cover->stretch[at].begin_ns <= time_ns;
}

static int compare(const void *left, const void *right)
{
	const struct scope_stretch_ns *a = left, *b = right;

	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* All stretches of the group, sorted. */
static size_t gather(const struct scope_covers *covers, const uint32_t *group, size_t threads, uint32_t of,
		     struct scope_stretch_ns *to)
{
	size_t count = 0;

	for (size_t i = 0; i < covers->threads && i < threads; i++) {
		const struct scope_cover *cover = &covers->thread[i];

		if (group[i] != of || !cover->count)
			continue;
		memcpy(to + count, cover->stretch, cover->count * sizeof(*to));
		count += cover->count;
	}
	qsort(to, count, sizeof(*to), compare);
	return count;
}

int scope_waits_covers_sum(const struct scope_covers *covers, const uint32_t *group, size_t threads, uint32_t of,
			   double *ret_ns)
{
	struct scope_stretch_ns *all = malloc((covers->stretches + 1) * sizeof(*all));
	uint64_t sum_ns = 0, until_ns = 0;
	size_t count;

	if (!all)
		return -ENOMEM;
	count = gather(covers, group, threads, of, all);
	for (size_t i = 0; i < count; i++) {
		const uint64_t from_ns = all[i].begin_ns > until_ns ? all[i].begin_ns : until_ns;

		if (all[i].end_ns <= from_ns)
			continue;
		sum_ns += all[i].end_ns - from_ns;
		until_ns = all[i].end_ns;
	}
	free(all);
	*ret_ns = (double)sum_ns * (double)covers->every;
	return 0;
}
