// SPDX-License-Identifier: GPL-2.0-only
/* The waits of hosts for one another, as text and as JSON. */
#include "fleet/links_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/numbers.h"

#define SCREEN_LINKS 5	   /* no rule */
#define SCREEN_WAITERS 4   /* no rule */
#define SCREEN_FUNCTIONS 3 /* no rule */
#define SHARE_MIN 0.05	   /* of what all clients lost: a link with less is not shown */

static const char *host_of(const struct scope_fleet_facts *facts, uint32_t member)
{
	return scope_fleet_facts_text(facts, facts->member[member].host);
}

static double all_of(const struct scope_fleet_links *links)
{
	double all_us = 0;

	for (unsigned i = 0; i < SCOPE_FLEET_MATCHINGS; i++)
		all_us += links->excess_us[i];
	return all_us;
}

double *scope_fleet_links_waiting(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank)
{
	const struct scope_fleet_links *links = ranking->links;
	double *us = calloc(ranking->facts->members + 1, sizeof(*us));

	for (size_t i = 0; us && i < links->matches; i++) {
		const struct scope_fleet_match *match = &links->match[i];

		for (size_t k = 0; k < match->passes; k++)
			if (match->passed[k].blame >= rank->first_blame &&
			    match->passed[k].blame < rank->first_blame + rank->blames)
				us[match->ask->member] += match->passed[k].us;
	}
	return us;
}

void scope_fleet_links_waiters(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank,
			       char *text, size_t room)
{
	double *us = scope_fleet_links_waiting(ranking, rank);
	const double least = SHARE_MIN * (double)rank->excess_us;
	size_t used = 0;

	*text = '\0';
	for (unsigned shown = 0; us && shown < SCREEN_WAITERS && used < room; shown++) {
		struct scope_text time;
		size_t most = 0;

		for (size_t i = 1; i < ranking->facts->members; i++)
			if (us[i] > us[most])
				most = i;
		if (!ranking->facts->members || us[most] <= 0 || us[most] < least)
			break;
		used += (size_t)snprintf(text + used, room - used, "%s%s (%s)", shown ? ", " : "",
					 host_of(ranking->facts, (uint32_t)most),
					 scope_report_format_ns(&time, 1e3 * us[most]));
		us[most] = 0;
	}
	free(us);
}

static void say_part(FILE *to, const char **comma, double us, double all_us, const char *what)
{
	struct scope_text time;

	if (us < 0.01 * all_us || us <= 0)
		return;
	fprintf(to, "%s%s %s", *comma, scope_report_format_ns(&time, 1e3 * us), what);
	*comma = ", ";
}

/* Where a client's excess went. */
static void say_parts(const struct scope_fleet_ranking *ranking, const struct scope_fleet_match *match, FILE *to)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	struct scope_text time;
	const char *comma = ": ";
	char what[512];
	double others_us = match->passed_us;

	fprintf(to, "%s over usual", scope_report_format_ns(&time, 1e3 * match->excess_us));
	for (size_t i = 0; i < match->passes && i < SCREEN_FUNCTIONS; i++) {
		const struct scope_fleet_blame_facts *blame = &facts->blame[match->passed[i].blame];

		snprintf(what, sizeof(what), "by %s on %s",
			 blame->name ? scope_fleet_facts_text(facts, blame->name) : "a function without a stack",
			 host_of(facts, blame->member));
		say_part(to, &comma, match->passed[i].us, match->excess_us, what);
		others_us -= match->passed[i].us;
	}
	say_part(to, &comma, others_us, match->excess_us, "by other functions");
	if (match->answer)
		snprintf(what, sizeof(what), "on %s, whose analysis names no function",
			 host_of(facts, match->answer->member));
	say_part(to, &comma, match->unnamed_us, match->excess_us, what);
	say_part(to, &comma, match->outside_us, match->excess_us, "by what that host waits for outside");
	say_part(
		to, &comma, match->between_us, match->excess_us,
		"on the way: requests took no longer on that host, so the network, a queue before it or a lack of CPU has it");
}

