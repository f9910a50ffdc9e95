/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks a user stack by unwind tables (scope/table.h).
 *
 * A walk has at most as many steps as there is room for addresses. A step searches the mappings, then the rows of one
 * page: at most 16 halvings each. It reads at most three words of user memory, by a function that never faults; a step
 * from code without a rule at most 66, each with a search of the mappings. The loop depends on nothing in a table but
 * its kinds and offsets, so no table can make it longer. All indices were checked when the table came, and nobody can
 * change it after that.
 *
 * Programs call from the same places again and again. The latest steps from there are kept with the mappings: a step
 * that is found there needs neither of the searches.
 *
 * This file compiles in user space as well, where tests/unit/test_unwind_walk.c drives it.
 */
#ifndef SCOPE_KMOD_UNWIND_H
#define SCOPE_KMOD_UNWIND_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <scope/event.h>
#include <scope/table.h>

#define SCOPE_UNWIND_FRAME_WORDS 64 /* words of a frame of code without a rule that are searched */
#define SCOPE_UNWIND_RED_ZONE 128   /* below the stack pointer, kept through signals (x86-64 psABI 3.2.2) */

/* A table that was checked: where its parts are. */
struct scope_unwind_table {
	const struct scope_table_rule *rule;
	const u32 *first;
	const u32 *row;
	u64 start;
	u32 pages;
};

struct scope_unwind_map {
	u64 start, end, link;
	const struct scope_unwind_table *table; /* NULL: it has none */
	bool frame_pointers;
};

/*
 * A step made lately, by an address whose low bits are its place. It is one word, so that it can be written by many
 * processors and by an interrupt in the middle of a walk without a lock:
 *
 *    63              25   24   23        14 13      7 6       0
 *   +------------------+------+------------+---------+---------+
 *   | (address>>9) + 1 | base | offset / 8 | -ra / 8 | -fp / 8 |      0: none yet
 *   +------------------+------+------------+---------+---------+
 *
 *   CFA = sp (base 0) or fp (1) + offset;  ra = word at CFA + ra;  fp = word at CFA + fp, 0: unchanged
 *
 * Rules that do not fit, such as those of signal frames, are looked up each time. They are a few in a hundred.
 */
#define SCOPE_UNWIND_RECENT_BITS 9
#define SCOPE_UNWIND_RECENT (1u << SCOPE_UNWIND_RECENT_BITS)

struct scope_unwind_maps {
	u64 recent[SCOPE_UNWIND_RECENT];
	u32 count;
	struct scope_unwind_map map[]; /* in order, without overlap */
};

/* The registers of a frame. */
struct scope_unwind_frame {
	u64 pc, sp, fp, link;
	bool exact;    /* pc is not a return address: look it up unchanged */
	bool has_fp;   /* fp is known */
	bool has_link; /* the machine has a link register, and its value is known */
};

/* What differs between machines and between kernel and tests. */
struct scope_unwind_machine {
	bool (*read)(u64 *to, u64 from); /* a word of the program; false: it is not in memory */
	u64 (*address)(u64 word);	 /* a return address without its signature */
	bool call_pushes;		 /* the return address is on the stack as a function begins */
};

/* Steps and walks return one of these, or an enum scope_copy_reason. */
#define SCOPE_UNWIND_ON 0
#define SCOPE_UNWIND_END 256

/* The bytes of a table with these counts, which are within their limits. */
static inline u64 scope_unwind_table_bytes(const struct scope_table_header *header)
{
	return sizeof(*header) + (u64)header->rules * sizeof(struct scope_table_rule) +
	       ((u64)header->pages + 1 + header->rows) * sizeof(u32);
}

static inline bool scope_unwind_rule_good(const struct scope_table_rule *rule)
{
	return rule->cfa < SCOPE_CFA_KINDS && rule->fp < SCOPE_VALUE_KINDS && rule->ra < SCOPE_VALUE_KINDS &&
	       !(rule->flags & ~SCOPE_RULE_SIGNAL);
}

