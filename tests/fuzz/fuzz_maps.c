// SPDX-License-Identifier: GPL-2.0-only
/* Text like that of /proc/PID/maps. */
#include "fuzz.h"
#include "proc/maps_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);
	struct scope_proc_line *line;
	size_t count;

	if (!text)
		fuzz_die("no memory");
	memcpy(text, data, bytes);
	text[bytes] = '\0';
	if (scope_proc_maps_parse(text, &line, &count))
		fuzz_die("no memory");
	for (size_t i = 0; i < count; i++)
		if (line[i].map.path < text && *line[i].map.path)
			fuzz_die("a path outside the text");
	free(line);
	free(text);
	return 0;
}