static const char *why_not(const struct scope_fleet_match *match)
{
	static const char *const text[] = {
		[SCOPE_FLEET_NO_ENDS] = "on connections whose addresses are not known",
		[SCOPE_FLEET_NO_SUMMARY] = "there is no summary of a host that answers there",
		[SCOPE_FLEET_TRANSLATED] =
			"a host answers there, but saw another address of this client: an address translation or a "
			"proxy is between",
		[SCOPE_FLEET_AMBIGUOUS] = "several hosts answer at that address",
		[SCOPE_FLEET_SEVERAL] = "several requests at once on a connection, or not all were recorded",
	};

	return text[match->how];
}

static void say_clock(const struct scope_fleet_match *match, FILE *to)
{
	const struct scope_fleet_clock *clock = &match->clock;
	const double middle_us = ((double)clock->least_us + (double)clock->most_us) / 2;
	const double error_us = ((double)clock->most_us - (double)clock->least_us) / 2;
	const double drift = (clock->least_drift + clock->most_drift) / 2;
	struct scope_text offset, error;

	fprintf(to, "; its clock shows %s %s, ± %s", scope_report_format_ns(&offset, 1e3 * fabs(middle_us)),
		middle_us < 0 ? "less" : "more", scope_report_format_ns(&error, 1e3 * error_us));
	if (clock->most_drift - clock->least_drift < 200e-6)
		fprintf(to, ", and drifts by %.0f ± %.0f ppm", 1e6 * drift,
			1e6 * (clock->most_drift - clock->least_drift) / 2);
	fprintf(to, " (%zu requests)", clock->exchanges);
}

static void print_match(const struct scope_fleet_ranking *ranking, const struct scope_fleet_match *match, FILE *out)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	struct scope_text count, usual, p99, there, there_p99, time;
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return;
	fprintf(to, "%s to %s", host_of(facts, match->ask->member),
		match->answer && match->how != SCOPE_FLEET_AMBIGUOUS ? host_of(facts, match->answer->member)
		: match->ask->server				     ? scope_fleet_facts_text(facts, match->ask->server)
								     : "others");
	if (match->answer)
		fprintf(to, " at %s", scope_fleet_facts_text(facts, match->ask->server));
	fprintf(to, ": %s requests, usual %s, p99 %s", scope_report_format_count(&count, match->ask->exchanges),
		scope_report_format_ns(&usual, 1e3 * match->usual_us),
		scope_report_format_ns(&p99, 1e3 * match->p99_us));
	if (match->answer)
		fprintf(to, "; there usual %s, p99 %s", scope_report_format_ns(&there, 1e3 * match->answer_usual_us),
			scope_report_format_ns(&there_p99, 1e3 * match->answer_p99_us));
	fputs(". ", to);
	if (match->how == SCOPE_FLEET_MATCHED)
		say_parts(ranking, match, to);
	else
		fprintf(to, "%s over usual, not matched: %s", scope_report_format_ns(&time, 1e3 * match->excess_us),
			why_not(match));
	if (match->clock.exchanges)
		say_clock(match, to);
	if (!fclose(to))
		scope_report_format_paragraph(out, "     ", text);
	free(text);
}

void scope_fleet_links_print(const struct scope_fleet_ranking *ranking, bool verbose, FILE *out)
{
	const struct scope_fleet_links *links = ranking->links;
	const double all_us = all_of(links), least_us = verbose ? 0 : SHARE_MIN * all_us;
	const size_t most = verbose ? links->matches : SCREEN_LINKS;
	struct scope_text matched, all;
	size_t shown = 0;

	if (!links->matches)
		return;
	fprintf(out, "\n  requests to other hosts: %s over usual, of which %s are matched\n",
		scope_report_format_ns(&all, 1e3 * all_us),
		scope_report_format_ns(&matched, 1e3 * links->excess_us[SCOPE_FLEET_MATCHED]));
	for (; shown < links->matches && shown < most && links->match[shown].excess_us >= least_us; shown++)
		print_match(ranking, &links->match[shown], out);
	if (shown < links->matches)
		fprintf(out, "     and %zu more (-v)\n", links->matches - shown);
}

