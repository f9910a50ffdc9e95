// SPDX-License-Identifier: GPL-2.0-only
/* Reads lines of the source files that debug information names. */
#include "symbol/source_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/plain.h"
#include "proc/reader.h"
#include "symbol/space.h"

#define TAB 8

static const char *why_not_open(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
		return SCOPE_SOURCE_ABSENT;
	case -ELOOP:
	case -ENOEXEC:
		return "the source's name leads to no regular file";
	case -EACCES:
	case -EPERM:
		return "the source may not be read";
	default:
		return "the source cannot be opened";
	}
}

/* Returns the reason why a file's text may not be shown, or NULL. */
static const char *why_not_show(int fd, const struct scope_proc_found *found, uint64_t before_ns)
{
	struct stat status;

	if (found->copied)
		return "the source is on a file system that may not answer";
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return "the source's name leads to no regular file";
	if (!(status.st_mode & S_IROTH))
		return "not everybody may read the source";
	if (status.st_size > SCOPE_SOURCE_BYTES_MAX)
		return "the source is too large";
	if ((uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec > before_ns)
		return "the source was changed after the trace was taken";
	return NULL;
}

/* Copies a line for display: tabs become blanks, and the end of the line is removed. NULL: no memory. */
static char *show(const char *line)
{
	char blank[SCOPE_SOURCE_TEXT_BYTES], plain[SCOPE_SOURCE_TEXT_BYTES];
	size_t used = 0;

	for (; *line && *line != '\n' && *line != '\r' && used + TAB < sizeof(blank); line++) {
		if (*line != '\t')
			blank[used++] = *line;
		else
			do
				blank[used++] = ' ';
			while (used % TAB);
	}
	scope_plain_put(plain, sizeof(plain), blank, used, SCOPE_PLAIN_SENTENCE);
	return strdup(plain);
}

/* Reads the wanted lines. *ret_any: at least one exists. 0, -ENOMEM. */
static int read_lines(FILE *file, struct scope_source_text *want, size_t count, bool *ret_any)
{
	char *line = NULL;
	size_t room = 0;
	int number = 0, err = 0;

	*ret_any = false;
	while (!err && getline(&line, &room, file) >= 0) {
		number++;
		for (size_t i = 0; i < count && !err; i++) {
			if (want[i].line != number || want[i].text)
				continue;
			want[i].text = show(line);
			*ret_any = true;
			err = want[i].text ? 0 : -ENOMEM;
		}
	}
	free(line);
	return err;
}

int scope_symbols_source_read(struct scope_symbols *symbols, const char *path, uint64_t before_ns,
			      struct scope_source_text *line, size_t count, const char **ret_why)
{
	const struct scope_symbol_options *options = &scope_symbols_spaces(symbols)->options;
	struct scope_proc_found found = { .copied = false };
	FILE *file;
	bool any = false;
	int fd, err;

	*ret_why = "the source's name is not absolute";
	if (*path != '/')
		return 0;
	*ret_why = "the trace does not say when it was taken, so the source may have changed";
	if (!before_ns)
		return 0;
	fd = scope_proc_reader_open_itself(options->reader, scope_symbol_root(options), path, &found);
	*ret_why = fd < 0 ? why_not_open(fd) : why_not_show(fd, &found, before_ns);
	if (fd < 0)
		return 0;
	file = *ret_why ? NULL : fdopen(fd, "r");
	if (!file) {
		close(fd);
		return 0;
	}
	err = read_lines(file, line, count, &any);
	fclose(file);
	if (!any)
		*ret_why = "the source is shorter than the line number";
	return err;
}
