/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the sentences of a watch about a finding. All times are CLOCK_MONOTONIC, in ns. */
#ifndef SCOPE_WATCH_WORDS_H
#define SCOPE_WATCH_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "watch/seen.h"

#define SCOPE_WATCH_WORDS 640 /* bytes of a text */
#define SCOPE_WATCH_DATE 40

/* A time as UTC, in RFC 3339. */
void scope_watch_words_date(uint64_t at_ns, char ret_date[SCOPE_WATCH_DATE]);

/* For an incident: the finding, since when it exists, and how often it was held back before. */
void scope_watch_words_incident(const struct scope_watch_next *next, uint64_t now_ns, char ret_text[SCOPE_WATCH_WORDS]);

/* For a finding that has to wait: for how long, and why. */
void scope_watch_words_held(const struct scope_watch_next *next, uint64_t now_ns, char ret_text[SCOPE_WATCH_WORDS]);

#endif
