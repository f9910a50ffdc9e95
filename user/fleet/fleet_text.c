// SPDX-License-Identifier: GPL-2.0-only
/* Prints the report over all hosts as text. */
#include "fleet/fleet_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include <scope/abi.h>

#include "fleet/links_text.h"
#include "rank/rank.h"
#include "report/numbers.h"

#define SCREEN_FUNCTIONS 10 /* no rule */
#define SCREEN_HOSTS 5	    /* no rule */
#define SAME_TIMES 4	    /* the most excess by busy time over the least: alike */

/* "2026-11-26 11:02:10" */
static const char *date(uint64_t us, char text[32])
{
	const time_t second = (time_t)(us / 1000000);
	struct tm tm;

	if (!us || !gmtime_r(&second, &tm) || !strftime(text, 32, "%F %T", &tm))
		strcpy(text, "-");
	return text;
}

static const char *host_of(const struct scope_fleet_facts *facts, uint32_t member)
{
	return scope_fleet_facts_text(facts, facts->member[member].host);
}

static const char *name_of(const struct scope_fleet_facts *facts, const struct scope_fleet_rank *rank)
{
	return rank->name ? scope_fleet_facts_text(facts, rank->name) : "[a function without a stack]";
}

static void list_hosts(const struct scope_fleet_facts *facts, const struct scope_fleet_rank *rank, size_t most,
		       char *text, size_t room)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < rank->hosts && i < most && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "",
					 host_of(facts, rank->host[i]));
	if (rank->hosts > most && used < room)
		snprintf(text + used, room - used, " and %zu more", rank->hosts - most);
}

static void say_alike(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank, char *text,
		      size_t room)
{
	const char *most = host_of(ranking->facts, rank->host[0]);
	size_t used;

	used = rank->hosts == rank->compared
		       ? (size_t)snprintf(text, room, "all %zu hosts", rank->hosts)
		       : (size_t)snprintf(text, room, "%zu of %zu hosts, nearly all", rank->hosts, rank->compared);
	if (used >= room)
		return;
	if (rank->least > 0 && rank->most <= SAME_TIMES * rank->least)
		snprintf(text + used, room - used, ", alike: the cause is what they share, as the program or its load");
	else
		snprintf(text + used, room - used,
			 ", but not alike: from %.2g to %.2g %% of the time of their work, "
			 "most on %s",
			 100 * rank->least, 100 * rank->most, most);
}

void scope_fleet_text_hosts(const struct scope_fleet_ranking *ranking, const struct scope_fleet_rank *rank, char *text,
			    size_t room)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	char hosts[256];

	list_hosts(facts, rank, SCREEN_HOSTS, hosts, sizeof(hosts));
	switch (rank->spread) {
	case SCOPE_FLEET_ONLY:
		snprintf(text, room, "%s, the only host with this program", hosts);
		return;
	case SCOPE_FLEET_ALL:
		say_alike(ranking, rank, text, room);
		return;
	case SCOPE_FLEET_ONE:
		snprintf(text, room, "%s alone, of %zu hosts: look for what is different there", hosts, rank->compared);
		return;
	case SCOPE_FLEET_PROPERTY:
		snprintf(text, room, "%zu of the %zu hosts with %s %s, and %s of %zu others: %s", rank->hosts,
			 rank->have, rank->property, rank->value, rank->hosts > rank->have ? "few" : "none",
			 rank->compared - rank->have, hosts);
		return;
	default:
		if (rank->value)
			snprintf(text, room, "%zu of %zu hosts: %s. All have %s %s, but by so few that may be chance",
				 rank->hosts, rank->compared, hosts, rank->property, rank->value);
		else
			snprintf(text, room, "%zu of %zu hosts, with nothing in common that summaries have: %s",
				 rank->hosts, rank->compared, hosts);
	}
}

/* Members whose analysis says that; *ret_first is the first of them. */
static size_t count_verdict(const struct scope_fleet_facts *facts, enum scope_verdict verdict, size_t *ret_first)
{
	size_t count = 0;

	for (size_t i = 0; i < facts->members; i++) {
		if (strcmp(scope_fleet_facts_text(facts, facts->member[i].verdict), scope_rank_verdict_name[verdict]))
			continue;
		if (!count++)
			*ret_first = i;
	}
	return count;
}

