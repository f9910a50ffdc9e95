// SPDX-License-Identifier: GPL-2.0-only
/* Output of perf script: what is taken is a trace whose events are in order and undamaged. */
#include "fuzz.h"
#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct scope_import_choice choice = { .pid = 10, .comm = bytes % 2 ? "my prog" : NULL };
	struct scope_error error = { "" };
	struct scope_writer *writer;
	struct scope_trace *trace;
	int code, fd = fuzz_memory();
	struct scope_import_result result;
	FILE *stream;

	if (!bytes) {
		close(fd);
		return 0;
	}
	stream = fmemopen((void *)data, bytes, "r");
	if (!stream || scope_trace_writer_create_fd(fd, "fuzz", NULL, &writer))
		fuzz_die("no memory");
	code = scope_import_script(stream, "fuzz", &choice, writer, &error, &result);
	if (code && !error.text[0])
		fuzz_die("refused without a word");
	if (!code && scope_trace_writer_finish(writer, NULL))
		fuzz_die("cannot finish");
	scope_trace_writer_destroy(writer);
	fclose(stream);
	if (!code) {
		trace = fuzz_read(fd);
		if (!trace || *scope_trace_damage(trace))
			fuzz_die("what was imported is no whole trace");
		scope_trace_close(trace);
	}
	close(fd);
	return 0;
}
