// SPDX-License-Identifier: GPL-2.0-only
/* Finds all episodes of a set in one pass over the calls of threads. */
#include "signature/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define HAS_OUTPUT 0x80000000u /* in a transition: episodes end in the state it leads to */
#define NUMBERS 65536u	       /* no rule: of syscalls, whatever they are */
#define CALLS_MAX (16u << 20)
#define WORD_BITS 64u /* no rule */

/* One node of the trie of contiguous episodes, a state of the automaton. */
struct node {
	uint32_t episode; /* that ends here; others of the same calls follow in same[] */
	uint32_t fail;	  /* the longest other node whose path is a suffix of this node's */
	uint32_t output;  /* the next node along fail where an episode ends */
};

/* The episodes with gaps that begin with one call. */
struct block {
	uint32_t word; /* its first one, in start[], final[] and each thread's bits */
	uint32_t words;
};

struct scope_matcher {
	uint8_t *length;	  /* by episode */
	uint32_t *same;		  /* by episode: another one of the same calls, or NONE */
	uint16_t *symbol;	  /* by syscall number; 0: in no episode */
	uint32_t symbols, stride; /* of a row of next */
	struct node *node;	  /* 0 is the root */
	uint32_t nodes;
	uint32_t *next; /* by node and symbol: index of the row of the node to go to; after
			    * the symbols of a row the node's own number */
	struct block *block;
	uint32_t blocks, words; /* 0 is a block of no episode: a word of zeros */
	bool wide;		/* a block has more than one word */
	uint32_t *block_of;	/* by symbol */
	uint64_t *start;	/* bits that may be set from the window's first call on */
	uint64_t *final;	/* bits of the last calls */
	uint64_t *mask;		/* by symbol and word: bits of the calls with that symbol */
	uint32_t *episode_of;	/* by bit */
};

#define SLOTS SCOPE_EPISODE_SPAN /* a power of two */

/*
 * A window is in the slot of the number of its first call, and so makes room when it is as long as
 * windows get. An empty slot has block 0. What a call does to all windows is a loop over arrays.
 */
struct scope_match {
	uint64_t fed;
	uint32_t row; /* of matcher->next */
	uint32_t block[SLOTS];
	uint32_t word[SLOTS];  /* the first one of the block, */
	uint64_t start[SLOTS]; /* its bits in the matcher, */
	uint64_t final[SLOTS];
	uint64_t reached[SLOTS]; /* and the progress of its episodes */
	uint64_t bits[];	 /* the progress of the other words of wide blocks */
};

static bool has_gaps(const struct scope_episode *episode)
{
	return episode->length > 1 && !episode->contiguous;
}

static int name_symbols(struct scope_matcher *matcher, const struct scope_episode *episode, size_t count)
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

