/* SPDX-License-Identifier: GPL-2.0-only */
/* Small reads below /proc: whole files as text, and the numbers in the names of a directory. */
#ifndef SCOPE_PROC_FILE_H
#define SCOPE_PROC_FILE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Reads a whole file, whose path is made from format. *ret_text ends with a zero byte; the caller
 * frees it. 0 or -errno; -EFBIG above 256 MiB.
 */
__attribute__((format(printf, 2, 3))) int scope_proc_file_read(char **ret_text, const char *format, ...);

/* The same for a file that contains zero bytes: *ret_bytes does not count the one at the end. */
__attribute__((format(printf, 3, 4))) int scope_proc_file_read_bytes(char **ret_text, size_t *ret_bytes,
								     const char *format, ...);

/* The decimal number at the beginning of a file; `otherwise` if the file cannot be read. */
long scope_proc_file_number(const char *path, long otherwise);

/*
 * Calls each() for every decimal number among the names in the directory, in ascending order. If each() returns another
 * value than 0, the walk ends and returns it. Else returns 0 or -errno.
 */
int scope_proc_file_numbers(const char *directory, int (*each)(uint32_t number, void *context), void *context);

/*
 * Finds the line that starts with key (colon included) in a "Key:\tvalue" file such as /proc/PID/status. Points after
 * the key and its blanks; NULL if there is no such line. The value ends at a new line.
 */
const char *scope_proc_file_field(const char *text, const char *key);

#endif