/* If no function is named: prints the verdicts of the hosts, then how the hosts compare. */
static void answer_without_function(const struct scope_fleet_ranking *ranking, char *text, size_t room)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	size_t first = 0;
	const size_t outside = count_verdict(facts, SCOPE_VERDICT_OUTSIDE, &first);
	const size_t unknown = count_verdict(facts, SCOPE_VERDICT_UNKNOWN, &first);

	if (outside) {
		count_verdict(facts, SCOPE_VERDICT_OUTSIDE, &first);
		snprintf(text, room, "OUTSIDE. %s is slow, but not by a function of the program.",
			 host_of(facts, (uint32_t)first));
	} else if (ranking->outliers) {
		snprintf(text, room, "NOTHING BEGAN, but %s is slower than the others.",
			 host_of(facts, ranking->outlier[0].member));
	} else if (unknown == facts->members) {
		snprintf(text, room, "TOO LITTLE WAS SEEN on %zu host%s.", ranking->hosts,
			 ranking->hosts == 1 ? "" : "s");
	} else {
		snprintf(text, room, "NOTHING ABNORMAL on %zu host%s.", ranking->hosts, ranking->hosts == 1 ? "" : "s");
	}
}

void scope_fleet_text_answer(const struct scope_fleet_ranking *ranking, char *text, size_t room)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	const struct scope_fleet_rank *first = ranking->ranks ? &ranking->rank[0] : NULL;

	if (!facts->members)
		snprintf(text, room, "NO HOSTS. There are no summaries of that time.");
	else if (first && !first->outside)
		snprintf(text, room, "%s in %s: %s.",
			 first->spread == SCOPE_FLEET_ALL	 ? "ALL HOSTS"
			 : first->spread == SCOPE_FLEET_ONE	 ? "ONE HOST"
			 : first->spread == SCOPE_FLEET_ONLY	 ? "ONE HOST"
			 : first->spread == SCOPE_FLEET_PROPERTY ? "SOME HOSTS, which have something in common"
								 : "SOME HOSTS",
			 name_of(facts, first), first->stuck ? "threads are stuck" : "requests take longer than usual");
	else if (first)
		snprintf(text, room,
			 "OUTSIDE. No function of the programs is slow; %s waits for something slow outside.",
			 name_of(facts, first));
	else
		answer_without_function(ranking, text, room);
}

static void print_head(const struct scope_fleet_ranking *ranking, FILE *out)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	struct scope_text requests, lost;
	char from[32], to[32], answer[512];

	fprintf(out, "scope %s fleet · %zu host%s, ", SCOPE_VERSION, ranking->hosts, ranking->hosts == 1 ? "" : "s");
	if (ranking->programs == 1)
		fprintf(out, "%s", scope_fleet_facts_text(facts, facts->member[0].program));
	else
		fprintf(out, "%zu programs", ranking->programs);
	fprintf(out, " · %s to %s UTC\n%s requests · %s events lost\n\n", date(ranking->from_us, from),
		date(ranking->to_us, to), scope_report_format_count(&requests, ranking->requests),
		scope_report_format_count(&lost, ranking->lost));
	scope_fleet_text_answer(ranking, answer, sizeof(answer));
	scope_report_format_paragraph(out, "  ", answer);
}

static void print_row(const struct scope_fleet_ranking *ranking, size_t index, FILE *out)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	const struct scope_fleet_rank *rank = &ranking->rank[index];
	char hosts[32], since[32];

	snprintf(hosts, sizeof(hosts), "%zu of %zu", rank->hosts, rank->compared);
	date(rank->since_us, since);
	fprintf(out, "%3zu  ", index + 1);
	scope_report_format_name(out, name_of(facts, rank), 32);
	fprintf(out, " ");
	scope_report_format_padded(out, scope_fleet_facts_text(facts, rank->module), 14);
	fprintf(out, " %4.0f %%  %-6s %-12s %s%-9s %s\n", 100 * rank->share, scope_fleet_facts_text(facts, rank->kind),
		hosts, rank->from_begin ? "≤" : " ", strlen(since) > 11 ? since + 11 : since,
		scope_fleet_facts_text(facts, rank->confidence));
}

