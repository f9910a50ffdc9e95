// SPDX-License-Identifier: GPL-2.0-only
/* Finds all episodes of a set in one pass over the calls of threads. */
#include "signature/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define HAS_OUTPUT 0x80000000u /* in a transition: episodes end in the state it leads to */
#define NUMBERS 65536u	       /* of syscalls, whatever they are */
#define CALLS_MAX (16u << 20)
#define WORD_BITS 64u

/* One node of the trie of contiguous episodes, a state of the automaton. */
struct node {
	uint32_t episode; /* that ends here; others of the same calls follow in same[] */
	uint32_t fail;	  /* the longest other node that ends what leads here */
	uint32_t output;  /* the next node along fail where an episode ends */
};

/* The episodes with gaps that begin with one call. */
struct block {
	uint32_t word;	/* its first one, in start[], final[] and each thread's bits */
	uint32_t words;
};

struct scope_matcher {
	uint8_t *length;   /* by episode */
	uint32_t *same;	   /* by episode: another one of the same calls, or NONE */
	uint16_t *symbol;  /* by syscall number; 0: in no episode */
	uint32_t symbols;
	struct node *node; /* 0 is the root */
	uint32_t nodes;
	uint32_t *next;	   /* by node and symbol: index of the row of the node to go to */
	struct block *block;
	uint32_t blocks, words;
	uint32_t *block_of; /* by symbol, or NONE */
	uint64_t *start;    /* bits that may be set from the window's first call on */
	uint64_t *final;    /* bits of the last calls */
	uint32_t *mask_of;  /* by block and symbol: its words in mask, or NONE */
	uint64_t *mask;	    /* bits of the calls with that symbol */
	uint32_t *episode_of; /* by bit */
};

struct window {
	uint64_t first;
	uint32_t block;
};

struct scope_match {
	uint64_t fed;
	uint32_t row; /* of matcher->next */
	uint32_t windows;
	struct window window[SCOPE_EPISODE_SPAN]; /* under way, in order */
	uint64_t bits[];
};

static bool has_gaps(const struct scope_episode *episode)
{
	return episode->length > 1 && !episode->contiguous;
}

static int name_symbols(struct scope_matcher *matcher, const struct scope_episode *episode,
			size_t count)
{
	matcher->symbols = 1;
	matcher->symbol = calloc(NUMBERS, sizeof(*matcher->symbol));
	if (!matcher->symbol)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		for (unsigned j = 0; j < episode[i].length; j++)
			if (!matcher->symbol[episode[i].nr[j]])
				matcher->symbol[episode[i].nr[j]] = (uint16_t)matcher->symbols++;
	return 0;
}

/* Trie first: next[] holds node numbers, 0 where there is no child. */
static int plant(struct scope_matcher *matcher, const struct scope_episode *episode, size_t count)
{
	size_t room = 1;

	for (size_t i = 0; i < count; i++)
		room += has_gaps(&episode[i]) ? 0 : episode[i].length;
	matcher->node = calloc(room, sizeof(*matcher->node));
	matcher->next = calloc(room * matcher->symbols, sizeof(*matcher->next));
	if (!matcher->node || !matcher->next)
		return -ENOMEM;
	matcher->nodes = 1;
	matcher->node[0] = (struct node){NONE, 0, NONE};
	for (size_t i = 0; i < count; i++) {
		uint32_t at = 0;

		for (unsigned j = 0; !has_gaps(&episode[i]) && j < episode[i].length; j++) {
			uint32_t *child = &matcher->next[at * matcher->symbols +
							 matcher->symbol[episode[i].nr[j]]];

			if (!*child) {
				matcher->node[matcher->nodes] = (struct node){NONE, 0, NONE};
				*child = matcher->nodes++;
			}
			at = *child;
		}
		if (!at)
			continue;
		matcher->same[i] = matcher->node[at].episode;
		matcher->node[at].episode = (uint32_t)i;
	}
	return 0;
}

/* Breadth first, so that the shorter node that a failure leads to is complete. */
static int complete(struct scope_matcher *matcher)
{
	uint32_t *queue = calloc(matcher->nodes, sizeof(*queue));
	uint32_t head = 0, tail = 0, symbols = matcher->symbols;

	if (!queue)
		return -ENOMEM;
	queue[tail++] = 0;
	while (head < tail) {
		uint32_t at = queue[head++], fail = matcher->node[at].fail;

		for (uint32_t s = 0; s < symbols; s++) {
			uint32_t *child = &matcher->next[at * symbols + s];
			uint32_t other = at ? matcher->next[fail * symbols + s] : 0;

			if (!*child) {
				*child = other;
				continue;
			}
			matcher->node[*child].fail = other;
			matcher->node[*child].output = matcher->node[other].episode != NONE
							       ? other
							       : matcher->node[other].output;
			queue[tail++] = *child;
		}
	}
	free(queue);
	return 0;
}

