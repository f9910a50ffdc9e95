/* SPDX-License-Identifier: GPL-2.0-only */
/* The interface of a source of events, as a capture uses it. */
#ifndef SCOPE_SOURCE_SOURCE_H
#define SCOPE_SOURCE_SOURCE_H

#include "base/error.h"
#include "source/request.h"

struct scope_probe;
struct scope_stack_change;
struct scope_subbuf;
struct scope_table_map;

struct scope_source_notice {
	enum scope_notice notice; /* a kind of scope/control.h, like the values below */
	uint32_t cpu;
	uint64_t value;
};

/*
 * All functions return 0 or -errno unless said otherwise; those that take an error fill it (NULL is
 * fine). feed is the source's session, created by open(). Calls come in the order open, start, any
 * number of flush, drain, progress and count, stop, drain, count, close; close may come at any time
 * and ends tracing.
 */
struct scope_source {
	const char *name;  /* for --source, and in the trace's metadata */
	const char *lacks; /* what it cannot record, as the end of "It cannot give ..."; "": it records all */

	/* Checks that the source works on this host and for this user. Changes nothing that outlives the call. */
	int (*check)(struct scope_error *error);
	int (*open)(const struct scope_capture_options *options, uint32_t tgid, struct scope_error *error,
		    void **ret_feed);
	/*
	 * start begins tracing, with a STATE record for every traced thread. stop writes these records again, and the
	 * drain after it gives all records.
	 */
	int (*start)(void *feed, struct scope_error *error);
	int (*stop)(void *feed, struct scope_error *error);
	void (*close)(void *feed);

	/* For poll(): readable while there are enough records for a drain. */
	int (*fd)(const void *feed);
	/* The next drain gives all events from before this call. */
	int (*flush)(void *feed);
	/*
	 * Calls take() for every sub-buffer that is ready. If take() returns another value than 0, the drain ends and
	 * returns it.
	 */
	int (*drain)(void *feed, int (*take)(const struct scope_subbuf *subbuf, void *context), void *context);
	/*
	 * Between start and stop: calls take() for separate sub-buffers, with a STATE record of
	 * every traced thread as it is now, marked like those at the stop. NULL: only a second
	 * session that starts and stops can give them.
	 */
	int (*states)(void *feed, int (*take)(const struct scope_subbuf *subbuf, void *context), void *context);
	/* This call is cheap. ret_lost has SCOPE_LOST_REASONS entries. */
	void (*progress)(const void *feed, uint64_t *ret_records, uint64_t *ret_lost);
	int (*count)(void *feed, struct scope_error *error, struct scope_capture_counts *ret_counts);

	/* Changes which calls get stacks, and the samples (control/probe.h). NULL: the source cannot change them. */
	int (*stacks)(void *feed, const struct scope_stack_change *change, struct scope_error *error);
	/*
	 * Between start and stop: sets and removes a probe, and counts its hits by traced threads. When probe_remove
	 * has returned, the probe gives no more records. probe_add returns -EAGAIN while a removed probe is still in
	 * the code; try again later.
	 */
	int (*probe_add)(void *feed, const struct scope_probe *probe, struct scope_error *error);
	int (*probe_remove)(void *feed, uint16_t id, struct scope_error *error);
	int (*probe_hits)(void *feed, uint16_t id, uint64_t *ret_hits);
	/* How much of a CPU probes took since the last call, in thousandths, on the CPU where this is most. */
	int (*probe_share)(void *feed, uint32_t *ret_thousandths);
	/* How much of the fullest ring is unread, in thousandths. */
	uint32_t (*fill)(const void *feed);
	/*
	 * Gives the source an unwind table, and the mappings of a process, so that it walks stacks instead of copying
	 * them (scope/table.h). table() returns the table's number, from 1 on. -EPROTO: this session copies all stacks.
	 * NULL: the source cannot walk stacks.
	 */
	int (*table)(void *feed, const void *table, uint32_t bytes);
	int (*process)(void *feed, uint32_t tgid, const struct scope_table_map *map, uint32_t count);
	/* Stacks copied so far because mappings were not known. NULL with the two above. */
	uint64_t (*unmapped)(const void *feed);
	/*
	 * True if the source takes all stacks and samples in any case, so that switching them off for some time would
	 * save nothing.
	 */
	bool stacks_always;
	/*
	 * slice_max: the most bytes that the copy of one stack may have. slice_room: copies grow as long as all copies
	 * of a second have no more bytes than this.
	 */
	uint32_t slice_max, slice_room;

	/*
	 * Number of stacks taken so far, of traced and other threads. NULL: the source takes stacks of traced threads
	 * only, and the sub-buffers show their number.
	 */
	uint64_t (*samples)(const void *feed);

	/* A sentence for the user about this session once it is open, or "". NULL: none. */
	const char *(*note)(const void *feed);

	/* For poll(): readable when read_notice() has a notice; or -1. NULL: the source sends no notices. */
	int (*notice_fd)(const void *feed);
	/* Returns 1 and fills *ret_notice, or returns 0 if there is no notice. */
	int (*read_notice)(void *feed, struct scope_source_notice *ret_notice);
};

#endif