/* Of its worst host. */
static void print_detail(const struct scope_fleet_ranking *ranking, size_t index, FILE *out)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	const struct scope_fleet_rank *rank = &ranking->rank[index];
	const struct scope_fleet_blame_facts *worst = NULL;
	struct scope_text usual, p50, p99;
	char text[1024], since[32];

	fprintf(out, "\n  %zu  %s\n", index + 1, name_of(facts, rank));
	scope_fleet_text_hosts(ranking, rank, text, sizeof(text));
	scope_report_format_paragraph(out, "     where       ", text);
	snprintf(text, sizeof(text), "%s%s%s", date(rank->since_us, since),
		 rank->since_us ? " UTC, by the clock of the host that had it first" : "",
		 rank->from_begin ? "; it was there as the recording began" : "");
	scope_report_format_paragraph(out, "     since       ", text);
	scope_fleet_links_waiters(ranking, rank, text, sizeof(text));
	if (*text)
		scope_report_format_paragraph(out, "     waited for  ", text);
	for (size_t i = rank->first_blame; i < rank->first_blame + rank->blames; i++)
		if (facts->blame[i].found && (!worst || facts->blame[i].excess_us > worst->excess_us))
			worst = &facts->blame[i];
	if (!worst)
		return;
	if (worst->stuck)
		snprintf(text, sizeof(text), "%s: %" PRIu64 " thread%s, in group %s", host_of(facts, worst->member),
			 worst->threads, worst->threads == 1 ? "" : "s", scope_fleet_facts_text(facts, worst->group));
	else
		snprintf(text, sizeof(text), "%s: usual %s, with it %s (p99 %s), in group %s",
			 host_of(facts, worst->member), scope_report_format_ns(&usual, 1e3 * (double)worst->usual_us),
			 scope_report_format_ns(&p50, 1e3 * (double)worst->p50_us),
			 scope_report_format_ns(&p99, 1e3 * (double)worst->p99_us),
			 scope_fleet_facts_text(facts, worst->group));
	scope_report_format_paragraph(out, "     most on     ", text);
}

static void print_functions(const struct scope_fleet_ranking *ranking, bool verbose, FILE *out)
{
	const size_t shown = verbose || ranking->ranks < SCREEN_FUNCTIONS ? ranking->ranks : SCREEN_FUNCTIONS;
	size_t inside = 0;

	while (inside < ranking->ranks && !ranking->rank[inside].outside)
		inside++;
	if (inside)
		fprintf(out, "\n  #  %-32s %-14s excess  kind   hosts        since      sure\n", "function", "module");
	for (size_t i = 0; i < shown && i < inside; i++)
		print_row(ranking, i, out);
	if (inside < ranking->ranks)
		fprintf(out, "\n  #  %-32s %-14s  share  kind   hosts        since      sure\n",
			"waits for something slow outside", "module");
	for (size_t i = inside; i < ranking->ranks && i < inside + shown; i++)
		print_row(ranking, i, out);
	for (size_t i = 0; i < shown && i < (verbose ? shown : 3); i++)
		print_detail(ranking, i, out);
}

/* Prints hosts that are slow without a function as cause, or that recorded too little, with the reasons. */
static void print_reasons(const struct scope_fleet_ranking *ranking, bool verbose, FILE *out)
{
	static const struct {
		enum scope_verdict verdict;
		const char *title;
	} parts[] = {
		{ SCOPE_VERDICT_OUTSIDE, "slow from outside the program" },
		{ SCOPE_VERDICT_UNKNOWN, "too little seen" },
	};
	const struct scope_fleet_facts *facts = ranking->facts;

	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
		const char *verdict = scope_rank_verdict_name[parts[k].verdict];
		size_t first, shown = 0;
		const size_t count = count_verdict(facts, parts[k].verdict, &first);
		char text[SCOPE_FLEET_NAME_MAX * 2 + 8];

		if (count)
			fprintf(out, "\n  %s: %zu of %zu\n", parts[k].title, count, facts->members);
		for (size_t i = 0; i < facts->members && (verbose || shown < SCREEN_HOSTS); i++) {
			if (strcmp(scope_fleet_facts_text(facts, facts->member[i].verdict), verdict))
				continue;
			snprintf(text, sizeof(text), "%s: %s", host_of(facts, (uint32_t)i),
				 scope_fleet_facts_text(facts, facts->member[i].reason));
			scope_report_format_paragraph(out, "     ", text);
			shown++;
		}
		if (count > shown)
			fprintf(out, "     and %zu more (-v)\n", count - shown);
	}
}

