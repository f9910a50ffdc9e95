// SPDX-License-Identifier: GPL-2.0-only
/* Mines the closed frequent episodes of a set of syscall strings. */
#include "signature/mine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

struct window {
	uint16_t nr[SCOPE_EPISODE_SPAN]; /* 0 after the last one */
	uint8_t length;
	uint64_t count;
};

/* A window that has the prefix, whose last call is at its leftmost possible place. */
struct match {
	const struct window *window;
	uint8_t last;
};

struct miner {
	const struct scope_mine_options *options;
	bool busy;	       /* episodes with SCOPE_EPISODE_BUSY are mined, else those without */
	struct window *window; /* sorted, equal ones are one */
	size_t windows, window_capacity;
	struct scope_episode *episode;
	size_t episodes, capacity;
	struct scope_episode *run; /* of one call each, by string */
	size_t runs, run_capacity;
	struct scope_episode prefix;
};

static int compare_windows(const void *left, const void *right)
{
	const struct window *a = left, *b = right;

	for (unsigned i = 0; i < a->length && i < b->length; i++)
		if (a->nr[i] != b->nr[i])
			return a->nr[i] < b->nr[i] ? -1 : 1;
	return (a->length > b->length) - (a->length < b->length);
}

static bool is_busy(const uint16_t *nr, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (nr[i] == SCOPE_EPISODE_BUSY)
			return true;
	return false;
}

static int add_windows(struct miner *miner, const struct scope_string *string)
{
	if (scope_grow(&miner->window, &miner->window_capacity, miner->windows + string->length,
		       sizeof(*miner->window)))
		return -ENOMEM;
	for (size_t i = 0; i < string->length; i++) {
		struct window window = { .count = string->count };

		do {
			window.nr[window.length] = string->nr[i + window.length];
			window.length++;
		} while (window.length < SCOPE_EPISODE_SPAN && i + window.length < string->length &&
			 string->nr[i + window.length] != string->nr[i]);
		miner->window[miner->windows++] = window;
	}
	return 0;
}

static void merge_windows(struct miner *miner)
{
	size_t kept = 0;

	if (miner->windows)
		qsort(miner->window, miner->windows, sizeof(*miner->window), compare_windows);
	for (size_t i = 0; i < miner->windows; i++)
		if (kept && !compare_windows(&miner->window[kept - 1], &miner->window[i]))
			miner->window[kept - 1].count += miner->window[i].count;
		else
			miner->window[kept++] = miner->window[i];
	miner->windows = kept;
}

static bool is_contiguous(const struct miner *miner, const struct window *window)
{
	return window->length >= miner->prefix.length &&
	       !memcmp(window->nr, miner->prefix.nr, miner->prefix.length * sizeof(*window->nr));
}

static int emit(struct miner *miner, const struct match *match, size_t matches)
{
	struct scope_episode *episode;
	bool contiguous = true;

	if (miner->busy && !scope_signature_episode_is_busy(&miner->prefix))
		return 0;
	for (size_t i = 0; contiguous && i < matches; i++)
		contiguous = is_contiguous(miner, match[i].window);
	if (scope_grow(&miner->episode, &miner->capacity, miner->episodes + 1, sizeof(*episode)))
		return -ENOMEM;
	episode = &miner->episode[miner->episodes++];
	*episode = miner->prefix;
	episode->contiguous = contiguous;
	return 0;
}

/* The windows with the prefix in which nr follows. */
static size_t project(const struct match *match, size_t matches, uint16_t nr, struct match *ret_match,
		      uint64_t *ret_support)
{
	size_t count = 0;

	*ret_support = 0;
	for (size_t i = 0; i < matches; i++) {
		const struct window *window = match[i].window;
		unsigned at = match[i].last + 1;

		while (at < window->length && window->nr[at] != nr)
			at++;
		if (at == window->length)
			continue;
		ret_match[count++] = (struct match){ window, at };
		*ret_support += window->count;
	}
	return count;
}

