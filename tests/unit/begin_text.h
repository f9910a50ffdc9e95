/* SPDX-License-Identifier: GPL-2.0-only */
/* The head of a trace in the text form: one thread, and the descriptors of a server. */
#ifndef SCOPE_TESTS_UNIT_BEGIN_TEXT_H
#define SCOPE_TESTS_UNIT_BEGIN_TEXT_H

#include <stdio.h>

/* More is printed to the stream that is returned. *text is complete when that is closed, and belongs to the caller. */
static inline FILE *begin_text(char **text)
{
	static size_t size;
	FILE *to = open_memstream(text, &size);

	assert_non_null(to);
	fprintf(to, "meta begin_ns 1\nfd 1 5 epoll -\nfd 1 7 accepted -\nfd 1 9 pipe -\n"
		    "1 0 fork 10 parent=1 tgid=1 comm=worker\n"
		    "1 0 switch 0 10 sleeping\n");
	return to;
}

#endif