/* From node numbers to rows, with a mark on those where episodes end. */
static void seal(struct scope_matcher *matcher)
{
	for (size_t i = 0; i < (size_t)matcher->nodes * matcher->symbols; i++) {
		const struct node *node = &matcher->node[matcher->next[i]];

		matcher->next[i] *= matcher->symbols;
		if (node->episode != NONE || node->output != NONE)
			matcher->next[i] |= HAS_OUTPUT;
	}
}

/* Gives each episode with gaps its bits, none of them across two words. */
static int lay_out(struct scope_matcher *matcher, const struct scope_episode *episode, size_t count,
		   uint32_t *bit)
{
	uint32_t symbols = matcher->symbols, used = 0;

	matcher->block = calloc(symbols, sizeof(*matcher->block));
	matcher->block_of = calloc(symbols, sizeof(*matcher->block_of));
	if (!matcher->block || !matcher->block_of)
		return -ENOMEM;
	for (uint32_t s = 0; s < symbols; s++) {
		struct block *block = &matcher->block[matcher->blocks];

		matcher->block_of[s] = NONE;
		block->word = matcher->words;
		used = matcher->words * WORD_BITS;
		for (size_t i = 0; i < count; i++) {
			uint32_t need = episode[i].length - 1u;

			if (!has_gaps(&episode[i]) || matcher->symbol[episode[i].nr[0]] != s)
				continue;
			if (used % WORD_BITS + need > WORD_BITS)
				used += WORD_BITS - used % WORD_BITS;
			bit[i] = used;
			used += need;
		}
		matcher->words = (used + WORD_BITS - 1) / WORD_BITS;
		block->words = matcher->words - block->word;
		if (block->words)
			matcher->block_of[s] = matcher->blocks++;
	}
	return 0;
}

static uint64_t *mask_at(struct scope_matcher *matcher, uint32_t block, uint32_t symbol,
			 uint32_t *used)
{
	uint32_t *mask = &matcher->mask_of[block * matcher->symbols + symbol];

	if (*mask == NONE) {
		*mask = *used;
		*used += matcher->block[block].words;
	}
	return &matcher->mask[*mask];
}

static int set_bits(struct scope_matcher *matcher, const struct scope_episode *episode, size_t count,
		    const uint32_t *bit)
{
	size_t cells = (size_t)matcher->blocks * matcher->symbols;
	uint32_t used = 0;

	matcher->start = calloc(matcher->words + 1, sizeof(*matcher->start));
	matcher->final = calloc(matcher->words + 1, sizeof(*matcher->final));
	matcher->episode_of = calloc((size_t)matcher->words * WORD_BITS + 1,
				     sizeof(*matcher->episode_of));
	matcher->mask_of = calloc(cells + 1, sizeof(*matcher->mask_of));
	matcher->mask = calloc((size_t)matcher->words * matcher->symbols + 1, sizeof(*matcher->mask));
	if (!matcher->start || !matcher->final || !matcher->episode_of || !matcher->mask_of ||
	    !matcher->mask)
		return -ENOMEM;
	memset(matcher->mask_of, 0xff, cells * sizeof(*matcher->mask_of));
	for (size_t i = 0; i < count; i++) {
		uint32_t block, last;

		if (!has_gaps(&episode[i]))
			continue;
		last = bit[i] + episode[i].length - 2u;
		block = matcher->block_of[matcher->symbol[episode[i].nr[0]]];
		matcher->start[bit[i] / WORD_BITS] |= 1ull << bit[i] % WORD_BITS;
		matcher->final[last / WORD_BITS] |= 1ull << last % WORD_BITS;
		matcher->episode_of[last] = (uint32_t)i;
		for (unsigned j = 1; j < episode[i].length; j++) {
			uint32_t at = bit[i] + j - 1 - matcher->block[block].word * WORD_BITS;

			mask_at(matcher, block, matcher->symbol[episode[i].nr[j]],
				&used)[at / WORD_BITS] |= 1ull << at % WORD_BITS;
		}
	}
	return 0;
}

static int build(struct scope_matcher *matcher, const struct scope_episode *episode, size_t count)
{
	uint32_t *bit = calloc(count + 1, sizeof(*bit));
	int err;

	matcher->length = calloc(count + 1, sizeof(*matcher->length));
	matcher->same = calloc(count + 1, sizeof(*matcher->same));
	err = bit && matcher->length && matcher->same ? name_symbols(matcher, episode, count) : -ENOMEM;
	for (size_t i = 0; !err && i < count; i++)
		matcher->length[i] = episode[i].length;
	if (!err)
		err = plant(matcher, episode, count);
	if (!err)
		err = complete(matcher);
	if (!err) {
		seal(matcher);
		err = lay_out(matcher, episode, count, bit);
	}
	if (!err)
		err = set_bits(matcher, episode, count, bit);
	free(bit);
	return err;
}

