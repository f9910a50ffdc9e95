// SPDX-License-Identifier: GPL-2.0-only
/* Long stalls in words: how many, how long, when. */
#include "report/freezes.h"

#include <stdio.h>
#include <string.h>

#include "report/numbers.h"

#define STALLS_MAX 4	 /* no rule: further ones are not listed */
#define SOON_NS 50000000 /* a stall that begins before this time is at the start */

const char *scope_report_freezes_name(struct scope_freezes_text *buffer, const struct scope_analysis *analysis)
{
	const struct scope_freezes *freezes = &analysis->freezes;
	const uint64_t begin_ns = analysis->units->timeline->begin_ns;
	struct scope_text count, length, at;
	size_t used = (size_t)snprintf(buffer->text, sizeof(buffer->text),
				       "%s stall%s:", scope_report_format_count(&count, freezes->count),
				       freezes->count == 1 ? "" : "s");

	for (size_t i = 0; i < freezes->count && i < STALLS_MAX; i++) {
		const struct scope_freeze *freeze = &freezes->freeze[i];

		used += (size_t)snprintf(buffer->text + used, sizeof(buffer->text) - used, "%s %s %s%s", i ? "," : "",
					 scope_report_format_ns(&length, (double)(freeze->end_ns - freeze->begin_ns)),
					 freeze->begin_ns < begin_ns + SOON_NS ? "at the start" : "at ",
					 freeze->begin_ns < begin_ns + SOON_NS
						 ? ""
						 : scope_report_format_ns(&at, (double)(freeze->begin_ns - begin_ns)));
	}
	snprintf(buffer->text + used, sizeof(buffer->text) - used, "%s; about %s requests waited.",
		 freezes->count > STALLS_MAX ? ", and so on" : "",
		 scope_report_format_count(&count, (uint64_t)(freezes->kept + 0.5)));
	return buffer->text;
}
