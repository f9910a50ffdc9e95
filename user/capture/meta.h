/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the metadata of a capture. */
#ifndef SCOPE_CAPTURE_META_H
#define SCOPE_CAPTURE_META_H

#include "capture/capture.h"

/* Writes what is known when tracing begins, so that a file that is cut off has it, too. 0 or -errno. */
int scope_capture_first_meta(struct scope_writer *writer, const struct scope_capture_options *options,
			     const struct scope_capture_stats *stats);

/* Writes what is known at the end. 0 or -errno. */
int scope_capture_last_meta(struct scope_writer *writer, const struct scope_capture_stats *stats);

#endif
