/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Serves a text to collectors during a capture. A child process makes the text in each step, and it is served from
 * memory.
 */
#ifndef SCOPE_CMD_EXPOSED_H
#define SCOPE_CMD_EXPOSED_H

#include <stdint.h>

#include "cmd/screen.h"

struct scope_cmd_exposed;

/* address: see scope_export_http_create(). drawing: its function writes the text. 0, or -errno with error filled. */
int scope_cmd_exposed_create(const char *address, uint64_t period_ns, const struct scope_cmd_drawing *drawing,
			     struct scope_error *error, struct scope_cmd_exposed **ret_exposed);
/* Answers requests, and starts to make the next text if it is time. */
void scope_cmd_exposed_tick(struct scope_cmd_exposed *exposed, const struct scope_capture_progress *now);
void scope_cmd_exposed_destroy(struct scope_cmd_exposed *exposed); /* NULL is fine */

#endif