static inline bool scope_unwind_page_good(const u32 *row, u32 count, u32 rules)
{
	u32 i;

	for (i = 0; i < count; i++)
		if ((row[i] & 0xffff) >= rules || (i && row[i] >> 16 <= row[i - 1] >> 16))
			return false;
	return true;
}

/*
 * Checks a table of that many bytes, 8-byte aligned, that nobody else can change. pause: called now and then, NULL:
 * nothing. 0 or -EINVAL.
 */
static inline int scope_unwind_table_open(const void *data, u64 bytes, void (*pause)(void),
					  struct scope_unwind_table *ret_table)
{
	const struct scope_table_header *header = data;
	struct scope_unwind_table table;
	u32 i;

	if (bytes < sizeof(*header) || header->magic != SCOPE_TABLE_MAGIC || header->bytes != bytes || header->zero ||
	    !header->rules || header->rules > SCOPE_TABLE_RULES_MAX || header->pages > SCOPE_TABLE_PAGES_MAX ||
	    header->start % SCOPE_TABLE_PAGE_BYTES || scope_unwind_table_bytes(header) != bytes)
		return -EINVAL;
	table.rule = (const void *)(header + 1);
	table.first = (const void *)(table.rule + header->rules);
	table.row = table.first + header->pages + 1;
	table.start = header->start;
	table.pages = header->pages;
	for (i = 0; i < header->rules; i++)
		if (!scope_unwind_rule_good(&table.rule[i]))
			return -EINVAL;
	if (table.first[0] || table.first[header->pages] != header->rows)
		return -EINVAL;
	for (i = 0; i < header->pages; i++) {
		/* Each is checked before it is used. The sum of all steps upwards is the last one. */
		if (table.first[i + 1] < table.first[i] || table.first[i + 1] > header->rows ||
		    !scope_unwind_page_good(table.row + table.first[i], table.first[i + 1] - table.first[i],
					    header->rules))
			return -EINVAL;
		if (pause)
			pause();
	}
	*ret_table = table;
	return 0;
}

/* The rule at a link address; NULL: the table does not have it. */
static __always_inline const struct scope_table_rule *scope_unwind_rule(const struct scope_unwind_table *table,
									u64 link)
{
	u64 page = (link - table->start) >> SCOPE_TABLE_PAGE_SHIFT;
	u32 want = (u32)link << 16 | 0xffff;
	u32 low, count, half;

	if (link < table->start || page >= table->pages)
		return NULL;
	low = table->first[page];
	count = table->first[page + 1] - low;
	if (!count || table->row[low] > want)
		return NULL;
	/* Row low is not beyond the address; the rows after the next count - 1 are. */
	while (count > 1) {
		half = count / 2;
		low += table->row[low + half] <= want ? half : 0;
		count -= half;
	}
	return &table->rule[table->row[low] & 0xffff];
}

/* The mapping of an address, NULL: there is none. last: where the search begins, and what it found. */
static __always_inline const struct scope_unwind_map *scope_unwind_map_find(const struct scope_unwind_maps *maps,
									    u64 address, u32 *last)
{
	const struct scope_unwind_map *map = &maps->map[*last];
	u32 low = 0, high, middle;

	if (likely(*last < maps->count && address >= map->start && address < map->end))
		return map;
	for (high = maps->count; low < high;) {
		middle = (low + high) / 2;
		map = &maps->map[middle];
		if (address < map->start) {
			high = middle;
		} else if (address >= map->end) {
			low = middle + 1;
		} else {
			*last = middle;
			return map;
		}
	}
	return NULL;
}

/* 0, with the word in *ret_value, or the reason for which it is unknown. */
static __always_inline int scope_unwind_value(const struct scope_unwind_machine *machine,
					      const struct scope_unwind_frame *frame, u8 kind, u64 cfa, s32 offset,
					      u64 *ret_value)
{
	u64 from = cfa;

	if (kind == SCOPE_VALUE_AT_SP)
		from = frame->sp;
	if (kind == SCOPE_VALUE_AT_FP) {
		if (!frame->has_fp)
			return SCOPE_COPY_BROKEN;
		from = frame->fp;
	}
	return machine->read(ret_value, from + (s64)offset) ? 0 : SCOPE_COPY_MEMORY;
}

