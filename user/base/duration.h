/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads and writes times and sizes with units. */
#ifndef SCOPE_BASE_DURATION_H
#define SCOPE_BASE_DURATION_H

#include <stdint.h>

/* "90", "1.5", "500ms", "50us", "2m", "1h" as ns: above 0, a week at most. 0, or -EINVAL. */
int scope_duration_parse(const char *text, uint64_t *ret_ns);

/* "4096", "512k", "64M", "2G" as bytes, powers of 1024. 0, or -EINVAL. */
int scope_size_parse(const char *text, uint64_t *ret_bytes);

/* Each returns `text`. A value above 0 is never written as 0. */
#define SCOPE_DURATION_TEXT 32
const char *scope_size_write(char text[SCOPE_DURATION_TEXT], uint64_t bytes);  /* "640 bytes", "4.1 kB", "12.0 MB" */
const char *scope_duration_write(char text[SCOPE_DURATION_TEXT], uint64_t ns); /* "2.0 s", "12.4 ms", "40 ns" */

#endif
