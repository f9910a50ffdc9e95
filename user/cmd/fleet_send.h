/* SPDX-License-Identifier: GPL-2.0-only */
/* Sends summaries to ClickHouse. */
#ifndef SCOPE_CMD_FLEET_SEND_H
#define SCOPE_CMD_FLEET_SEND_H

#include <stdbool.h>

#include "base/error.h"

struct scope_cmd_fleet_send {
	const char *url, *settings; /* see fleet/http_client.h */
	char *const *path;
	int paths;
	bool consume; /* a file is removed when all of it was sent; a watch may write to it at the same time */
};

/* Prints what was sent. 0, or -errno with error. Only files that were sent completely are removed. */
int scope_cmd_fleet_send(const struct scope_cmd_fleet_send *request, struct scope_error *error);

#endif
