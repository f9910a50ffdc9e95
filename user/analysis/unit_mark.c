// SPDX-License-Identifier: GPL-2.0-only
/* Judges a unit of a replay by what is usual in the analysis. */
#include "analysis/unit_mark.h"

#include "unit/histogram.h"

uint8_t scope_analysis_unit_mark(const struct scope_analysis *analysis, const struct scope_unit *unit,
				 const struct scope_unit_call *call)
{
	const struct scope_detection *detection = analysis->detection;
	const struct scope_histograms *histograms = analysis->found.distributions->histograms;
	const struct scope_histogram *histogram =
		unit->histogram == SCOPE_HISTOGRAM_NONE ? NULL : &histograms->histogram[unit->histogram];
	const uint32_t vector = histogram ? scope_unit_histogram_vector(histograms, unit) : unit->vector;
	const struct scope_population *population;
	uint32_t index;
	bool frequent;

	if (vector == SCOPE_HISTOGRAM_NO_VECTOR || !detection->of_vector[unit->group])
		return SCOPE_UNIT_USUAL;
	index = detection->of_vector[unit->group][vector];
	if (index == SCOPE_POPULATION_NONE)
		return SCOPE_UNIT_USUAL;
	population = &detection->population[index];
	if ((double)scope_unit_measure(unit) <= scope_anomaly_population_baseline(population, unit->bytes).usual_ns)
		return SCOPE_UNIT_USUAL;
	frequent = scope_anomaly_population_frequent(
		population, histogram ? scope_unit_histogram_calls(histograms, histogram) : call,
		histogram ? histogram->calls : unit->calls);
	return scope_anomaly_population_judge(population, unit, frequent);
}
