/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of block devices; NULL if the kernel's tracepoints are not known. */
#ifndef SCOPE_KMOD_PROBE_BLOCK_H
#define SCOPE_KMOD_PROBE_BLOCK_H

#include <linux/types.h>

extern void *const scope_block_insert_probe, *const scope_block_issue_probe;
extern void *const scope_block_done_probe;
extern const size_t scope_block_bytes; /* of session->block, zeroed */

#endif
