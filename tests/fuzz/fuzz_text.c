// SPDX-License-Identifier: GPL-2.0-only
/* The text form of traces: a text that is accepted gives the same trace after it is printed and read again. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	int fd;

	if (bytes && !fuzz_trace_of_text((const char *)data, bytes, 0, &fd))
		fuzz_check_trace(fd);
	return 0;
}