/* Trie first: next[] holds node numbers, 0 if there is no child. */
static int plant(struct scope_matcher *matcher, const struct scope_episode *episode, size_t count)
{
	size_t room = 1;

	for (size_t i = 0; i < count; i++)
		room += has_gaps(&episode[i]) ? 0 : episode[i].length;
	matcher->node = calloc(room, sizeof(*matcher->node));
	matcher->stride = matcher->symbols + 1;
	matcher->next = calloc(room * matcher->stride, sizeof(*matcher->next));
	if (!matcher->node || !matcher->next)
		return -ENOMEM;
	matcher->nodes = 1;
	matcher->node[0] = (struct node){ NONE, 0, NONE };
	for (size_t i = 0; i < count; i++) {
		uint32_t at = 0;

		for (unsigned j = 0; !has_gaps(&episode[i]) && j < episode[i].length; j++) {
			uint32_t *child = &matcher->next[at * matcher->stride + matcher->symbol[episode[i].nr[j]]];

			if (!*child) {
				matcher->node[matcher->nodes] = (struct node){ NONE, 0, NONE };
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
	uint32_t head = 0, tail = 0, stride = matcher->stride;

	if (!queue)
		return -ENOMEM;
	queue[tail++] = 0;
	while (head < tail) {
		uint32_t at = queue[head++], fail = matcher->node[at].fail;

		for (uint32_t s = 0; s < matcher->symbols; s++) {
			uint32_t *child = &matcher->next[at * stride + s];
			uint32_t other = at ? matcher->next[fail * stride + s] : 0;

			if (!*child) {
				*child = other;
				continue;
			}
			matcher->node[*child].fail = other;
			matcher->node[*child].output =
				matcher->node[other].episode != NONE ? other : matcher->node[other].output;
			queue[tail++] = *child;
		}
	}
	free(queue);
	return 0;
}

/* From node numbers to rows, with a mark on those where episodes end. */
static void seal(struct scope_matcher *matcher)
{
	for (uint32_t at = 0; at < matcher->nodes; at++) {
		uint32_t *row = &matcher->next[at * matcher->stride];

		for (uint32_t s = 0; s < matcher->symbols; s++) {
			const struct node *node = &matcher->node[row[s]];

			row[s] *= matcher->stride;
			if (node->episode != NONE || node->output != NONE)
				row[s] |= HAS_OUTPUT;
		}
		row[matcher->symbols] = at;
	}
}

/* Gives each episode with gaps its bits, none of them across two words. */
static int lay_out(struct scope_matcher *matcher, const struct scope_episode *episode, size_t count, uint32_t *bit)
{
	uint32_t symbols = matcher->symbols;

	matcher->block = calloc(symbols + 1, sizeof(*matcher->block));
	matcher->block_of = calloc(symbols, sizeof(*matcher->block_of));
	if (!matcher->block || !matcher->block_of)
		return -ENOMEM;
	matcher->block[matcher->blocks++] = (struct block){ 0, 1 };
	matcher->words = 1;
	for (uint32_t s = 0; s < symbols; s++) {
		struct block *block = &matcher->block[matcher->blocks];
		uint32_t used = matcher->words * WORD_BITS;

		block->word = matcher->words;
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
		matcher->wide |= block->words > 1;
	}
	return 0;
}

static int set_bits(struct scope_matcher *matcher, const struct scope_episode *episode, size_t count,
		    const uint32_t *bit)
{
	matcher->start = calloc(matcher->words, sizeof(*matcher->start));
	matcher->final = calloc(matcher->words, sizeof(*matcher->final));
	matcher->episode_of = calloc((size_t)matcher->words * WORD_BITS, sizeof(*matcher->episode_of));
	matcher->mask = calloc((size_t)matcher->words * matcher->symbols, sizeof(*matcher->mask));
	if (!matcher->start || !matcher->final || !matcher->episode_of || !matcher->mask)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		uint32_t last;

		if (!has_gaps(&episode[i]))
			continue;
		last = bit[i] + episode[i].length - 2u;
		matcher->start[bit[i] / WORD_BITS] |= 1ull << bit[i] % WORD_BITS;
		matcher->final[last / WORD_BITS] |= 1ull << last % WORD_BITS;
		matcher->episode_of[last] = (uint32_t)i;
		for (unsigned j = 1; j < episode[i].length; j++) {
			uint32_t symbol = matcher->symbol[episode[i].nr[j]], at = bit[i] + j - 1;

			matcher->mask[symbol * matcher->words + at / WORD_BITS] |= 1ull << at % WORD_BITS;
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

int scope_signature_matcher_create(const struct scope_episode *episode, size_t count,
				   struct scope_matcher **ret_matcher)
{
	struct scope_matcher *matcher;
	size_t calls = 0;
	int err;

	for (size_t i = 0; i < count; i++) {
		if (!scope_signature_episode_valid(&episode[i]))
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
	if (!err && (uint64_t)matcher->nodes * matcher->stride >= HAS_OUTPUT)
		err = -E2BIG;
	if (err) {
		scope_signature_matcher_destroy(matcher);
		return err;
	}
	*ret_matcher = matcher;
	return 0;
}

void scope_signature_matcher_destroy(struct scope_matcher *matcher)
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
	free(matcher->mask);
	free(matcher->episode_of);
	free(matcher);
}

int scope_signature_match_create(const struct scope_matcher *matcher, struct scope_match **ret_match)
{
	struct scope_match *match = calloc(1, sizeof(*match) + matcher->words * sizeof(uint64_t));

	if (!match)
		return -ENOMEM;
	*ret_match = match;
	return 0;
}

void scope_signature_match_destroy(struct scope_match *match)
{
	free(match);
}

static void close_window(struct scope_match *match, unsigned slot)
{
	match->block[slot] = 0;
	match->word[slot] = 0;
	match->start[slot] = match->final[slot] = match->reached[slot] = 0;
}

void scope_signature_match_reset(struct scope_match *match)
{
	match->fed = 0;
	match->row = 0;
	for (unsigned slot = 0; slot < SLOTS; slot++)
		close_window(match, slot);
}

static void report_outputs(const struct scope_matcher *matcher, uint32_t row, uint64_t last, scope_match_hit hit,
			   void *user)
{
	for (uint32_t at = matcher->next[row + matcher->symbols]; at != NONE; at = matcher->node[at].output)
		for (uint32_t i = matcher->node[at].episode; i != NONE; i = matcher->same[i])
			hit(user, i, last + 1 - matcher->length[i], last);
}

static void report_ended(const struct scope_matcher *matcher, const struct scope_match *match, unsigned slot,
			 uint32_t word, uint64_t ended, scope_match_hit hit, void *user)
{
	/* The slot of this call is empty: windows in the others began 1 to 7 calls before. */
	uint64_t first = match->fed - ((match->fed - slot) & (SLOTS - 1));

	for (; ended; ended &= ended - 1)
		hit(user, matcher->episode_of[word * WORD_BITS + (uint32_t)__builtin_ctzll(ended)], first, match->fed);
}

/* The words of wide blocks after the first one. */
static void advance_wide(const struct scope_matcher *matcher, struct scope_match *match, const uint64_t *mask,
			 scope_match_hit hit, void *user)
{
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		uint32_t end = match->word[slot] + matcher->block[match->block[slot]].words;

		for (uint32_t word = match->word[slot] + 1; word < end; word++) {
			uint64_t *bits = &match->bits[word];
			uint64_t reached = (*bits << 1 | matcher->start[word]) & mask[word];
			uint64_t ended = reached & matcher->final[word] & ~*bits;

			*bits |= reached;
			if (ended)
				report_ended(matcher, match, slot, word, ended, hit, user);
		}
	}
}

/*
 * Each episode advances by at most one call. A bit that the shift carries into the next episode's
 * first one is set there anyway.
 */
static void advance(const struct scope_matcher *matcher, struct scope_match *match, uint32_t symbol,
		    scope_match_hit hit, void *user)
{
	const uint64_t *mask = &matcher->mask[symbol * matcher->words];
	uint64_t ended[SLOTS], any = 0;

	for (unsigned slot = 0; slot < SLOTS; slot++) {
		uint64_t old = match->reached[slot];
		uint64_t reached = (old << 1 | match->start[slot]) & mask[match->word[slot]];

		ended[slot] = reached & match->final[slot] & ~old;
		match->reached[slot] = old | reached;
		any |= ended[slot];
	}
	for (unsigned slot = 0; any && slot < SLOTS; slot++)
		if (ended[slot])
			report_ended(matcher, match, slot, match->word[slot], ended[slot], hit, user);
	if (matcher->wide)
		advance_wide(matcher, match, mask, hit, user);
}

static void feed_windows(const struct scope_matcher *matcher, struct scope_match *match, uint32_t symbol,
			 scope_match_hit hit, void *user)
{
	uint32_t block = matcher->block_of[symbol];
	const struct block *of = &matcher->block[block];
	unsigned mine = match->fed & (SLOTS - 1);

	close_window(match, mine);
	for (unsigned slot = 0; block && slot < SLOTS; slot++)
		if (match->block[slot] == block)
			close_window(match, slot);
	advance(matcher, match, symbol, hit, user);
	match->block[mine] = block;
	match->word[mine] = of->word;
	match->start[mine] = matcher->start[of->word];
	match->final[mine] = matcher->final[of->word];
	for (uint32_t i = 1; i < of->words; i++)
		match->bits[of->word + i] = 0;
}

void scope_signature_match_feed(const struct scope_matcher *matcher, struct scope_match *match, const uint16_t *nr,
				size_t count, scope_match_hit hit, void *user)
{
	const uint32_t *next = matcher->next;
	const bool gaps = matcher->blocks > 1;
	uint32_t row = match->row;

	for (size_t i = 0; i < count; i++) {
		uint32_t symbol = matcher->symbol[nr[i]];

		row = next[row + symbol];
		if (row & HAS_OUTPUT) {
			row &= ~HAS_OUTPUT;
			report_outputs(matcher, row, match->fed, hit, user);
		}
		if (gaps)
			feed_windows(matcher, match, symbol, hit, user);
		match->fed++;
	}
	match->row = row;
}
