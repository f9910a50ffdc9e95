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

/* How such a name looks like, for people: "BASE-DATE-TIME.trace". */
void scope_recorder_files_pattern(const char *output, char *ret_text, size_t size);

/*
 * Removes what a recorder under this name left that was killed while it wrote: incomplete files of these names. Only while no other
 * recorder uses the name.
 */
void scope_recorder_files_clean(const char *output);

/* The latest of the files so named, in a room of `size` bytes. 0; -ENOENT: there is none; -ENAMETOOLONG. */
int scope_recorder_files_latest(const char *output, char *ret_path, size_t size);

/*
 * Of the files so named the latest `keep` stay, including the one that was just made. The others are removed, each
 * with the files whose names are its own and an end of beside (NULL at last; NULL: none).
 */
void scope_recorder_files_limit(const char *output, size_t keep, const char *const *beside);

#endif