static __always_inline int scope_unwind_cfa(const struct scope_unwind_machine *machine,
					    const struct scope_unwind_frame *frame, const struct scope_table_rule *rule,
					    u64 *ret_cfa)
{
	switch (rule->cfa) {
	case SCOPE_CFA_SP:
		*ret_cfa = frame->sp + (s64)rule->cfa_offset;
		return 0;
	case SCOPE_CFA_FP:
		*ret_cfa = frame->fp + (s64)rule->cfa_offset;
		return frame->has_fp ? 0 : SCOPE_COPY_BROKEN;
	case SCOPE_CFA_AT_SP:
	case SCOPE_CFA_AT_FP:
		return scope_unwind_value(machine, frame,
					  rule->cfa == SCOPE_CFA_AT_SP ? SCOPE_VALUE_AT_SP : SCOPE_VALUE_AT_FP, 0,
					  rule->cfa_offset, ret_cfa);
	case SCOPE_CFA_PLT:
		*ret_cfa = frame->sp + (s64)rule->cfa_offset + ((s32)(frame->pc & 15) >= rule->fp_offset ? 8 : 0);
		return 0;
	case SCOPE_CFA_END:
		return SCOPE_UNWIND_END;
	case SCOPE_CFA_OTHER:
		return SCOPE_COPY_OTHER;
	}
	return SCOPE_COPY_NO_TABLE;
}

/* An offset from 8 to 1016 below the CFA, in words; 0: it is another one. */
static inline u32 scope_unwind_words_below(s32 offset)
{
	return offset < 0 && offset >= -127 * 8 && !(offset & 7) ? -offset / 8 : 0;
}

/* 0: it does not fit. */
static inline u64 scope_unwind_pack(const struct scope_table_rule *rule, u64 address)
{
	const u32 ra = rule->ra == SCOPE_VALUE_AT_CFA ? scope_unwind_words_below(rule->ra_offset) : 0;
	const u32 fp = rule->fp == SCOPE_VALUE_AT_CFA ? scope_unwind_words_below(rule->fp_offset) : 0;

	if ((rule->cfa != SCOPE_CFA_SP && rule->cfa != SCOPE_CFA_FP) || rule->flags || !ra ||
	    (rule->fp != SCOPE_VALUE_SAME && !fp) || rule->cfa_offset < 0 || rule->cfa_offset > 1023 * 8 ||
	    rule->cfa_offset & 7 || address >> 48)
		return 0;
	return ((address >> SCOPE_UNWIND_RECENT_BITS) + 1) << 25 | (u64)(rule->cfa == SCOPE_CFA_FP) << 24 |
	       (u64)(rule->cfa_offset / 8) << 14 | ra << 7 | fp;
}

/* What scope_unwind_step() does, by such a word. */
static __always_inline int scope_unwind_step_again(const struct scope_unwind_machine *machine, u64 step, u64 bottom,
						   struct scope_unwind_frame *frame)
{
	const u64 cfa = (step & 1 << 24 ? frame->fp : frame->sp) + (step >> 11 & 0x1ff8);
	u64 ra, at;

	if ((step & 1 << 24 && !frame->has_fp) || cfa < frame->sp || (cfa == frame->sp && machine->call_pushes))
		return SCOPE_COPY_BROKEN;
	if (!machine->read(&ra, cfa - (step >> 4 & 0x3f8)))
		return SCOPE_COPY_MEMORY;
	if (step & 0x7f) {
		at = cfa - (step << 3 & 0x3f8);
		if (bottom - at - 1 >= SCOPE_UNWIND_RED_ZONE)
			frame->has_fp = machine->read(&frame->fp, at);
	}
	at = machine->address(ra);
	if (cfa == frame->sp && at == frame->pc)
		return SCOPE_COPY_BROKEN;
	frame->link = ra;
	frame->pc = at;
	frame->sp = cfa;
	frame->exact = false;
	return SCOPE_UNWIND_ON;
}

/*
 * Sets the registers to those of the caller. bottom: the stack pointer of the first frame. If an epilogue has popped a
 * register, its rule still names the slot, which is now below the stack pointer. The register itself has the value
 * again.
 */
