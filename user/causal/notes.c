// SPDX-License-Identifier: GPL-2.0-only
/* Describes an effect, and the reasons to doubt it, in sentences. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include <scope/control.h>

#include "causal/result.h"

__attribute__((format(printf, 2, 3))) static void add(struct scope_notes *notes, const char *format, ...)
{
	va_list arguments;

	if (notes->count == SCOPE_NOTES_MAX)
		return;
	va_start(arguments, format);
	vsnprintf(notes->text[notes->count++], sizeof(notes->text[0]), format, arguments);
	va_end(arguments);
}

/* Rounds up to a value with few digits. */
static double round_up_s(double seconds)
{
	const double step = seconds < 0.5 ? 0.05 : seconds < 10 ? 0.5 : 1;

	return ceil(seconds / step) * step;
}

/* The length of experiments, s, that is enough at this rate of visits. */
static double length_for(uint64_t visits, uint64_t ns)
{
	return round_up_s((double)ns / 1e9 * SCOPE_EFFECT_VISITS_SAFE / (double)visits);
}

static void note_few(const struct scope_effect *effect, struct scope_notes *notes)
{
	if (!effect->dropped_few)
		return;
	if (effect->few_progress)
		add(notes,
		    "%zu experiments saw the progress point fewer than %d times and do not count: "
		    "--length %g would have sufficed, or more load",
		    effect->dropped_few, SCOPE_CAUSAL_VISITS_MIN, length_for(effect->few_progress, effect->few_ns));
	else
		add(notes,
		    "%zu experiments, %.1f s, did not see the progress point once and do not count: how "
		    "long would have sufficed is not known",
		    effect->dropped_few, (double)effect->few_ns / 1e9);
}

static void note_site(const struct scope_effect *effect, struct scope_notes *notes)
{
	if (effect->n && !effect->visits && effect->kind == SCOPE_CAUSAL_SPEEDUP)
		add(notes, "no sample found a thread running there: the slope says nothing about it; what waits "
			   "is made faster by its call, --site syscall:NAME");
	else if (effect->n && !effect->visits)
		add(notes, "no thread came to the site: the slope says nothing about it");
	else if (effect->n && effect->visits < SCOPE_CAUSAL_VISITS_MIN * effect->n)
		add(notes,
		    "the site was visited %" PRIu64 " times in %zu experiments: --length %g would have "
		    "sufficed",
		    effect->visits, effect->n, length_for(effect->visits, effect->elapsed_ns));
}

static void note_basis(const struct scope_effect *effect, struct scope_notes *notes)
{
	if (!effect->n && !effect->dropped_few && !effect->dropped_far)
		add(notes, "no experiment was finished: nothing can be said");
	else if (!effect->n)
		add(notes, "no experiment counts: nothing can be said");
	else if (!effect->known && effect->n < SCOPE_FIT_POINTS_MIN)
		add(notes,
		    "%zu experiments count, %d are needed, so about %.0f s in all: nothing can be said; "
		    "raise --repeats",
		    effect->n, SCOPE_FIT_POINTS_MIN,
		    ceil((double)effect->elapsed_ns / 1e9 * SCOPE_FIT_POINTS_MIN / (double)effect->n));
	else if (!effect->known && effect->visits && (effect->served || effect->kind == SCOPE_CAUSAL_SPEEDUP))
		add(notes, "the experiments that count are all of one kind, with a delay or without: nothing can "
			   "be said; raise --repeats");
	note_few(effect, notes);
	if (effect->dropped_far)
		add(notes, "%zu experiments changed the program's speed by more than %d times and do not count",
		    effect->dropped_far, SCOPE_EFFECT_FAR);
	note_site(effect, notes);
}

static void note_interval(const struct scope_effect *effect, struct scope_notes *notes)
{
	const struct scope_interval *drift = &effect->drift_95;

	if (effect->verdict == SCOPE_EFFECT_IS_UNDECIDED)
		add(notes,
		    "the interval is too wide to distinguish an effect from none: about %.0f s of experiments "
		    "would have sufficed, instead of %.0f s",
		    ceil(effect->enough_s), (double)effect->elapsed_ns / 1e9);
	if (effect->drift_known && fabs(effect->drift) > SCOPE_EFFECT_DRIFT && (drift->low > 0 || drift->high < 0))
		add(notes,
		    "without delays the program became %.0f %% %s from the first experiment to the last "
		    "(95 %%: %+.0f to %+.0f %%): the load changed during them; the random order keeps the "
		    "slope fair, its interval is wider for it; in %.1f s it would have changed by no more "
		    "than %.0f %%",
		    fabs(effect->drift) * 100, effect->drift > 0 ? "slower" : "faster", drift->low * 100,
		    drift->high * 100, (double)effect->elapsed_ns / 1e9 * SCOPE_EFFECT_DRIFT / fabs(effect->drift),
		    SCOPE_EFFECT_DRIFT * 100);
}

/* Writes the time in which all chosen delays would have been served; "" if none was served. */
static const char *make_up(const struct scope_effect *effect, double chosen, char *ret_text, size_t bytes)
{
	if (!effect->served)
		return "";
	snprintf(ret_text, bytes, "; %.0f s of experiments would have served as many",
		 ceil((double)effect->elapsed_ns / 1e9 * chosen / (double)effect->served));
	return ret_text;
}

