/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Write a trace file.
 *
 * A writer keeps its first failure: every later call returns the same -errno, and
 * scope_trace_writer_error() and scope_trace_writer_finish() describe it in a sentence. If SIGXFSZ
 * is not ignored, a limit on file sizes ends the program instead of being reported.
 */
#ifndef SCOPE_TRACE_WRITER_H
#define SCOPE_TRACE_WRITER_H

#include <stdint.h>

#include <scope/ring.h>

#include "base/error.h"
#include "trace/trace.h"

struct scope_writer;
struct scope_trace_flight_state;

/*
 * Writes PATH.part, which finish renames to PATH, so that PATH is always a whole trace. An existing
 * file of that name is kept; a FIFO or a device is written to (base/newfile.h).
 */
int scope_trace_writer_create(const char *path, struct scope_error *error, struct scope_writer **ret_writer);

/*
 * Writes to an open file from its current position on, which is usually 0. The descriptor stays the caller's, and open.
 * name is used in messages.
 */
int scope_trace_writer_create_fd(int fd, const char *name, struct scope_error *error, struct scope_writer **ret_writer);

/*
 * Keeps the last sub-buffers in memory instead: those of the last span_ns, as long as they fit into
 * memory_bytes (SCOPE_FLIGHT_BYTES_MIN or more). All metadata is kept, too.
 * scope_trace_writer_copy() makes a file from both.
 */
int scope_trace_writer_create_flight(uint64_t span_ns, uint64_t memory_bytes, struct scope_error *error,
				     struct scope_writer **ret_writer);

/* From here on metadata is remembered, for scope_trace_writer_rotate(). 0 or -ENOMEM. */
int scope_trace_writer_keep(struct scope_writer *writer);

/* Drops the metadata about descriptors, because all of it is written again. */
void scope_trace_writer_forget_fds(struct scope_writer *writer);

/*
 * Removes the row with this key from later copies of a flight recorder. Returns false if it is no flight recorder: the
 * row stays in the file.
 */
bool scope_trace_writer_forget_meta(struct scope_writer *writer, const char *key);

/* Sets a function that is called with every sub-buffer before it is written. */
typedef void scope_writer_tap(void *context, const struct scope_subbuf *subbuf);
void scope_trace_writer_set_tap(struct scope_writer *writer, scope_writer_tap *tap, void *context);

/* Sets a function that is called with every row of maps as it is written. */
typedef void scope_writer_map_tap(void *context, const struct scope_trace_map *map);
void scope_trace_writer_set_map_tap(struct scope_writer *writer, scope_writer_map_tap *tap, void *context);

/* Sets the level of zstd, SCOPE_WRITER_LEVEL_MAX at most, for frames from here on. 0: store them unchanged. */
#define SCOPE_WRITER_LEVEL_MAX 19
void scope_trace_writer_set_level(struct scope_writer *writer, int level);

/*
 * From here on sub-buffers are written as they are, and compressed in the file later: by work(), which a caller calls
 * while its host idles, by each sub-buffer while there are most_bytes of them, and at the end of the file. For a regular file from
 * its start on that nobody reads before it is complete; else, and without compression, nothing changes.
 * work: compresses one. 1: there may be more, 0: nothing is left to do. A failure shows at the end of the file.
 */
#define SCOPE_WRITER_DEFER_BYTES (128ull << 20) /* usual; compressing that many takes a second or two */
void scope_trace_writer_defer(struct scope_writer *writer, uint64_t most_bytes);
int scope_trace_writer_work(struct scope_writer *writer);

/* Each adds one frame: 0 or -errno. Arguments are copied. Strings must not be NULL. */
int scope_trace_writer_meta(struct scope_writer *writer, const char *key, const char *value);
int scope_trace_writer_map(struct scope_writer *writer, const struct scope_trace_map *map);
int scope_trace_writer_symbol(struct scope_writer *writer, const struct scope_trace_symbol *symbol);
/* Adds nothing if the last row of that descriptor has the same content. */
int scope_trace_writer_fd(struct scope_writer *writer, const struct scope_trace_fd *fd);
int scope_trace_writer_memory(struct scope_writer *writer, const struct scope_trace_memory *memory);
int scope_trace_writer_stopped_stack(struct scope_writer *writer,
				     const struct scope_trace_stopped_stack *stopped_stack);
