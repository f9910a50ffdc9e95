// SPDX-License-Identifier: GPL-2.0-only
/* Answers the clients of a flight recorder's control socket. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/duration.h"
#include "base/plain.h"
#include "recorder/recorder_internal.h"

/* For `scope status`: lines of a key and a value. */
static void describe(const struct scope_recorder *recorder, char *text, size_t size)
{
	const struct scope_capture_progress *progress = &recorder->progress;
	const double seconds = (double)progress->elapsed_ns / 1e9;
	struct scope_recorder_flight flight;
	struct rusage own = { 0 };
	char comm[SCOPE_PLAIN_COMM_BYTES], held[SCOPE_DURATION_TEXT], most[SCOPE_DURATION_TEXT];
	double cpu_s;
	int used;

	getrusage(RUSAGE_SELF, &own);
	cpu_s = (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec) +
		(double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec) / 1e6;
	scope_recorder_read_flight(recorder, &flight);
	used = snprintf(text, size,
			"target    %s[%u]\nrunning   %.0f s, %" PRIu64 " events, %" PRIu64
			" lost\nholds     the last %.0f s of %.0f wanted, in %s of %s\n",
			scope_plain_comm(comm, recorder->target.comm), recorder->target.tgid, seconds,
			progress->records, progress->lost, flight.covered_s, flight.wanted_s,
			scope_size_write(held, flight.held_bytes),
			scope_size_write(most, recorder->options->flight_bytes));
	if (flight.possible_s > 0)
		used += snprintf(text + used, size - used, "enough    for %.0f s at this rate\n", flight.possible_s);
	snprintf(text + used, size - used,
		 "own       %.2f %% of a CPU, %.1f MB at most\nfiles     %u"
		 " written%s%.200s\n",
		 seconds > 0 ? 100 * cpu_s / seconds : 0, (double)own.ru_maxrss * 1024 / 1e6, recorder->result.files,
		 recorder->result.files ? ", the last is " : "", recorder->result.path);
}

void scope_recorder_clients_serve(struct scope_recorder *recorder)
{
	enum scope_recorder_request wish;
	char text[1024];
	int client;

	while (recorder->clients < SCOPE_RECORDER_CLIENTS_MAX && recorder->control &&
	       (wish = scope_recorder_socket_next(recorder->control, &client)) != SCOPE_RECORDER_REQUEST_NOTHING) {
		if (wish == SCOPE_RECORDER_REQUEST_STATUS) {
			describe(recorder, text, sizeof(text));
			scope_recorder_socket_answer(recorder->control, client, text);
			continue;
		}
		recorder->client[recorder->clients++] = client;
		snprintf(recorder->why, sizeof(recorder->why), "snapshot");
	}
}

void scope_recorder_clients_answer(struct scope_recorder *recorder, const char *text)
{
	while (recorder->clients)
		scope_recorder_socket_answer(recorder->control, recorder->client[--recorder->clients], text);
}
