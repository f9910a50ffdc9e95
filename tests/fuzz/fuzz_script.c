// SPDX-License-Identifier: GPL-2.0-only
/* Output of perf script: if it is accepted, the result is an undamaged trace whose events are in order. */
#include "fuzz.h"
#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const struct scope_import_choice choice = { .pid = 10, .comm = bytes % 2 ? "my prog" : NULL };
	struct scope_error error = { "" };
	struct scope_writer *writer;
	int err, fd = fuzz_memory();
	struct scope_import_result result;
	FILE *stream;

	if (!bytes) {
		close(fd);
		return 0;
	}
	stream = fmemopen((void *)data, bytes, "r");
	if (!stream || scope_trace_writer_create_fd(fd, "fuzz", NULL, &writer))
		fuzz_die("no memory");
	err = scope_import_script(stream, "fuzz", &choice, writer, &error, &result);
	fclose(stream);
	fuzz_check_import(err, &error, writer, fd);
	return 0;
}