/* Delays that a limit shortened count as served; cancelled ones do not. */
static void note_caps(const struct scope_effect *effect, struct scope_notes *notes)
{
	const double met = (double)effect->capped;

	if (met <= SCOPE_EFFECT_UNSERVED * (double)(effect->served + effect->missed))
		return;
	if (effect->wanted_ns > SCOPE_DELAY_SECOND_MAX_NS_MAX)
		add(notes,
		    "%" PRIu64 " delays met the limit of all threads in a second: shorter ones fit; for "
		    "these it would have to be %g s, and 100 is the most",
		    effect->capped, round_up_s(effect->wanted_ns / 1e9));
	else if (effect->wanted_ns > 0)
		add(notes,
		    "%" PRIu64 " delays met the limit of all threads in a second: shorter ones fit, or "
		    "--max-delay %g for these",
		    effect->capped, round_up_s(effect->wanted_ns / 1e9));
	else
		add(notes,
		    "%" PRIu64 " delays met the limit of all threads in a second: smaller speedups fit, or "
		    "a larger --max-delay",
		    effect->capped);
}

static void note_service(const struct scope_effect *effect, struct scope_notes *notes)
{
	/* Visits in experiments without a delay are not counted. */
	const double chosen = (double)(effect->served + effect->missed);
	char text[80];

	if (chosen > 0 && (double)effect->missed > SCOPE_EFFECT_UNSERVED * chosen)
		add(notes,
		    "%" PRIu64 " of %.0f delays could not be served (in an interrupt, or no place to "
		    "remember them): the slope counts those that were%s",
		    effect->missed, chosen, make_up(effect, chosen, text, sizeof(text)));
	note_caps(effect, notes);
	if ((double)effect->unsettled_ns > SCOPE_EFFECT_UNSERVED * (double)effect->elapsed_ns)
		add(notes,
		    "threads woke others %.1f ms too early in each second: they can pay only as they go "
		    "back to user mode; the effect may be larger than it looks",
		    (double)effect->unsettled_ns / (double)effect->elapsed_ns * 1e3);
	if (effect->lost)
		add(notes,
		    "%" PRIu64 " events were lost: progress was more than was counted; take a progress "
		    "point that is visited less often",
		    effect->lost);
}

void scope_causal_effect_notes(const struct scope_effect *effect, struct scope_notes *ret_notes)
{
	ret_notes->count = 0;
	note_basis(effect, ret_notes);
	note_interval(effect, ret_notes);
	note_service(effect, ret_notes);
}

static void mean_delay(const struct scope_effect *effect, char *ret_text, size_t bytes)
{
	const double slope = effect->fit.slope;

	switch (effect->verdict) {
	case SCOPE_EFFECT_IS_STRONG:
		if (effect->fit.slope_95.low > 1.05)
			snprintf(ret_text, bytes,
				 "each ns here costs the program %.1f: others wait for it as "
				 "well",
				 slope);
		else
			snprintf(ret_text, bytes,
				 "%.0f %% of each delay here comes through: it is on the "
				 "critical path, and time saved here is saved for all",
				 fmin(slope, 1) * 100);
		break;
	case SCOPE_EFFECT_IS_MODERATE:
		snprintf(ret_text, bytes,
			 "%.0f %% of each delay here comes through; the rest is waited for "
			 "anyway, or shared by about %.0f threads",
			 slope * 100, fmax(2, 1 / slope));
		break;
	case SCOPE_EFFECT_IS_CONTENTION:
		snprintf(ret_text, bytes,
			 "the program goes faster when this is slower: contention, making it "
			 "faster hurts");
		break;
	default:
		snprintf(ret_text, bytes,
			 "delays here do not come through: the program waits for something "
			 "else");
	}
}

static void mean_speedup(const struct scope_effect *effect, char *ret_text, size_t bytes)
{
	switch (effect->verdict) {
	case SCOPE_EFFECT_IS_STRONG:
	case SCOPE_EFFECT_IS_MODERATE:
		snprintf(ret_text, bytes, "made twice as fast, it would make the program about %.0f %% faster",
			 effect->fit.slope * 50);
		break;
	case SCOPE_EFFECT_IS_CONTENTION:
		snprintf(ret_text, bytes, "made faster, it slows the program: contention");
		break;
	default:
		snprintf(ret_text, bytes, "made faster, it changes nothing");
	}
}

void scope_causal_effect_meaning(const struct scope_effect *effect, char *ret_text, size_t bytes)
{
	if (effect->verdict == SCOPE_EFFECT_IS_UNKNOWN)
		snprintf(ret_text, bytes, "too little was measured to say anything");
	else if (effect->verdict == SCOPE_EFFECT_IS_UNDECIDED)
		snprintf(ret_text, bytes, "between %.2f and %.2f: cannot be distinguished from no effect",
			 effect->fit.slope_95.low, effect->fit.slope_95.high);
	else if (effect->kind == SCOPE_CAUSAL_SENSITIVITY)
		mean_delay(effect, ret_text, bytes);
	else
		mean_speedup(effect, ret_text, bytes);
}
