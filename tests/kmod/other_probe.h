/* SPDX-License-Identifier: GPL-2.0-only */
/* A probe in addition to that of the test: of another session, of the same one, or of the kernel's tracefs. */
#ifndef SCOPE_TESTS_KMOD_OTHER_PROBE_H
#define SCOPE_TESTS_KMOD_OTHER_PROBE_H

#include <stdbool.h>
#include "client_probe.h"

enum other_owner { OTHER_SAME_SESSION, OTHER_SESSION, OTHER_TRACEFS, OTHER_OWNERS };
extern const char *const other_owners[OTHER_OWNERS];

struct other_probe {
	enum other_owner owner;
	bool returns;
	struct client *client; /* of the first two owners */
	const char *symbol;    /* of the kernel, or NULL: puppet_function() of this program */
	const char *path;      /* of a copy of this program, for the third kind; NULL: the program itself */
	char event[32];	       /* its name there, of the third */
};

/* Both are checked. */
void other_probe_add(struct other_probe *probe);
void other_probe_remove(struct other_probe *probe);
/* The number of hits since it was added. */
uint64_t other_probe_hits(const struct other_probe *probe);
/* True if it is a probe of tracefs that this kernel refuses, because the program is in an overlay. */
bool other_probe_has_overlay_bug(struct other_probe *probe);
/* True if tracefs refuses probes in this copy of the program, because the kernel cannot read it. */
bool other_probe_cannot_read(const char *path);

/* The folder of the kernel's own tracing, which is mounted if it was not; before 4.1 it is a part of debugfs. */
const char *other_probe_tracefs(void);

#endif
