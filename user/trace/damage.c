// SPDX-License-Identifier: GPL-2.0-only
/* Describes in sentences which parts of a trace file could not be read. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/trace_internal.h"

__attribute__((format(printf, 2, 3))) static void add(struct scope_damage *damage, const char *format, ...)
{
	size_t used = strlen(damage->text);
	va_list arguments;

	va_start(arguments, format);
	if (used && used + 2 < sizeof(damage->text)) {
		memcpy(damage->text + used, "; ", 3);
		used += 2;
	}
	vsnprintf(damage->text + used, sizeof(damage->text) - used, format, arguments);
	va_end(arguments);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

void scope_trace_damage_update(struct scope_damage *damage)
{
	damage->text[0] = '\0';
	if (damage->cut)
		add(damage,
		    "the file ends inside a frame that starts at byte %llu: the capture or a copy "
		    "was cut off, and what came from there on is missing",
		    (unsigned long long)damage->end);
	else if (damage->no_end)
		add(damage,
		    "the file stops at byte %llu without an END frame: the capture or a copy was "
		    "cut off, and its last part is missing",
		    (unsigned long long)damage->end);
	if (damage->frames)
		add(damage,
		    "%llu damaged frame%s skipped, the first at byte %llu: copy the file "
		    "again, or record again",
		    (unsigned long long)damage->frames, damage->frames == 1 ? " was" : "s were",
		    (unsigned long long)damage->first_frame);
	if (damage->missing)
		add(damage, "%llu frame%s that the END frame counts %s not there", (unsigned long long)damage->missing,
		    plural(damage->missing), damage->missing == 1 ? "is" : "are");
	if (damage->subbufs)
		add(damage,
		    "%llu sub-buffer%s could not be read to the end, the first of CPU %u at byte "
		    "%llu: %s",
		    (unsigned long long)damage->subbufs, plural(damage->subbufs), damage->why_cpu,
		    (unsigned long long)damage->first_subbuf, damage->why);
	if (damage->after_end)
		add(damage, "%llu byte%s after the END frame left unread", (unsigned long long)damage->after_end,
		    damage->after_end == 1 ? " was" : "s were");
}

const char *scope_trace_damage(const struct scope_trace *trace)
{
	return trace->damage.text;
}