int scope_trace_writer_file(struct scope_writer *writer, const struct scope_trace_file *file);
int scope_trace_writer_code(struct scope_writer *writer, const struct scope_trace_code *code);
/* Adds a FILE, PLACES or SYMBOL frame with this payload (symbol/names.h makes them). -EINVAL: another type. */
int scope_trace_writer_names(struct scope_writer *writer, uint16_t type, const void *payload, size_t bytes);
int scope_trace_writer_lock(struct scope_writer *writer, const struct scope_trace_lock *lock);
int scope_trace_writer_thread(struct scope_writer *writer, const struct scope_trace_thread *thread);

/* Adds many mappings in one frame, all of the process of the first. */
int scope_trace_writer_maps(struct scope_writer *writer, const struct scope_trace_map *map, size_t count);
/* Adds many in one frame: process, module and library are those of the first. */
int scope_trace_writer_symbols(struct scope_writer *writer, const struct scope_trace_symbol *symbol, size_t count);

/* Adds used_bytes bytes from that address on. -EINVAL: magic or used_bytes is invalid. */
int scope_trace_writer_subbuf(struct scope_writer *writer, const struct scope_subbuf *subbuf);

/* Bytes of the file so far, buffered ones included, compressed or not. */
uint64_t scope_trace_writer_bytes(const struct scope_writer *writer);

/*
 * flush: writes all frames so far to the file; 0 or -errno. fd: the file's descriptor, for scope_trace_open_growing();
 * it belongs to the writer. A flight recorder has no file.
 */
int scope_trace_writer_flush(struct scope_writer *writer);
int scope_trace_writer_descriptor(const struct scope_writer *writer);

/* The first failure as a sentence, "" if there is none. */
const char *scope_trace_writer_error(const struct scope_writer *writer);

/*
 * Ends the file and continues in another one, which begins with the metadata kept so far. Each file is a whole trace;
 * META "continues" marks all files but the first. The writer must keep metadata.
 */
int scope_trace_writer_rotate(struct scope_writer *writer, const char *path, struct scope_error *error);

/*
 * For a flight recorder: creates a writer for a file with all that is held from from_ns on (0: all), to which more
 * metadata and sub-buffers may be added. compress: compresses the sub-buffers that are held uncompressed, too, which
 * takes some 0.1 us an event. The caller finishes and destroys that writer.
 */
int scope_trace_writer_copy(struct scope_writer *writer, const char *path, uint64_t from_ns, bool compress,
			    struct scope_error *error, struct scope_writer **ret_file);
/* See scope_trace_flight_newest(). */
uint64_t scope_trace_writer_newest(const struct scope_writer *writer, uint64_t raw_bytes, uint64_t span_ns);
void scope_trace_writer_coverage(const struct scope_writer *writer, struct scope_trace_flight_state *ret_state);

/*
 * After a failure: ends the file after the last piece that is known to be in it, gives it its name,
 * and sets end_reason to this word. -ENODATA: it has no sub-buffer; then no file is left.
 */
int scope_trace_writer_salvage(struct scope_writer *writer, const char *reason, uint64_t *ret_bytes);

/* See scope_newfile_note() and scope_newfile_is_special(). The note is about the current file. */
const char *scope_trace_writer_note(const struct scope_writer *writer);
bool scope_trace_writer_is_special(const struct scope_writer *writer);

/* Writes the INDEX and END frames. Destroy the writer in any case. */
int scope_trace_writer_finish(struct scope_writer *writer, struct scope_error *error);

/* Removes PATH.part if finish was not called or failed. NULL is fine. */
void scope_trace_writer_destroy(struct scope_writer *writer);

#endif
