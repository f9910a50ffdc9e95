// SPDX-License-Identifier: GPL-2.0-only
/* Describes a spin that makes calls: which calls, their results, and their rate. */
#include "report/rounds.h"

#include <stdio.h>
#include <string.h>

#include "base/syscall_name.h"
#include "report/numbers.h"
#include "report/object.h"

static double length_s(const struct scope_spin *spin)
{
	return (double)(spin->until_ns - spin->from_ns) / 1e9;
}

double scope_report_rounds_per_s(const struct scope_spin *spin)
{
	return length_s(spin) > 0 ? (double)spin->rounds / length_s(spin) : 0;
}

double scope_report_rounds_cpu_share(const struct scope_spin *spin)
{
	return length_s(spin) > 0 ? (double)spin->busy_ns / 1e9 / length_s(spin) : 0;
}

static const char *name_of(uint16_t nr)
{
	const char *name = scope_syscall_name(nr);

	return name ? name : "an unknown call";
}

const char *scope_report_rounds_name(struct scope_rounds_text *buffer, const struct scope_analysis *analysis,
				     const struct scope_finding *finding)
{
	const struct scope_spin *spin = finding->hang.rounds;
	const uint32_t tgid = scope_timeline_threads_at(analysis->units->timeline->threads, finding->hang.thread)->tgid;
	struct scope_object_text object = { "" };
	struct scope_text rate;
	char call[256] = "", result[64] = "";

	if (spin->nr != SCOPE_NR_NONE) {
		if (spin->fd >= 0)
			scope_report_object_name(&object, analysis, tgid, spin->nr, (uint64_t)spin->fd);
		snprintf(call, sizeof(call), "%s(%s)", name_of(spin->nr), object.text);
		if (spin->ret < 0)
			snprintf(result, sizeof(result), " fails: %s", strerror(-spin->ret));
		else
			snprintf(result, sizeof(result), " returns 0");
	} else {
		snprintf(result, sizeof(result), " returns at once, and nothing comes of it");
	}
	snprintf(buffer->text, sizeof(buffer->text), "%s%s%s%s; %s rounds a second, %.0f %% of a CPU",
		 spin->poll_nr != SCOPE_NR_NONE ? name_of(spin->poll_nr) : "",
		 spin->poll_nr != SCOPE_NR_NONE && call[0] ? ", " : "", call, result,
		 scope_report_format_count(&rate, (uint64_t)scope_report_rounds_per_s(spin)),
		 100 * scope_report_rounds_cpu_share(spin));
	return buffer->text;
}