static int compare_nr(const void *left, const void *right)
{
	return *(const uint16_t *)left - *(const uint16_t *)right;
}

/* The different calls after the prefix, ascending: malloc'd. */
static int followers(const struct match *match, size_t matches, uint16_t **ret_nr, size_t *ret_count)
{
	uint16_t *nr = calloc(matches * SCOPE_EPISODE_SPAN + 1, sizeof(*nr));
	size_t count = 0, kept = 0;

	if (!nr)
		return -ENOMEM;
	for (size_t i = 0; i < matches; i++)
		for (unsigned at = match[i].last + 1; at < match[i].window->length; at++)
			nr[count++] = match[i].window->nr[at];
	qsort(nr, count, sizeof(*nr), compare_nr);
	for (size_t i = 0; i < count; i++)
		if (!kept || nr[kept - 1] != nr[i])
			nr[kept++] = nr[i];
	*ret_nr = nr;
	*ret_count = kept;
	return 0;
}

/* At most SCOPE_EPISODE_MAX deep. */
static int extend(struct miner *miner, const struct match *match, size_t matches)
{
	struct match *projected;
	uint16_t *nr;
	size_t count;
	int err = emit(miner, match, matches);

	if (err || miner->prefix.length == SCOPE_EPISODE_MAX)
		return err;
	err = followers(match, matches, &nr, &count);
	if (err)
		return err;
	projected = calloc(matches, sizeof(*projected));
	if (!projected)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < count; i++) {
		uint64_t support, above = miner->prefix.support;
		size_t found = project(match, matches, nr[i], projected, &support);

		if (support < miner->options->support_min)
			continue;
		miner->prefix.nr[miner->prefix.length++] = nr[i];
		miner->prefix.support = support;
		err = extend(miner, projected, found);
		miner->prefix.nr[--miner->prefix.length] = 0;
		miner->prefix.support = above;
	}
	free(projected);
	free(nr);
	return err;
}

/* Sorted windows are grouped by their first call. */
static int grow_all(struct miner *miner)
{
	struct match *match = calloc(miner->windows + 1, sizeof(*match));
	int err = match ? 0 : -ENOMEM;

	for (size_t i = 0, end; !err && i < miner->windows; i = end) {
		uint64_t support = 0;

		for (end = i; end < miner->windows && miner->window[end].nr[0] == miner->window[i].nr[0]; end++) {
			match[end - i] = (struct match){ &miner->window[end], 0 };
			support += miner->window[end].count;
		}
		if (support < miner->options->support_min)
			continue;
		miner->prefix = (struct scope_episode){
			.nr = { miner->window[i].nr[0] },
			.length = 1,
			.support = support,
		};
		err = extend(miner, match, end - i);
	}
	free(match);
	return err;
}

static int compare_episodes(const void *left, const void *right)
{
	return scope_signature_episode_compare(left, right);
}

/* Adds the runs of one string: of each length that fits, as often as it fits side by side. */
static int add_runs(struct miner *miner, const struct scope_string *string)
{
	for (size_t i = 0, end; i < string->length; i = end) {
		struct scope_episode run = { .contiguous = true };

		for (end = i; end < string->length && string->nr[end] == string->nr[i]; end++)
			;
		while (run.length < SCOPE_EPISODE_MAX && run.length < end - i) {
			run.nr[run.length++] = string->nr[i];
			run.support = (end - i) / run.length * string->count;
			if (run.length == 1)
				continue;
			if (scope_grow(&miner->run, &miner->run_capacity, miner->runs + 1, sizeof(run)))
				return -ENOMEM;
			miner->run[miner->runs++] = run;
		}
	}
	return 0;
}

