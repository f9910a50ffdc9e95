// SPDX-License-Identifier: GPL-2.0-only
/* A sub-buffer in columns, and back: what can be read must be the same once written again. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "trace/columns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct scope_columns columns;
	uint8_t *subbuf, *split, *again;

	bytes &= ~(size_t)7;
	/* Of the exact size, so that a sanitizer sees what goes beyond. */
	subbuf = malloc(bytes + !bytes);
	split = malloc(bytes + !bytes);
	again = malloc(bytes + !bytes);
	if (!subbuf || !split || !again)
		fuzz_die("no memory");
	if (bytes && !scope_columns_join(data, bytes, subbuf)) {
		((struct scope_subbuf *)subbuf)->used_bytes = bytes;
		if (!scope_columns_split((const void *)subbuf, split, &columns) &&
		    (scope_columns_join(split, bytes, again) || memcmp(again, subbuf, bytes)))
			fuzz_die("another sub-buffer came back");
	}
	free(subbuf);
	free(split);
	free(again);
	return 0;
}
