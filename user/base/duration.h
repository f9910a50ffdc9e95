/* SPDX-License-Identifier: GPL-2.0-only */
/* Times and sizes as people write them. */
#ifndef SCOPE_BASE_DURATION_H
#define SCOPE_BASE_DURATION_H

#include <stdint.h>

/* "90", "1.5", "500ms", "50us", "2m", "1h" as ns: above 0, a week at most. 0, or -EINVAL. */
int scope_duration_parse(const char *text, uint64_t *ret_ns);

/* "4096", "512k", "64M", "2G" as bytes, powers of 1024. 0, or -EINVAL. */
int scope_size_parse(const char *text, uint64_t *ret_bytes);

#endif
