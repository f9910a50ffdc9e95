// SPDX-License-Identifier: GPL-2.0-only
/* Profiles of Coz: a profile that is accepted gives a result that can be printed in every form, and written again. */
#include "fuzz.h"

#include "causal/coz.h"
#include "report/delay_report.h"

static void check_result(const struct scope_causal_result *result)
{
	FILE *out = fopen("/dev/null", "w");

	if (!out)
		fuzz_die("cannot open /dev/null");
	scope_report_delay_text(result, false, out);
	scope_report_delay_json(result, out);
	scope_report_delay_svg(result, out);
	scope_causal_coz_write(result, false, out);
	fclose(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct scope_coz_profile profile;
	struct scope_causal_result result;
	FILE *in = bytes ? fmemopen((void *)data, bytes, "r") : NULL;
	int code;

	if (!in)
		return 0;
	code = scope_causal_coz_read(in, NULL, NULL, &profile);
	fclose(in);
	if (code)
		return 0;
	result = (struct scope_causal_result){
		.kind = SCOPE_CAUSAL_SPEEDUP,
		.program = "",
		.kernel = "",
		.progress = profile.point,
		.site = (const char *const *)profile.site,
		.sites = profile.sites,
		.experiment = profile.experiment,
		.count = profile.count,
		.planned = profile.count,
		.ended = "",
	};
	if (!scope_causal_result_compute(&result)) {
		check_result(&result);
		scope_causal_result_free(&result);
	}
	scope_causal_coz_free(&profile);
	return 0;
}