static void print_outliers(const struct scope_fleet_ranking *ranking, bool verbose, FILE *out)
{
	const struct scope_fleet_facts *facts = ranking->facts;

	if (ranking->outliers)
		fprintf(out, "\n  out of line\n");
	for (size_t i = 0; i < ranking->outliers && (verbose || i < SCREEN_FUNCTIONS); i++) {
		const struct scope_fleet_outlier *one = &ranking->outlier[i];
		struct scope_text ns, usual;

		fprintf(out, "     %s, %s: %s of requests %s, %s on %zu hosts in the median\n",
			host_of(facts, one->member), scope_fleet_facts_text(facts, one->group),
			one->quantile > 0.5 ? "p99" : "median", scope_report_format_ns(&ns, one->ns),
			scope_report_format_ns(&usual, one->usual_ns), one->compared);
	}
	if (!verbose && ranking->outliers > SCREEN_FUNCTIONS)
		fprintf(out, "     and %zu more (-v)\n", ranking->outliers - SCREEN_FUNCTIONS);
}

static void print_read(const struct scope_fleet_ranking *ranking, const struct scope_fleet_read *read, FILE *out)
{
	const struct scope_fleet_facts *facts = ranking->facts;
	char text[512];

	fprintf(out, "\n");
	if (ranking->aparts) {
		snprintf(
			text, sizeof(text),
			"%zu host%s no time in common with most others, %s the most, by %.1f minutes: it ran at another "
			"time, or its clock is wrong",
			ranking->aparts, ranking->aparts == 1 ? " has" : "s have", host_of(facts, ranking->apart),
			fabs((double)ranking->apart_us) / 60e6);
		scope_report_format_paragraph(out, "  clocks         ", text);
	}
	if (ranking->missing) {
		snprintf(text, sizeof(text),
			 "%" PRIu64
			 " summaries that hosts wrote: they were removed before they were sent, or are elsewhere",
			 ranking->missing);
		scope_report_format_paragraph(out, "  missing        ", text);
	}
	if (read->twice || read->overlapping) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " summaries that came twice, %" PRIu64
			 " of a process and time that another one has",
			 read->twice, read->overlapping);
		scope_report_format_paragraph(out, "  left out       ", text);
	}
	for (size_t i = 0; i < read->problems && i < SCREEN_FUNCTIONS; i++)
		scope_report_format_paragraph(out, "  not read       ", read->problem[i]);
	if (read->problems > SCREEN_FUNCTIONS)
		fprintf(out, "  not read       and %zu more\n", read->problems - SCREEN_FUNCTIONS);
	snprintf(text, sizeof(text), "%" PRIu64 " summar%s; times are by the clocks of the hosts%s", read->summaries,
		 read->summaries == 1 ? "y" : "ies",
		 ranking->links->matches ? "" : "; no wait of one host for another was seen");
	scope_report_format_paragraph(out, "  basis          ", text);
}

int scope_fleet_text_print(const struct scope_fleet_ranking *ranking, const struct scope_fleet_read *read, bool verbose,
			   FILE *out)
{
	print_head(ranking, out);
	print_functions(ranking, verbose, out);
	print_reasons(ranking, verbose, out);
	print_outliers(ranking, verbose, out);
	scope_fleet_links_print(ranking, verbose, out);
	print_read(ranking, read, out);
	return ferror(out) || fflush(out) ? -EIO : 0;
}