int scope_matcher_create(const struct scope_episode *episode, size_t count,
			 struct scope_matcher **ret_matcher)
{
	struct scope_matcher *matcher;
	size_t calls = 0;
	int err;

	for (size_t i = 0; i < count; i++) {
		if (!scope_episode_valid(&episode[i]))
			return -EINVAL;
		calls += episode[i].length;
	}
	if (calls > CALLS_MAX)
		return -E2BIG;
	matcher = calloc(1, sizeof(*matcher));
	if (!matcher)
		return -ENOMEM;
	err = build(matcher, episode, count);
	/* Rows are numbered in 31 bits. */
	if (!err && (uint64_t)matcher->nodes * matcher->symbols >= HAS_OUTPUT)
		err = -E2BIG;
	if (err) {
		scope_matcher_destroy(matcher);
		return err;
	}
	*ret_matcher = matcher;
	return 0;
}

void scope_matcher_destroy(struct scope_matcher *matcher)
{
	if (!matcher)
		return;
	free(matcher->length);
	free(matcher->same);
	free(matcher->symbol);
	free(matcher->node);
	free(matcher->next);
	free(matcher->block);
	free(matcher->block_of);
	free(matcher->start);
	free(matcher->final);
	free(matcher->mask_of);
	free(matcher->mask);
	free(matcher->episode_of);
	free(matcher);
}

int scope_match_create(const struct scope_matcher *matcher, struct scope_match **ret_match)
{
	struct scope_match *match = calloc(1, sizeof(*match) + matcher->words * sizeof(uint64_t));

	if (!match)
		return -ENOMEM;
	*ret_match = match;
	return 0;
}

void scope_match_destroy(struct scope_match *match)
{
	free(match);
}

void scope_match_reset(const struct scope_matcher *matcher, struct scope_match *match)
{
	(void)matcher;
	match->fed = 0;
	match->row = 0;
	match->windows = 0;
}

static void tell_outputs(const struct scope_matcher *matcher, uint32_t row, uint64_t last,
			 scope_match_hit hit, void *user)
{
	for (uint32_t at = row / matcher->symbols; at != NONE; at = matcher->node[at].output)
		for (uint32_t i = matcher->node[at].episode; i != NONE; i = matcher->same[i])
			hit(user, i, last + 1 - matcher->length[i], last);
}

/* The call in a window under way: each episode goes on by one call at most. */
static void advance(const struct scope_matcher *matcher, struct scope_match *match,
		    const struct window *window, uint32_t symbol, scope_match_hit hit, void *user)
{
	const struct block *block = &matcher->block[window->block];
	uint32_t at = matcher->mask_of[window->block * matcher->symbols + symbol];
	const uint64_t *start = &matcher->start[block->word], *final = &matcher->final[block->word];
	uint64_t *bits = &match->bits[block->word];

	if (at == NONE)
		return;
	for (uint32_t i = 0; i < block->words; i++) {
		/* A bit that the shift carries into the next episode's first one is set there anyway. */
		uint64_t reached = (bits[i] << 1 | start[i]) & matcher->mask[at + i];
		uint64_t ended = reached & final[i] & ~bits[i];

		bits[i] |= reached;
		for (; ended; ended &= ended - 1) {
			uint32_t bit = (block->word + i) * WORD_BITS + (uint32_t)__builtin_ctzll(ended);

			hit(user, matcher->episode_of[bit], window->first, match->fed);
		}
	}
}

static void feed_windows(const struct scope_matcher *matcher, struct scope_match *match,
			 uint32_t symbol, scope_match_hit hit, void *user)
{
	uint32_t block = matcher->block_of[symbol], kept = 0;

	for (uint32_t i = 0; i < match->windows; i++) {
		const struct window window = match->window[i];

		if (match->fed - window.first >= SCOPE_EPISODE_SPAN || window.block == block)
			continue;
		advance(matcher, match, &window, symbol, hit, user);
		match->window[kept++] = window;
	}
	if (block != NONE) {
		memset(&match->bits[matcher->block[block].word], 0,
		       matcher->block[block].words * sizeof(*match->bits));
		match->window[kept++] = (struct window){match->fed, block};
	}
	match->windows = kept;
}

void scope_match_feed(const struct scope_matcher *matcher, struct scope_match *match,
		      const uint16_t *nr, size_t count, scope_match_hit hit, void *user)
{
	const uint32_t *next = matcher->next;
	uint32_t row = match->row;

	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = matcher->symbol[nr[i]];

		row = next[row + symbol];
		if (row & HAS_OUTPUT) {
			row &= ~HAS_OUTPUT;
			tell_outputs(matcher, row, match->fed, hit, user);
		}
		if (matcher->blocks)
			feed_windows(matcher, match, symbol, hit, user);
		match->fed++;
	}
	match->row = row;
}