static json_t *text_of(const struct scope_fleet_facts *facts, uint32_t number)
{
	return number ? json_string(scope_fleet_facts_text(facts, number)) : json_null();
}

static json_t *passed_of(const struct scope_fleet_facts *facts, const struct scope_fleet_match *match)
{
	json_t *functions = json_array();

	for (size_t i = 0; i < match->passes; i++) {
		const struct scope_fleet_blame_facts *blame = &facts->blame[match->passed[i].blame];

		json_array_append_new(functions,
				      json_pack("{s:o, s:o, s:o, s:f}", "function", text_of(facts, blame->name),
						"module", text_of(facts, blame->module), "host",
						text_of(facts, facts->member[blame->member].host), "ms",
						match->passed[i].us / 1e3));
	}
	return functions;
}

static json_t *clock_of(const struct scope_fleet_clock *clock)
{
	if (!clock->exchanges)
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:f, s:f}", "requests", (json_int_t)clock->exchanges, "at_us",
			 (json_int_t)clock->at_us, "least_us", (json_int_t)clock->least_us, "most_us",
			 (json_int_t)clock->most_us, "least_ppm", 1e6 * clock->least_drift, "most_ppm",
			 1e6 * clock->most_drift);
}

static json_t *match_of(const struct scope_fleet_facts *facts, const struct scope_fleet_match *match)
{
	const struct scope_fleet_member *client = &facts->member[match->ask->member];
	const struct scope_fleet_member *server =
		match->answer && match->how != SCOPE_FLEET_AMBIGUOUS ? &facts->member[match->answer->member] : NULL;
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:I, s:I, s:f, s:f, s:f}", "host",
				   text_of(facts, client->host), "program", text_of(facts, client->program), "from",
				   text_of(facts, match->ask->client), "to", text_of(facts, match->ask->server),
				   "server", server ? text_of(facts, server->host) : json_null(), "server_program",
				   server ? text_of(facts, server->program) : json_null(), "matched",
				   scope_fleet_matching_name[match->how], "connections",
				   (json_int_t)match->ask->connections, "requests", (json_int_t)match->ask->exchanges,
				   "excess_ms", match->excess_us / 1e3, "usual_ms", match->usual_us / 1e3, "p99_ms",
				   match->p99_us / 1e3);

	json_object_set_new(object, "server_usual_ms", server ? json_real(match->answer_usual_us / 1e3) : json_null());
	json_object_set_new(object, "server_p99_ms", server ? json_real(match->answer_p99_us / 1e3) : json_null());
	json_object_set_new(object, "functions", passed_of(facts, match));
	json_object_set_new(object, "unnamed_ms", json_real(match->unnamed_us / 1e3));
	json_object_set_new(object, "outside_ms", json_real(match->outside_us / 1e3));
	json_object_set_new(object, "between_ms", json_real(match->between_us / 1e3));
	json_object_set_new(object, "clock", clock_of(&match->clock));
	return object;
}

json_t *scope_fleet_links_json(const struct scope_fleet_ranking *ranking)
{
	json_t *matches = json_array();

	for (size_t i = 0; i < ranking->links->matches; i++)
		json_array_append_new(matches, match_of(ranking->facts, &ranking->links->match[i]));
	return matches;
}

json_t *scope_fleet_links_json_unmatched(const struct scope_fleet_ranking *ranking)
{
	json_t *object = json_object();

	for (unsigned i = SCOPE_FLEET_MATCHED + 1; i < SCOPE_FLEET_MATCHINGS; i++)
		if (ranking->links->excess_us[i] > 0)
			json_object_set_new(object, scope_fleet_matching_name[i],
					    json_real(ranking->links->excess_us[i] / 1e3));
	return object;
}