static __always_inline int scope_unwind_step(const struct scope_unwind_machine *machine,
					     const struct scope_table_rule *rule, u64 bottom,
					     struct scope_unwind_frame *frame)
{
	struct scope_unwind_frame caller = *frame;
	u64 cfa = 0, slot;
	int why = scope_unwind_cfa(machine, frame, rule, &cfa);

	if (why)
		return why;
	/* Stacks grow down, so a caller's frame is above. Only a signal handler may have another stack. */
	if (!(rule->flags & SCOPE_RULE_SIGNAL) && (cfa < frame->sp || (cfa == frame->sp && machine->call_pushes)))
		return SCOPE_COPY_BROKEN;
	if (rule->ra == SCOPE_VALUE_SAME && !frame->has_link)
		return SCOPE_COPY_BROKEN;
	if (rule->ra == SCOPE_VALUE_LOST)
		return SCOPE_UNWIND_END;
	if (rule->ra != SCOPE_VALUE_SAME) {
		why = scope_unwind_value(machine, frame, rule->ra, cfa, rule->ra_offset, &caller.link);
		if (why)
			return why;
		caller.has_link = frame->has_link;
	}
	caller.pc = rule->flags & SCOPE_RULE_SIGNAL ? caller.link : machine->address(caller.link);
	if (rule->fp == SCOPE_VALUE_LOST) {
		caller.has_fp = false;
	} else if (rule->fp != SCOPE_VALUE_SAME && rule->cfa != SCOPE_CFA_PLT) {
		slot = rule->fp == SCOPE_VALUE_AT_CFA ? bottom - (cfa + (s64)rule->fp_offset) : 0;
		if (!slot || slot > SCOPE_UNWIND_RED_ZONE)
			caller.has_fp = !scope_unwind_value(machine, frame, rule->fp, cfa, rule->fp_offset, &caller.fp);
	}
	/* A frame that changes nothing would be its own caller, without end. */
	if (cfa == frame->sp && caller.pc == frame->pc)
		return SCOPE_COPY_BROKEN;
	caller.sp = cfa;
	caller.exact = rule->flags & SCOPE_RULE_SIGNAL;
	*frame = caller;
	return SCOPE_UNWIND_ON;
}

/* A step without a table, by the convention that fp points to the caller's, then to pc. */
static __always_inline int scope_unwind_step_fp(const struct scope_unwind_machine *machine,
						struct scope_unwind_frame *frame)
{
	u64 fp, pc;

	if (!frame->has_fp)
		return SCOPE_COPY_BROKEN;
	/* 0 is the value of the outermost frame, or of code without frame pointers. */
	if (!frame->fp)
		return SCOPE_COPY_OTHER;
	if (frame->fp < frame->sp || frame->fp % sizeof(u64))
		return SCOPE_COPY_BROKEN;
	if (!machine->read(&fp, frame->fp) || !machine->read(&pc, frame->fp + sizeof(u64)))
		return SCOPE_COPY_MEMORY;
	frame->sp = frame->fp + 2 * sizeof(u64);
	frame->fp = fp;
	frame->pc = machine->address(pc);
	frame->has_link = false;
	frame->exact = false;
	return SCOPE_UNWIND_ON;
}

/*
 * Code without a rule may keep no frame pointer. Then the register has the frame pointer of its caller, and a step by
 * it skips that caller, whose return address is between the stack pointer and the frame pointer. Returns true also if
 * that is not known.
 */
static inline bool scope_unwind_skips(const struct scope_unwind_machine *machine, const struct scope_unwind_maps *maps,
				      u64 sp, u64 fp)
{
	const struct scope_unwind_map *map;
	u32 last = 0;
	u64 word;

	if (fp - sp > SCOPE_UNWIND_FRAME_WORDS * sizeof(word))
		return true;
	for (; sp < fp; sp += sizeof(word)) {
		if (!machine->read(&word, sp))
			return true;
		map = scope_unwind_map_find(maps, machine->address(word) - 1, &last);
		if (map && map->table)
			return true;
	}
	return false;
}

