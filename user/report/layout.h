/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The labels and columns of the text report, each of them once. docs/man/scope-report.1 explains all of them, and
 * make docs compares the two.
 */
#ifndef SCOPE_REPORT_LAYOUT_H
#define SCOPE_REPORT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Labels of the first screen. */
#define SCOPE_SCREEN_LABEL_LIST(X)                                                                                     \
	X(LOAD, "Load")                                                                                                \
	X(CHANGED, "Changed")                                                                                          \
	X(HOLDER, "Holder")                                                                                            \
	X(WHERE, "Where")                                                                                              \
	X(SCREEN_BASELINE, "Baseline")                                                                                 \
	X(SCREEN_NORMAL, "Normal")                                                                                     \
	X(SCREEN_SLOW, "Slow")                                                                                         \
	X(EXTENT, "Extent")                                                                                            \
	X(CONFIDENCE, "Confidence")                                                                                    \
	X(ALSO, "Also")                                                                                                \
	X(BOTTLENECK, "Bottleneck")                                                                                    \
	X(UNEVEN, "Uneven")                                                                                            \
	X(USUAL, "Usual")                                                                                              \
	X(NEAREST, "Nearest")                                                                                          \
	X(ITS_WORK, "Its work")                                                                                        \
	X(MISSING, "Missing")                                                                                          \
	X(NEXT, "Next")

/* Labels of a finding's details. Those with an indent belong to the label before them. */
#define SCOPE_DETAIL_LABEL_LIST(X)                                                                                     \
	X(WHO, "who")                                                                                                  \
	X(WHO_WAITS, "who waits")                                                                                      \
	X(OWNER, "owner")                                                                                              \
	X(MIND, "mind")                                                                                                \
	X(ROUNDS, "rounds")                                                                                            \
	X(SOURCE, "source")                                                                                            \
	X(LINES, "lines")                                                                                              \
	X(LOOP, "loop")                                                                                                \
	X(HINT, "hint")                                                                                                \
	X(NO_SYMBOL, "no symbol")                                                                                      \
	X(CALL_PATH, "call path")                                                                                      \
	X(MOST_OF_IT, "most of it")                                                                                    \
	X(KERNEL, "kernel")                                                                                            \
	X(CALLS, "calls")                                                                                              \
	X(OUTSIDE, "outside")                                                                                          \
	X(TIME, "time")                                                                                                \
	X(EVIDENCE, "evidence")                                                                                        \
	X(LOST, "lost")                                                                                                \
	X(IN_KERNEL, "in kernel")                                                                                      \
	X(SYSCALLS, "syscalls")                                                                                        \
	X(DETAIL_BASELINE, "  baseline")                                                                               \
	X(DETAIL_NORMAL, "  normal")

enum scope_report_label {
#define X(name, text) SCOPE_LABEL_##name,
	SCOPE_SCREEN_LABEL_LIST(X) SCOPE_DETAIL_LABEL_LIST(X)
#undef X
		SCOPE_LABELS,
};

/*
 * Columns of the ranking: its name, its head, the head in the table of threads that hang or spin, its width (0: it is the
 * last one), whether its text is at the right edge, and the blanks after it.
 */
#define SCOPE_RANKING_COLUMN_LIST(X)                                                                                   \
	X(NUMBER, "#", "#", 2, false, 1)                                                                               \
	X(FUNCTION, "function", "function", 30, false, 1)                                                              \
	X(MODULE, "module", "module", 12, false, 1)                                                                    \
	X(EXTRA, "extra", "extra", 5, true, 1)                                                                         \
	X(KIND, "kind", "kind", 12, false, 1)                                                                          \
	X(COUNT, "slow", "threads", 7, true, 2)                                                                        \
	X(TIMES, "normal → slow", "how long", 17, false, 1)                                                            \
	X(SURE, "confidence", "confidence", 0, false, 0)

enum scope_ranking_column {
#define X(name, head, stuck, width, right, gap) SCOPE_RANKING_##name,
	SCOPE_RANKING_COLUMN_LIST(X)
#undef X
		SCOPE_RANKING_COLUMNS,
};

/*
 * Columns of the table of times: the head, and the states that are added up: bits of enum scope_wait_class, and these
 * two.
 */
#define SCOPE_TIMES_RUN (1u << 30)
#define SCOPE_TIMES_QUEUE (1u << 31)

#define SCOPE_TIMES_COLUMN_LIST(X)                                                                                     \
	X("run", SCOPE_TIMES_RUN)                                                                                      \
	X("queue", SCOPE_TIMES_QUEUE)                                                                                  \
	X("futex", 1u << SCOPE_WAIT_FUTEX)                                                                             \
	X("net", 1u << SCOPE_WAIT_NETWORK)                                                                             \
	X("epoll", 1u << SCOPE_WAIT_POLL)                                                                              \
	X("disk", 1u << SCOPE_WAIT_DISK)                                                                               \
	X("pipe", 1u << SCOPE_WAIT_PIPE)                                                                               \
	X("timer", 1u << SCOPE_WAIT_TIMER)                                                                             \
	X("other", 1u << SCOPE_WAIT_CHILD | 1u << SCOPE_WAIT_FAULT | 1u << SCOPE_WAIT_OTHER)
#define SCOPE_TIMES_COLUMNS 9
#define SCOPE_TIMES_REST "unexplained" /* the column after them */

struct scope_times_column {
	const char *head;
	uint32_t parts;
};

extern const char *const scope_report_label_text[SCOPE_LABELS];
extern const struct scope_times_column scope_report_times_column[SCOPE_TIMES_COLUMNS];

/* Prints a text in the form of its column, with the blanks after it; the line ends after the last column. */
void scope_report_ranking_cell(enum scope_ranking_column column, const char *text, FILE *out);

/* Prints the line of heads. stuck: what hangs or spins, as "threads"; NULL: units are slow. */
void scope_report_ranking_heads(const char *stuck, FILE *out);

/* The width of a column. */
unsigned scope_report_ranking_width(enum scope_ranking_column column);

#endif
