/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses one record of a perf ring. */
#ifndef SCOPE_PERF_PARSE_H
#define SCOPE_PERF_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <scope/abi.h>
#include <scope/control.h>

#include "perf/tracepoint.h"

/* The events of one CPU; see the table in attr.c. */
enum scope_perf_kind {
	SCOPE_PERF_SWITCH,
	SCOPE_PERF_ENTER,
	SCOPE_PERF_EXIT,
	SCOPE_PERF_WAKING,
	SCOPE_PERF_EXEC,
	SCOPE_PERF_PEER,   /* a thread begins to open a connection of TCP */
	SCOPE_PERF_BLOCK,  /* the stack of a thread that goes to sleep */
	SCOPE_PERF_SAMPLE, /* the stack of the running thread, by a timer */
	SCOPE_PERF_LIFE,   /* a timer's record, so that a ring can report its losses */
	SCOPE_PERF_KINDS,
};

#define SCOPE_PERF_FIELDS_MAX 3

/* How the records of a session are laid out. */
struct scope_perf_layout {
	struct scope_perf_field field[SCOPE_PERF_KINDS][SCOPE_PERF_FIELDS_MAX];
	struct scope_perf_states states;
	enum scope_stack_mode stack[SCOPE_PERF_KINDS]; /* what comes with it */
	bool kernel_ips;			       /* SAMPLE: records have the interrupted address */
};

/* Which event an identifier belongs to. */
struct scope_perf_id {
	uint64_t id;
	enum scope_perf_kind kind;
};

enum scope_perf_type {
	SCOPE_PERF_TYPE_OTHER, /* a record that is ignored */
	SCOPE_PERF_TYPE_EVENT, /* kind says which */
	SCOPE_PERF_TYPE_FORK,
	SCOPE_PERF_TYPE_EXIT,
	SCOPE_PERF_TYPE_COMM,
	SCOPE_PERF_TYPE_LOST,
};

/* Pointers are into the bytes parsed. */
struct scope_perf_record {
	enum scope_perf_type type;
	enum scope_perf_kind kind;
	size_t id_at; /* EVENT: index of its identifier */
	uint64_t id;  /* OTHER: the identifier of a sample, which is not among the ids; 0: no sample */
	uint64_t time_ns;
	uint32_t tgid, tid;  /* EVENT: the thread that ran; FORK, EXIT, COMM: the thread that the record is about */
	uint32_t parent_tid; /* FORK */
	const char *comm;    /* COMM, ends in a zero byte */
	bool exec;	     /* COMM: the name of a new program */
	uint64_t lost;	     /* LOST */
	int64_t value[SCOPE_PERF_FIELDS_MAX]; /* EVENT: its fields */
	const uint8_t *raw;		      /* ENTER: raw data, whose field 1 is the array of arguments */
	size_t raw_bytes;
	bool user;		     /* SAMPLE: the program itself was interrupted, not the kernel */
	uint64_t ip;		     /* SAMPLE: the address at which the timer interrupted, 0: not known */
	uint64_t reg[SCOPE_REG_MAX]; /* user registers in DWARF order; their number is regs */
	uint16_t regs;
	const uint8_t *stack; /* bytes from the stack pointer upwards */
	uint32_t stack_bytes, stack_asked;
	const uint8_t *chain; /* chain_count addresses of 8 bytes, innermost first */
	uint32_t chain_count;
	const uint8_t *rest; /* OTHER: of a sample, what follows its time */
	size_t rest_bytes;
	uint64_t word[SCOPE_ARG_MAX]; /* see scope_perf_record_words() */
	uint8_t words;
};

/*
 * Parses the record at data, of at most `bytes` bytes. 0; -EBADMSG: the record is cut or holds an impossible value. A
 * record whose identifier is not among the ids becomes OTHER.
 */
int scope_perf_record_parse(const struct scope_perf_layout *layout, const struct scope_perf_id *ids, size_t id_count,
			    const uint8_t *data, size_t bytes, struct scope_perf_record *ret_record);

/* The first fields of a sample: the thread that ran, and the index of its identifier. */
struct scope_perf_glance {
	uint32_t tgid, tid;
	uint64_t time_ns;
	size_t id_at;
};

/*
 * Reads only these fields, for records that are not needed. Returns false if the record is no sample, or its identifier
 * is not among the ids.
 */
bool scope_perf_record_glance(const struct scope_perf_id *ids, size_t id_count, const uint8_t *data, size_t bytes,
			      struct scope_perf_glance *ret_glance);

/* Reads only the time, for sorting; UINT64_MAX: the record has none. */
uint64_t scope_perf_record_time(const uint8_t *data, size_t bytes);

/*
 * PERF_SAMPLE_REGS_USER's mask for the registers that hold the first arguments of a function where it begins, or its
 * value where it returns.
 */
uint64_t scope_perf_words_mask(uint8_t words, bool is_return);
/*
 * Takes these words out of a sample of type OTHER, whose event asked for that mask. A record that has none of them, and
 * one of a 32-bit program, which passes arguments elsewhere, gets no words.
 */
void scope_perf_record_words(struct scope_perf_record *record, uint8_t words, bool is_return);

/* PERF_SAMPLE_REGS_USER's mask for all registers of a STACK record on this machine. */
uint64_t scope_perf_register_mask(void);

/* PERF_SAMPLE_REGS_INTR's mask for the program counter. */
uint64_t scope_perf_counter_mask(void);

#endif
