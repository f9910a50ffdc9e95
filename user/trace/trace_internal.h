/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files that read a trace share; callers outside this folder use only trace.h. */
#ifndef SCOPE_TRACE_TRACE_INTERNAL_H
#define SCOPE_TRACE_TRACE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/format.h"
#include "trace/columns.h"
#include "trace/trace.h"

struct scope_trace_meta {
	const char *key, *value;
};

/* The period of samples from that time on. */
struct scope_sample_period {
	uint64_t from_ns, ns;
};

/* Frames of one CPU's sub-buffers, by their offset in the file, in the order of the file. */
struct scope_trace_cpu {
	uint32_t cpu;
	uint64_t *frame;
	size_t count, capacity;
	uint32_t largest; /* raw_bytes of the largest of them */
};

/* The parts of the file that could not be read: counts, and the first place of each kind. */
struct scope_damage {
	uint64_t frames, first_frame;	/* damaged frames; byte of the first */
	uint64_t subbufs, first_subbuf; /* sub-buffers with records that could not be read */
	uint64_t missing;		/* number of frames that END counts and the file does not have */
	uint64_t end;			/* offset at which the frames end */
	uint64_t after_end;		/* bytes after the END frame */
	bool cut;			/* the file ends inside a frame */
	bool no_end;
	const char *why; /* of first_subbuf */
	uint32_t why_cpu;
	char text[768]; /* the whole description as sentences */
};

struct scope_merge;

/* The parts of a sub-buffer that its stacks need. */
struct scope_trace_kept;

/* The sub-buffers of one CPU in which stacks were looked up, in ascending order. */
struct scope_trace_again {
	struct scope_trace_kept **kept;
	size_t count, capacity;
	struct scope_trace_kept *passing; /* a sub-buffer for which there was no room */
	struct scope_trace_kept *last;	  /* the one that was asked for last, or NULL */
};

struct scope_trace {
	const uint8_t *data; /* the file, mapped */
	uint64_t bytes, mapped_bytes;
	int descriptor;	    /* of a file that grows, else -1 */
	uint64_t scanned;   /* offset up to which it is indexed */
	uint64_t limit_ns;  /* events from this time on must not be taken yet */
	uint64_t from_ns;   /* see scope_trace_set_window() */
	uint64_t to_ns;	    /* UINT64_MAX, or where the window ends */
	uint64_t passed_ns; /* events were given up to this time, so none may come before it */
	bool late;	    /* an event came before that time */
	uint64_t touched;   /* bytes read since the pages were last given back */
	char *name;
	struct scope_file_header header;
	struct scope_trace_meta *meta; /* in the order in which they were written */
	uint32_t *meta_slot;	       /* by the hash of the key: 1 + the key's last row; 0: the slot is free */
	struct scope_sample_period *period;
	struct scope_trace_map *map;
	struct scope_trace_symbol *symbol;
	struct scope_trace_fd *fd;
	struct scope_trace_memory *memory;
	struct scope_trace_stopped_stack *stopped_stack;
	struct scope_trace_lock *lock;
	struct scope_trace_file *file;
	struct scope_trace_code *code;
	struct scope_trace_thread *thread;
	struct scope_frame_place *place; /* of the INDEX frames */
	size_t metas, maps, symbols, fds, memories, threads, places, stopped_stacks, locks, files, codes;
	size_t meta_slots, periods, period_capacity;
	size_t meta_capacity, map_capacity, symbol_capacity, fd_capacity, memory_capacity;
	size_t thread_capacity, place_capacity, stopped_stack_capacity, lock_capacity;
	size_t file_capacity, code_capacity;
	void **block; /* decompressed metadata, and names in plain form */
	size_t blocks, block_capacity;
	uint64_t spent;		     /* of SCOPE_FILE_ROWS_BUDGET */
	uint64_t unpacked;	     /* of SCOPE_FILE_SUBBUFS_BUDGET: the largest sub-buffer of each CPU */
	struct scope_trace_cpu *cpu; /* in ascending order of CPU */
	size_t cpus, cpu_capacity;
	struct scope_damage damage;
	struct scope_merge *merge;	 /* NULL until the first event is taken */
	struct scope_trace_again *again; /* NULL until the first stack is looked up; by CPU number */
	size_t agains, again_capacity;
	uint64_t kept_bytes;   /* size of all that `again` keeps */
	uint8_t *again_buffer; /* room to decompress a sub-buffer */
	size_t again_buffer_capacity;
	bool keeps_stacks;			/* see scope_trace_keep_stacks() */
	struct scope_trace_columns_rests rests; /* of the sub-buffer that was decompressed last */
};

/* True if a sub-buffer may have that CPU number. */
static inline bool scope_trace_is_cpu(uint32_t number)
{
	return number <= SCOPE_FRAME_CPU_MAX || number == SCOPE_FRAME_CPU_STATES;
}

/* Brings damage.text up to date. */
void scope_trace_damage_update(struct scope_damage *damage);

/* Counts memory that rows take. -E2BIG: more than the budget of the file. */
int scope_trace_spend(struct scope_trace *trace, uint64_t bytes);

/* Memory that lives as long as the trace. The trace owns it, also if the call fails. 0 or -ENOMEM. */
int scope_trace_keep_block(struct scope_trace *trace, void *block);

/* The texts live as long as the trace. 0, -E2BIG or -ENOMEM. */
int scope_trace_add_meta(struct scope_trace *trace, const char *key, const char *value);

/* Reads the payload of one metadata frame into the trace's rows. -EBADMSG, -E2BIG, -ENOMEM. */
int scope_trace_add_row(struct scope_trace *trace, uint16_t type, const uint8_t *payload, size_t bytes);

/* True if there is a whole, undamaged head. Its payload may still be incomplete. */
bool scope_trace_head_is_good(const struct scope_trace *trace, uint64_t offset);

/*
 * Checks the payload of the frame at `offset`, whose head was checked before, and decompresses it
 * if it is compressed. *ret_data points into the map or into *buffer, which grows as needed and
 * which the caller frees. rests (NULL is fine): filled again for a frame with SCOPE_FRAME_COLUMNS, else left alone; they point into
 * *buffer. -EBADMSG, -ENOMEM.
 */
int scope_trace_payload(const struct scope_trace *trace, uint64_t offset, uint8_t **buffer, size_t *buffer_capacity,
			struct scope_trace_columns_rests *rests, const uint8_t **ret_data);

/* Only the rests, for a frame with SCOPE_FRAME_COLUMNS. */
int scope_trace_rests(const struct scope_trace *trace, uint64_t offset, uint8_t **buffer, size_t *buffer_capacity,
		      struct scope_trace_columns_rests *rests);

/*
 * Counts bytes of the file that were read. Mapped pages count as this process's memory, so all
 * pages are given back after some bytes; those still needed come back from the page cache. Pointers
 * into the map stay valid.
 */
void scope_trace_touched(struct scope_trace *trace, uint64_t bytes);

void scope_trace_merge_destroy(struct scope_merge *merge);
/* Called after more sub-buffers were indexed, perhaps of new CPUs. */
int scope_trace_merge_grow(struct scope_trace *trace);
/* The time before which all events were given. */
uint64_t scope_trace_merge_passed(const struct scope_trace *trace);
/*
 * Keeps the parts of a sub-buffer that its stacks need, if there is room. trace->rests must be that of this frame. 0 or
 * -ENOMEM.
 */
int scope_trace_again_keep(struct scope_trace *trace, uint64_t frame);
void scope_trace_again_destroy(struct scope_trace *trace);

#endif
