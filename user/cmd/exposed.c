// SPDX-License-Identifier: GPL-2.0-only
/*
 * Serves a text to collectors during a capture. A child process makes the text in each step, and it is served from
 * memory.
 */
#include "cmd/exposed.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/forked.h"
#include "cmd/cmd.h"
#include "export/http.h"

struct scope_cmd_exposed {
	struct scope_cmd_drawing drawing;
	struct scope_http *http;
	uint64_t period_ns, next_ns; /* next_ns: since the capture began */
	pid_t child;		     /* 0: none */
	int fd;			     /* the file in which the child writes */
};

int scope_cmd_exposed_create(const char *address, uint64_t period_ns, const struct scope_cmd_drawing *drawing,
			     struct scope_error *error, struct scope_cmd_exposed **ret_exposed)
{
	struct scope_cmd_exposed *exposed = calloc(1, sizeof(*exposed));
	char line[64];
	int err;

	if (!exposed)
		return scope_error_set(error, -ENOMEM, "no memory to listen");
	exposed->drawing = *drawing;
	exposed->period_ns = exposed->next_ns = period_ns;
	exposed->fd = -1;
	err = scope_export_http_create(address, error, &exposed->http);
	if (err) {
		free(exposed);
		return err;
	}
	snprintf(line, sizeof(line), "listening on port %u, GET /metrics", scope_export_http_port(exposed->http));
	scope_cmd_note("metrics", line);
	*ret_exposed = exposed;
	return 0;
}

/* From here on serves the text that the child wrote. */
static void take_text(struct scope_cmd_exposed *exposed)
{
	struct stat stat;
	char *text;

	if (fstat(exposed->fd, &stat) || stat.st_size <= 0)
		return;
	text = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_SHARED, exposed->fd, 0);
	if (text == MAP_FAILED)
		return;
	scope_export_http_set(exposed->http, text, (size_t)stat.st_size);
	munmap(text, (size_t)stat.st_size);
}

/* True if the child has ended, or there is none. */
static bool reap(struct scope_cmd_exposed *exposed)
{
	int status;

	if (exposed->child <= 0)
		return true;
	if (waitpid(exposed->child, &status, WNOHANG) != exposed->child)
		return false;
	exposed->child = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		take_text(exposed);
	close(exposed->fd);
	exposed->fd = -1;
	return true;
}

/* The work of the child. */
static void write_text(const struct scope_cmd_exposed *exposed, const struct scope_capture_progress *now)
{
	FILE *to = fdopen(exposed->fd, "w");
	int err = to ? exposed->drawing.draw(exposed->drawing.context, now, to) : -ENOMEM;

	if (to && fclose(to))
		err = -EIO;
	_exit(!!err);
}

void scope_cmd_exposed_tick(struct scope_cmd_exposed *exposed, const struct scope_capture_progress *now)
{
	const bool free_for_next = reap(exposed);

	scope_export_http_run(exposed->http);
	if (!free_for_next || now->elapsed_ns < exposed->next_ns)
		return;
	exposed->next_ns = now->elapsed_ns + exposed->period_ns;
	exposed->fd = memfd_create("scope-metrics", MFD_CLOEXEC);
	if (exposed->fd < 0)
		return;
	exposed->child = scope_forked();
	if (!exposed->child)
		write_text(exposed, now);
	if (exposed->child > 0)
		return;
	exposed->child = 0;
	close(exposed->fd);
	exposed->fd = -1;
}

void scope_cmd_exposed_destroy(struct scope_cmd_exposed *exposed)
{
	if (!exposed)
		return;
	if (exposed->child > 0) {
		kill(exposed->child, SIGKILL);
		waitpid(exposed->child, NULL, 0);
		close(exposed->fd);
	}
	scope_export_http_destroy(exposed->http);
	free(exposed);
}