/*
 * A step from code without a rule. That is code made at run time, or code in a file, as in V8 and Go. All code that one
 * compiler makes at run time keeps frame pointers, or none does; so a step from such code to such code is accepted. For
 * other code this is not known: the step is accepted if no word between can be a return address. SCOPE_FRAMES_GUESSED
 * in *guessed.
 */
static __always_inline int scope_unwind_step_bare(const struct scope_unwind_machine *machine,
						  const struct scope_unwind_maps *maps, bool made,
						  struct scope_unwind_frame *frame, u32 *last, u8 *guessed)
{
	const struct scope_unwind_map *map;
	const u64 sp = frame->sp, fp = frame->fp;
	int why = scope_unwind_step_fp(machine, frame);

	if (why != SCOPE_UNWIND_ON)
		return why;
	*guessed = SCOPE_FRAMES_GUESSED;
	map = made ? scope_unwind_map_find(maps, frame->pc - 1, last) : NULL;
	if (made && !(map && map->table))
		return SCOPE_UNWIND_ON;
	return scope_unwind_skips(machine, maps, sp, fp) ? SCOPE_COPY_OTHER : SCOPE_UNWIND_ON;
}

/* A step by the mappings and tables. last: as scope_unwind_map_find() has it. SCOPE_FRAMES_GUESSED in *guessed. */
static __always_inline int scope_unwind_step_search(const struct scope_unwind_machine *machine,
						    struct scope_unwind_maps *maps, u64 address, u64 bottom,
						    struct scope_unwind_frame *frame, u32 *last, u8 *guessed)
{
	const struct scope_unwind_map *map = scope_unwind_map_find(maps, address, last);
	const struct scope_table_rule *rule;

	if (!map)
		return SCOPE_COPY_UNMAPPED;
	if (map->frame_pointers)
		return scope_unwind_step_bare(machine, maps, true, frame, last, guessed);
	rule = map->table ? scope_unwind_rule(map->table, address - map->start + map->link) : NULL;
	if (rule && rule->cfa != SCOPE_CFA_NONE) {
		WRITE_ONCE(maps->recent[address % SCOPE_UNWIND_RECENT], scope_unwind_pack(rule, address));
		return scope_unwind_step(machine, rule, bottom, frame);
	}
	/* A return address in a register would be missed. */
	if (!map->table || !machine->call_pushes ||
	    scope_unwind_step_bare(machine, maps, false, frame, last, guessed) != SCOPE_UNWIND_ON)
		return SCOPE_COPY_NO_TABLE;
	return SCOPE_UNWIND_ON;
}

/*
 * Writes the addresses of a stack as FRAMES has them, at most max (one at least). 0 if it came to the start of the
 * thread, else an enum scope_copy_reason. *ret_ended: SCOPE_FRAMES_*. frame is used up.
 */
static __always_inline int scope_unwind_walk(const struct scope_unwind_machine *machine, struct scope_unwind_maps *maps,
					     struct scope_unwind_frame *frame, u64 *ret_ip, u32 max, u32 *ret_count,
					     u8 *ret_ended)
{
	const u64 bottom = frame->sp;
	u32 count = 0, last = 0;
	u8 guessed = 0;
	u64 address, step;
	int why;

	do {
		if (count == max)
			return SCOPE_COPY_DEEP;
		address = frame->pc - !frame->exact;
		/* All addresses but the first are looked up in the same way. */
		ret_ip[count] = frame->pc + (frame->exact && count);
		count++;
		step = READ_ONCE(maps->recent[address % SCOPE_UNWIND_RECENT]);
		if (likely(step >> 25 == (address >> SCOPE_UNWIND_RECENT_BITS) + 1))
			why = scope_unwind_step_again(machine, step, bottom, frame);
		else
			why = scope_unwind_step_search(machine, maps, address, bottom, frame, &last, &guessed);
	} while (why == SCOPE_UNWIND_ON && frame->pc);
	if (why != SCOPE_UNWIND_ON && why != SCOPE_UNWIND_END)
		return why;
	*ret_count = count;
	*ret_ended = SCOPE_FRAMES_COMPLETE | guessed;
	return 0;
}

#endif
