// SPDX-License-Identifier: GPL-2.0-only
/*
 * How fast episodes are found in calls, beside a naive search.
 *
 * Prints lines "signature_KIND_FUNCTIONS_calls_per_s N calls/s". Each function has ten episodes; the
 * calls are those of random requests, in which functions follow one another, each with some of its
 * calls left out or doubled. Everything is drawn from a fixed seed.
 *
 * Usage: signature [SECONDS]     for each measurement (1)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "signature/match.h"

#define ALPHABET 48 /* different calls that a busy server makes */
#define OF_FUNCTION 10
#define CALLS (1u << 20)
#define NAIVE_CALLS (1u << 12)

struct work {
	struct scope_episode *episode;
	size_t episodes;
	uint16_t *nr;
	uint64_t hits;
};

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*state >> 33) % bound;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void draw_episode(uint64_t *seed, bool contiguous, struct scope_episode *ret_episode)
{
	do {
		*ret_episode = (struct scope_episode){
			.length = (uint8_t)(2 + random_below(seed, 4)),
			.contiguous = contiguous,
		};
		for (unsigned i = 0; i < ret_episode->length; i++)
			ret_episode->nr[i] = (uint16_t)random_below(seed, ALPHABET);
	} while (!scope_signature_episode_valid(ret_episode));
}

static int draw(struct work *work, size_t functions, bool contiguous)
{
	uint64_t seed = functions;

	work->episodes = functions * OF_FUNCTION;
	work->episode = calloc(work->episodes, sizeof(*work->episode));
	work->nr = calloc(CALLS, sizeof(*work->nr));
	if (!work->episode || !work->nr)
		return -1;
	for (size_t i = 0; i < work->episodes; i++)
		draw_episode(&seed, contiguous, &work->episode[i]);
	for (size_t at = 0; at < CALLS;) {
		const struct scope_episode *episode = &work->episode[random_below(&seed, (uint32_t)work->episodes)];

		for (unsigned i = 0; i < episode->length && at < CALLS; i++) {
			if (!random_below(&seed, 8))
				continue;
			work->nr[at++] = episode->nr[i];
			if (at < CALLS && !random_below(&seed, 8))
				work->nr[at++] = (uint16_t)random_below(&seed, ALPHABET);
		}
	}
	return 0;
}

static void count_hit(void *user, uint32_t episode, uint64_t first, uint64_t last)
{
	struct work *work = user;

	(void)episode;
	(void)first;
	(void)last;
	work->hits++;
}

/* Windows end at the next call of their first one's number; a run of that number goes on. */
static uint64_t naive(const struct work *work, size_t calls)
{
	uint64_t hits = 0;

	for (size_t i = 0; i < calls; i++) {
		size_t end = i + 1;

		while (end < calls && end < i + SCOPE_EPISODE_SPAN && work->nr[end] != work->nr[i])
			end++;
		for (size_t e = 0; e < work->episodes; e++) {
			const struct scope_episode *episode = &work->episode[e];
			const size_t until = episode->contiguous ? calls : end;
			unsigned found = 0;

			for (size_t at = i; at < until && found < episode->length; at++) {
				if (work->nr[at] == episode->nr[found])
					found++;
				else if (episode->contiguous || !found)
					break;
			}
			hits += found == episode->length;
		}
	}
	return hits;
}

static int measure(size_t functions, bool contiguous, double seconds)
{
	const char *kind = contiguous ? "contiguous" : "gaps";
	struct scope_matcher *matcher;
	struct scope_match *match;
	struct work work = { 0 };
	uint64_t fed = 0;
	double begin, took;

	if (draw(&work, functions, contiguous) ||
	    scope_signature_matcher_create(work.episode, work.episodes, &matcher) ||
	    scope_signature_match_create(matcher, &match))
		return 1;
	begin = now();
	scope_signature_match_feed(matcher, match, work.nr, NAIVE_CALLS, count_hit, &work);
	if (work.hits != naive(&work, NAIVE_CALLS)) {
		fprintf(stderr, "signature: a naive search finds another number of episodes\n");
		return 1;
	}
	printf("signature_%s_%zu_hits_per_call %.2f hits\n", kind, functions, (double)work.hits / NAIVE_CALLS);
	scope_signature_match_reset(match);
	begin = now();
	do {
		scope_signature_match_feed(matcher, match, work.nr, CALLS, count_hit, &work);
		fed += CALLS;
		took = now() - begin;
	} while (took < seconds);
	printf("signature_%s_%zu_calls_per_s %.0f calls/s\n", kind, functions, (double)fed / took);
	begin = now();
	work.hits += naive(&work, NAIVE_CALLS);
	took = now() - begin;
	printf("signature_%s_%zu_naive_calls_per_s %.0f calls/s\n", kind, functions, NAIVE_CALLS / took);
	scope_signature_match_destroy(match);
	scope_signature_matcher_destroy(matcher);
	free(work.episode);
	free(work.nr);
	return 0;
}

int main(int argc, char **argv)
{
	static const size_t functions[] = { 10, 100, 1000 };

	const double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;

	for (int contiguous = 1; contiguous >= 0; contiguous--)
		for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
			if (measure(functions[i], contiguous, seconds))
				return 1;
	return 0;
}
