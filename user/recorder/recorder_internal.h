/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of the recorder. */
#ifndef SCOPE_RECORDER_INTERNAL_H
#define SCOPE_RECORDER_INTERNAL_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/newfile.h"
#include "recorder/control_socket.h"
#include "recorder/recorder.h"
#include "recorder/shrink.h"
#include "trace/writer.h"

#define SCOPE_RECORDER_CLIENTS_MAX 8
#define SCOPE_RECORDER_WHY_BYTES 128
#define SCOPE_RECORDER_TEXT_BYTES 4608

struct scope_recorder {
	const struct scope_recorder_options *options;
	const struct scope_recorder_watch *watch;
	volatile sig_atomic_t *snapshot;
	struct scope_writer *writer;
	struct scope_recorder_socket *control; /* NULL: it could not be created */
	struct scope_newfile *turns;	       /* of files in turn: reserves the base of their names; else NULL */
	struct scope_target target;
	struct scope_capture_progress progress;
	struct scope_recorder_result result;
	uint64_t cool_ns;			/* triggers are ignored before this time */
	char why[SCOPE_RECORDER_WHY_BYTES];	/* why a file is to be written; "": none is */
	int copy_fd;				/* where the judge wants a copy; -1: none is wanted */
	bool ordered;				/* the judge wants the file */
	int client[SCOPE_RECORDER_CLIENTS_MAX]; /* wait for it */
	size_t clients;
	struct scope_recorder_shrinks shrinks;
};

/* ---- recorder.c ---- */

__attribute__((format(printf, 2, 3))) void scope_recorder_say(const struct scope_recorder *recorder, const char *format,
							      ...);
void scope_recorder_say_note(const struct scope_recorder *recorder, const char *note); /* "": says nothing */

/* Sets result.path to the name of the next file. 0 or -ENAMETOOLONG. */
int scope_recorder_name_next(struct scope_recorder *recorder, struct scope_error *error);

/* A file with that size is complete: removes the oldest files, so that options->keep stay. */
void scope_recorder_count_file(struct scope_recorder *recorder, uint64_t bytes);

/* How much the flight recorder holds. */
void scope_recorder_read_flight(const struct scope_recorder *recorder, struct scope_recorder_flight *ret_flight);

static inline bool scope_recorder_is_full(int err)
{
	return err == -ENOSPC || err == -EDQUOT || err == -EFBIG;
}

/* ---- clients.c: who asks by the control socket ---- */

/* Answers clients that request the status, and notes clients that request a file as the reason for one. */
void scope_recorder_clients_serve(struct scope_recorder *recorder);

/* Answers all clients that wait for a file. */
void scope_recorder_clients_answer(struct scope_recorder *recorder, const char *text);

/* ---- flight_copy.c: files of what a flight recorder holds ---- */

/* Writes the next file. run NULL: the capture has ended. 0 or -errno. */
int scope_recorder_flight_write(struct scope_recorder *recorder, struct scope_capture_run *run, const char *reason,
				struct scope_error *error);

/* Writes what was requested: a copy for the judge, or a file. run as above. */
void scope_recorder_flight_carry_out(struct scope_recorder *recorder, struct scope_capture_run *run);

#endif
