// SPDX-License-Identifier: GPL-2.0-only
/* The table of formats, and the files they go to. */
#include "export/export.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct scope_export_format scope_export_formats[] = {
	{ "ctf", "Common Trace Format, a directory: babeltrace2, Trace Compass", true, true,
	  scope_export_ctf },
	{ "perfetto", "Perfetto trace: threads, calls and wakers in ui.perfetto.dev", false, true,
	  scope_export_perfetto },
	{ "folded", "stacks of running threads, a line each with the samples: flame graphs", false,
	  false, scope_export_folded },
	{ "folded-off", "stacks of sleeping threads, a line each with microseconds", false, false,
	  scope_export_folded_off },
	{ "folded-probe", "stacks at probes, a line each with the visits", false, false,
	  scope_export_folded_probe },
	{ "sqlite", "a database: threads, calls, waits, stacks, probes, delays", false, true, scope_export_sqlite },
	{ "script", "text as perf script prints it, for what reads that", false, false,
	  scope_export_script },
	{ 0 },
};

const struct scope_export_format *scope_export_find(const char *name)
{
	for (const struct scope_export_format *row = scope_export_formats; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

int scope_export_open(const char *path, struct scope_error *error, FILE **ret_stream)
{
	FILE *stream = path ? fopen(path, "we") : stdout;

	if (!stream)
		return scope_error_set(error, -errno, "%s cannot be written: %s; name another place "
				       "with -o", path, strerror(errno));
	*ret_stream = stream;
	return 0;
}

int scope_export_close(FILE *stream, const char *path, int err, struct scope_error *error)
{
	struct stat status = { 0 };
	int code = 0;

	fstat(fileno(stream), &status);
	errno = 0;
	if (fflush(stream) || ferror(stream))
		code = errno ? -errno : -EIO;
	if (stream != stdout && fclose(stream) && !code)
		code = -errno;
	if (code && !err)
		err = scope_error_set(error, code, "%s cannot be written: %s; free some room, or name "
				      "another place with -o", path ? path : "standard output",
				      strerror(-code));
	/* Half an export looks like a whole one. */
	if (err && path && S_ISREG(status.st_mode))
		unlink(path);
	return err;
}
