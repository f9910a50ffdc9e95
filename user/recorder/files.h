/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the files that one recording makes: BASE-YYYYMMDD-HHMMSS.trace for `-o BASE.trace`, by
 * the local time, with a number appended if two files of one second would have the same name.
 */
#ifndef SCOPE_RECORDER_FILES_H
#define SCOPE_RECORDER_FILES_H

#include <stddef.h>
#include <time.h>

/* Makes a name for which there is no file yet. 0; -ENAMETOOLONG. */
int scope_recorder_files_name(const char *output, time_t now, char *ret_path, size_t size);

/* The latest of the files so named, in a room of `size` bytes. 0; -ENOENT: there is none; -ENAMETOOLONG. */
int scope_recorder_files_latest(const char *output, char *ret_path, size_t size);

/*
 * Of the files so named the latest `keep` stay, including the one that was just made. The others are removed, each
 * with the files whose names are its own and an end of beside (NULL at last; NULL: none).
 */
void scope_recorder_files_limit(const char *output, size_t keep, const char *const *beside);

#endif
