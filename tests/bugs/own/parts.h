/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the work that keep something between requests: cache, lists, log, backend. */
#ifndef PARTS_H
#define PARTS_H

#include "work.h"

struct page {
	bool found;
	char *body; /* the caller's to free */
	size_t bytes;
};

void parts_begin(const struct options *options);

void get_page(const struct conn *conn, struct page *ret_page);
void check_rate(const char *path);
void append_history(const char *path);
void append_journal(const char *path);
void ask_backend(const char *path);
void wait_status(void);
void log_access(const struct conn *conn, const struct page *page);

bool is_long(const char *path);
bool is_missing(const char *path);

#endif
