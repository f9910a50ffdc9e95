/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Responds to an incident in a child process: writes reports beside its trace, then runs a program and a webhook.
 *
 * The program is executed without a shell, and gets these facts in its environment: SCOPE_SENTENCE, SCOPE_KIND,
 * SCOPE_FUNCTION, SCOPE_MODULE, SCOPE_BEGAN (UTC), SCOPE_TARGET (a thread's name), SCOPE_PID, SCOPE_HOST, SCOPE_TRACE
 * and SCOPE_REPORT (the text; "" without one). It is killed after 60 s. The webhook gets the same as a JSON object,
 * while the program runs.
 */
#ifndef SCOPE_WATCH_INCIDENT_H
#define SCOPE_WATCH_INCIDENT_H

#include <stdbool.h>
#include <sys/types.h>

#include "proc/target.h"
#include "watch/seen.h"
#include "watch/words.h"

enum scope_watch_format {
	SCOPE_WATCH_TEXT = 1,
	SCOPE_WATCH_JSON = 2,
	SCOPE_WATCH_HTML = 4,
};

extern const char *const scope_watch_ends[]; /* of the names of reports, NULL at last */

struct scope_watch_response {
	unsigned formats;    /* enum scope_watch_format */
	const char *program; /* NULL: none */
	const char *webhook; /* NULL: none */
	/* A sentence for the user, from the child, too. bad: something was not done. */
	void (*say)(void *context, bool bad, const char *text);
	void *context;
};

struct scope_watch_incident {
	struct scope_watch_finding finding;
	struct scope_target target;
	char began[SCOPE_WATCH_DATE]; /* UTC, RFC 3339 */
	char trace[4096];
	char root[64]; /* see scope_symbol_options; "": none */
};

/* Begins the response in a child. Returns the child's number, or -errno. */
pid_t scope_watch_incident_respond(const struct scope_watch_incident *incident,
				   const struct scope_watch_response *response);

#endif
