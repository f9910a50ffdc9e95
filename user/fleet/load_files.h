/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads files of summaries, and folders of them. */
#ifndef SCOPE_FLEET_LOAD_FILES_H
#define SCOPE_FLEET_LOAD_FILES_H

#include "fleet/fleet_text.h"

#define SCOPE_FLEET_SUFFIX ".scopesum" /* of files that are taken of a folder */

/* Takes a summary, which it may not keep, and counts it in *read. 0, or -errno with error. */
typedef int scope_fleet_take(void *user, const struct scope_fleet_summary *summary, struct scope_fleet_read *read,
			     struct scope_error *error);

/*
 * Gives all summaries of a file, or of those files in a folder and below that end so, in the order of their names.
 * Files that cannot be read are noted in *read, with the reason, and the others are given; then the result is 0.
 * -errno with error: take failed, or there is no memory.
 */
int scope_fleet_load(const char *path, scope_fleet_take *take, void *user, struct scope_fleet_read *read,
		     struct scope_error *error);
void scope_fleet_read_free(struct scope_fleet_read *read);

#endif
