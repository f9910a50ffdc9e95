/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A summary as bytes, and back: the payload of a frame of a summary file (fleet/summary_file.h), not compressed.
 *
 * docs/fleet.md has the fields in their order. All numbers are LEB128. A later format may add bytes at the end, which
 * an older reader ignores.
 */
#ifndef SCOPE_FLEET_CODEC_H
#define SCOPE_FLEET_CODEC_H

#include "fleet/host_summary.h"

/* *ret_bytes is malloc'd. 0 or -ENOMEM. */
int scope_fleet_codec_write(const struct scope_fleet_summary *summary, uint8_t **ret_bytes, size_t *ret_count);
/* 0; -EBADMSG: it is no summary; -ENOMEM. The result is consistent: all numbers of kinds and functions exist. */
int scope_fleet_codec_read(const uint8_t *bytes, size_t count, struct scope_fleet_summary **ret_summary);

#endif
