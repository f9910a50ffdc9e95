/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the files that one recording makes: BASE-YYYYMMDD-HHMMSS.trace for `-o BASE.trace`, by
 * the local time, with a number appended if two files of one second would have the same name.
 */
#ifndef SCOPE_RECORDER_FILES_H
#define SCOPE_RECORDER_FILES_H

#include <stddef.h>
#include <time.h>

#define SCOPE_RECORDER_SMALL ".small" /* end of the name of a compressed file, until it is complete */

/* Makes a name for which there is no file yet. 0; -ENAMETOOLONG. */
int scope_recorder_files_name(const char *output, time_t now, char *ret_path, size_t size);

/* The form of such names, for messages: "BASE-DATE-TIME.trace". */
void scope_recorder_files_pattern(const char *output, char *ret_text, size_t size);

/*
 * Removes incomplete files with such names, which a killed recorder left. Call it only while no other recorder uses the
 * name.
 */
void scope_recorder_files_clean(const char *output);

/* The latest file with such a name; ret_path has `size` bytes. 0; -ENOENT: there is none; -ENAMETOOLONG. */
int scope_recorder_files_latest(const char *output, char *ret_path, size_t size);

/*
 * Keeps the latest `keep` files with such names, including the one that was just made, and removes the others. With
 * each it removes the files that have its name and an end of `beside` (a list that ends with NULL; NULL: none).
 */
void scope_recorder_files_limit(const char *output, size_t keep, const char *const *beside);

#endif