/* Runs of all strings that are frequent. */
static int take_runs(struct miner *miner)
{
	if (miner->runs)
		qsort(miner->run, miner->runs, sizeof(*miner->run), compare_episodes);
	for (size_t i = 0, end; i < miner->runs; i = end) {
		struct scope_episode *run = &miner->run[i];

		for (end = i + 1; end < miner->runs && !compare_episodes(run, &miner->run[end]); end++)
			run->support += miner->run[end].support;
		if (run->support < miner->options->support_min)
			continue;
		if (scope_grow(&miner->episode, &miner->capacity, miner->episodes + 1, sizeof(*run)))
			return -ENOMEM;
		miner->episode[miner->episodes++] = *run;
	}
	return 0;
}

static bool is_within(const struct scope_episode *shorter, const struct scope_episode *longer)
{
	unsigned found = 0;

	for (unsigned i = 0; i < longer->length && found < shorter->length; i++)
		found += longer->nr[i] == shorter->nr[found];
	return found == shorter->length;
}

/* Best supported first; of equal support the longer ones. */
static int compare_worth(const void *left, const void *right)
{
	const struct scope_episode *a = left, *b = right;

	if (a->support != b->support)
		return a->support < b->support ? 1 : -1;
	if (a->length != b->length)
		return a->length < b->length ? 1 : -1;
	return scope_signature_episode_compare(a, b);
}

/*
 * The longer episode that makes an episode not closed is before it. A dropped episode need not be
 * tested, because the one that dropped it also contains the shorter one.
 */
static void keep_closed(struct miner *miner)
{
	size_t kept = 0, equal = 0;

	if (miner->episodes)
		qsort(miner->episode, miner->episodes, sizeof(*miner->episode), compare_worth);
	for (size_t i = 0; i < miner->episodes; i++) {
		const struct scope_episode *episode = &miner->episode[i];
		bool closed = true;

		if (kept && miner->episode[kept - 1].support != episode->support)
			equal = kept;
		for (size_t j = equal; closed && j < kept; j++)
			closed = miner->episode[j].length == episode->length || !is_within(episode, &miner->episode[j]);
		if (closed)
			miner->episode[kept++] = *episode;
	}
	miner->episodes = kept < miner->options->episodes_max ? kept : miner->options->episodes_max;
	if (miner->episodes)
		qsort(miner->episode, miner->episodes, sizeof(*miner->episode), compare_episodes);
}

/* Adds the closed episodes of one kind to those that are there. */
static int mine(struct miner *miner, const struct scope_string *string, size_t count)
{
	int err = 0;

	for (size_t i = 0; !err && i < count; i++) {
		if (is_busy(string[i].nr, string[i].length) != miner->busy)
			continue;
		err = add_windows(miner, &string[i]);
		if (!err && !miner->busy)
			err = add_runs(miner, &string[i]);
	}
	if (!err) {
		merge_windows(miner);
		err = grow_all(miner);
	}
	if (!err)
		err = take_runs(miner);
	free(miner->window);
	free(miner->run);
	if (!err)
		keep_closed(miner);
	return err;
}

int scope_signature_mine(const struct scope_string *string, size_t count, const struct scope_mine_options *options,
			 struct scope_episode **ret_episodes, size_t *ret_count)
{
	struct miner plain = { .options = options }, busy = { .options = options, .busy = true };
	int err = mine(&plain, string, count);

	if (!err)
		err = mine(&busy, string, count);
	if (!err && scope_grow(&plain.episode, &plain.capacity, plain.episodes + busy.episodes, sizeof(*plain.episode)))
		err = -ENOMEM;
	for (size_t i = 0; !err && i < busy.episodes; i++)
		plain.episode[plain.episodes++] = busy.episode[i];
	free(busy.episode);
	if (err) {
		free(plain.episode);
		return err;
	}
	if (plain.episodes)
		qsort(plain.episode, plain.episodes, sizeof(*plain.episode), compare_episodes);
	*ret_episodes = plain.episode;
	*ret_count = plain.episodes;
	return 0;
}
