// SPDX-License-Identifier: GPL-2.0-only
/* What kind of server it is: a sentence, a table of stages, and JSON. */
#include "report/server_text.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include <scope/abi.h>

#include "report/json.h"
#include "report/json_part.h"
#include "report/numbers.h"
#include "report/section.h"
#include "report/server_calls.h"
#include "server/network.h"

#define STAGES 9       /* on a screen */
#define MENTIONED 0.01 /* share of requests: if fewer go on to another stage, the report does not mention it */

const char *scope_report_server_stage(const struct scope_analysis *analysis, const struct scope_stage *stage)
{
	const char *name = analysis->found.groups->group[stage->group].name;

	return name[0] ? name : "?";
}

/* How the threads of a stage get their work, in words. */
static const char *way_of(const struct scope_stage *stage)
{
	static const char *const way[SCOPE_IDLES] = {
		[SCOPE_IDLE_NONE] = "never idle",
		[SCOPE_IDLE_EPOLL] = "epoll",
		[SCOPE_IDLE_POLL] = "poll",
		[SCOPE_IDLE_SELECT] = "select",
		[SCOPE_IDLE_READ] = "blocking reads",
		[SCOPE_IDLE_ACCEPT] = "blocking accept",
		[SCOPE_IDLE_FUTEX] = "a queue in memory",
		[SCOPE_IDLE_QUEUE] = "a queue of the kernel",
		[SCOPE_IDLE_URING] = "io_uring",
		[SCOPE_IDLE_TIMER] = "a timer",
		[SCOPE_IDLE_CHILD] = "children",
		[SCOPE_IDLE_SIGNAL] = "signals",
	};

	return way[stage->idle_in];
}

static void write_threads(const struct scope_analysis *analysis, const struct scope_stage *stage, FILE *to)
{
	const char *name = scope_report_server_stage(analysis, stage);

	if (stage->processes > 1 && stage->processes == stage->threads)
		fprintf(to, "%u processes %s (%s)", stage->threads, name, way_of(stage));
	else if (stage->threads > 1)
		fprintf(to, "%u threads %s (%s)", stage->threads, name, way_of(stage));
	else
		fprintf(to, "thread %s (%s)", name, way_of(stage));
}

/* Writes the stages that take work from that one: most of it, or some. */
static void write_workers(const struct scope_analysis *analysis, const struct scope_stage *from, bool most, FILE *to)
{
	const struct scope_server *server = analysis->server;
	const char *before = "; ";

	for (size_t i = 0; i < server->stages; i++) {
		const struct scope_stage *stage = &server->stage[i];
		const double share = scope_server_passes_on(server, from, stage);

		if (share < MENTIONED || (share >= SCOPE_SERVER_PASSED_ON) != most)
			continue;
		fputs(before, to);
		if (!most)
			fprintf(to, "%.0f %% of ", 100 * share);
		if (before[0] == ';')
			fputs(most ? "work goes on to " : "the work goes on to ", to);
		else if (!most)
			fputs("it to ", to);
		write_threads(analysis, stage, to);
		before = " and ";
	}
}

static void write_network(const struct scope_analysis *analysis, const struct scope_stage *network, FILE *to)
{
	const struct scope_stage *waits = scope_server_waits_for(analysis->server, network);

	fputs(network->jobs ? "Jobs are read by " : "Requests are read by ", to);
	write_threads(analysis, network, to);
	if (network->jobs)
		fputs(" from connections that the program made", to);
	if (network->accepts)
		fputs(network->threads > 1 ? ", which accept connections too" : ", which accepts connections too", to);
	if (network->idle_in == SCOPE_IDLE_URING && !network->requests)
		fputs(", whose reads and writes are no calls, so that no trace shows single requests", to);
	if (waits) {
		fputs(", which get them from ", to);
		write_threads(analysis, waits, to);
	}
}

int scope_report_server_sentence(const struct scope_analysis *analysis, char **ret_text)
{
	const struct scope_stage *network = scope_server_find(analysis->server, SCOPE_ROLE_NETWORK);
	const struct scope_stage *accept = scope_server_find(analysis->server, SCOPE_ROLE_ACCEPT);
	struct scope_paragraph line;

	if (scope_report_paragraph_begin(&line))
		return -ENOMEM;
	if (network) {
		write_network(analysis, network, line.to);
		if (accept) {
			fputs("; connections are accepted by ", line.to);
			write_threads(analysis, accept, line.to);
		}
		write_workers(analysis, network, true, line.to);
		write_workers(analysis, network, false, line.to);
	} else if (accept) {
		fputs("Connections are accepted by ", line.to);
		write_threads(analysis, accept, line.to);
		write_workers(analysis, accept, true, line.to);
	} else {
		fputs("No thread takes requests of clients", line.to);
	}
	fputc('.', line.to);
	return scope_report_paragraph_end(&line, ret_text);
}

uint32_t *scope_report_server_busiest(const struct scope_server *server)
{
	uint32_t *order = malloc((server->stages + 1) * sizeof(*order));

	for (uint32_t i = 0; order && i < server->stages; i++) {
		uint32_t to = i;

		for (; to && server->stage[order[to - 1]].busy < server->stage[i].busy; to--)
			order[to] = order[to - 1];
		order[to] = i;
	}
	return order;
}

/* The stage that its work comes from. Stages of one name are distinguished by their role. */
static const char *from_of(const struct scope_analysis *analysis, const struct scope_stage *stage)
{
	const struct scope_stage *from;

	if (stage->requests)
		return "clients";
	if (stage->from == SCOPE_STAGE_NONE)
		return "";
	from = &analysis->server->stage[stage->from];
	return strcmp(scope_report_server_stage(analysis, from), scope_report_server_stage(analysis, stage))
		       ? scope_report_server_stage(analysis, from)
		       : scope_server_role_name((enum scope_server_role)from->role);
}

static void print_stage(const struct scope_analysis *analysis, const struct scope_stage *stage, FILE *out)
{
	const struct scope_server *server = analysis->server;
	/* A thread may end before its name is known. */
	const bool unknown = !stage->units && !strcmp(scope_report_server_stage(analysis, stage), "?");
	const double per_s = server->window_ns > 0 ? (double)stage->units / server->window_ns * 1e9 : 0;
	char name[64], busy[32], waits[32] = "-";
	struct scope_text count, wait;

	if (unknown)
		return;
	snprintf(name, sizeof(name), "%.40s ×%u", scope_report_server_stage(analysis, stage), stage->threads);
	fputs("  ", out);
	scope_report_format_padded(out, name, 17);
	fprintf(out, " %-8s", scope_server_role_name((enum scope_server_role)stage->role));
	fprintf(out, " %-8s", scope_server_idle_name((enum scope_server_idle)stage->idle_in));
	if (!stage->units) {
		fputs("       -", out);
		return;
	}
	snprintf(busy, sizeof(busy), "%.1f", stage->busy);
	if (stage->waits_known)
		snprintf(waits, sizeof(waits), "%s", scope_report_format_ns(&wait, stage->wait_ns));
	fprintf(out, " %7s %5s %4.0f %%  ",
		per_s < 10 ? (snprintf(count.text, sizeof(count.text), "%.1f", per_s), count.text)
			   : scope_report_format_count(&count, (uint64_t)(per_s + 0.5)),
		busy, 100 * stage->all_busy);
	if (!from_of(analysis, stage)[0]) {
		fputs(waits, out);
		return;
	}
	scope_report_format_padded(out, waits, 8);
	fprintf(out, " %.11s", from_of(analysis, stage));
}

/* True if most units of the group were compared with those of their size. */
static bool is_by_size(const struct scope_analysis *analysis, uint32_t group)
{
	const struct scope_detection *detection = analysis->detection;
	uint64_t by_size = 0, all = 0;

	for (size_t i = 0; i < detection->populations; i++)
		if (detection->population[i].group == group) {
			all += detection->population[i].units;
			by_size += detection->population[i].size ? detection->population[i].units : 0;
		}
	return 2 * by_size > all;
}

/* How the sentences of each feature go. */
static const struct {
	const char *json;
	const char *subject; /* with its verb */
	const char *each;    /* that takes the rate */
	double times;	     /* the rate is printed for that number of its units */
} by_feature[SCOPE_FEATURES] = {
	[SCOPE_FEATURE_BYTES] = { "bytes", "Bytes read and written explain", "for each KB", 1024 },
	[SCOPE_FEATURE_CALLS] = { "calls", "System calls explain", "for each call", 1 },
	[SCOPE_FEATURE_FIRST] = { "first", "Being the first of a connection explains", "more for the first", 1 },
	[SCOPE_FEATURE_AT_WORK] = { "at-work", "Others at work at the same time explain", "for each other one", 1 },
	[SCOPE_FEATURE_PAUSE] = { "pause", "The pause of the thread before it explains", "for each ms of pause", 1e6 },
};

/*
 * "Bytes read and written explain 97 % of how long requests of worker take: 20.0 µs for each KB, and 0.10 ms besides.
 * Each is compared with those of its size, and is slow above 1.2 times their time."
 */
static void write_explained(const struct scope_analysis *analysis, const struct scope_explained *one, unsigned width,
			    FILE *out)
{
	const char *name = analysis->found.groups->group[one->group].name;
	struct scope_text rate, base;
	char text[384], besides[64] = "", compared[96] = "";

	if (one->base_ns >= 1)
		snprintf(besides, sizeof(besides), ", and %s besides", scope_report_format_ns(&base, one->base_ns));
	if (is_by_size(analysis, one->group))
		snprintf(compared, sizeof(compared),
			 " Each is compared with those of its size, and is slow above %.1f times their time.",
			 analysis->detect.size_times_min);
	snprintf(text, sizeof(text), "%s %.0f %% of how long %s of %.40s take: %s %s%s.%s", by_feature[one->by].subject,
		 100 * one->share, analysis->found.distributions->group[one->group].asked ? "requests" : "rounds", name,
		 scope_report_format_ns(&rate, by_feature[one->by].times * one->rate_ns), by_feature[one->by].each,
		 besides, compared);
	fputs("  ", out);
	scope_report_format_wrapped_to(out, text, 2, 2, width);
	fputc('\n', out);
}

void scope_report_server_print_explained(const struct scope_analysis *analysis, bool requests, unsigned width,
					 FILE *out)
{
	const struct scope_explanations *all = analysis->detection->explained;

	for (size_t i = 0; i < all->count; i++)
		if (!requests || analysis->found.distributions->group[all->one[i].group].asked)
			write_explained(analysis, &all->one[i], width, out);
}

/* A line for each stage, cut at the right edge. */
static int print_stages(const struct scope_analysis *analysis, const struct scope_report_style *style, FILE *out)
{
	const struct scope_server *server = analysis->server;
	const unsigned width = scope_report_style_columns(style);
	const size_t most = style->verbose || server->stages <= STAGES ? server->stages : STAGES - 1;
	uint32_t *order = scope_report_server_busiest(server);
	int err = order ? 0 : -ENOMEM;

	scope_report_format_clipped(
		out, "  stage             role     idle in  units/s  busy    all  waits    work from", width);
	fputc('\n', out);
	for (size_t i = 0; !err && i < most; i++) {
		struct scope_paragraph line;
		char *text;

		err = scope_report_paragraph_begin(&line);
		if (err)
			break;
		print_stage(analysis, &server->stage[order[i]], line.to);
		err = scope_report_paragraph_end(&line, &text);
		if (err)
			break;
		if (text[0]) {
			scope_report_format_clipped(out, text, width);
			fputc('\n', out);
		}
		free(text);
	}
	if (most < server->stages)
		fprintf(out, "  … and %zu more (-v)\n", server->stages - most);
	free(order);
	return err;
}

int scope_report_server_text(const struct scope_analysis *analysis, const struct scope_server_calls *calls,
			     const struct scope_report_style *style, FILE *out)
{
	const struct scope_server *server = analysis->server;
	const char *command = scope_trace_meta(analysis->trace, SCOPE_META_COMMAND);
	const char *pid = scope_trace_meta(analysis->trace, SCOPE_META_PID);
	struct scope_text length;
	const unsigned width = scope_report_style_columns(style);
	char head[256], *sentence;
	int err = scope_report_server_sentence(analysis, &sentence);

	if (err)
		return err;
	snprintf(head, sizeof(head),
		 "SERVER %.20s (pid %.10s), %s: %u process%s, %zu thread%s in %zu stage%s, %u listener%s",
		 command ? command : "?", pid ? pid : "?", scope_report_format_window(&length, server->window_ns),
		 server->processes, server->processes == 1 ? "" : "es", server->threads,
		 server->threads == 1 ? "" : "s", server->stages, server->stages == 1 ? "" : "s", server->listeners,
		 server->listeners == 1 ? "" : "s");
	scope_report_format_wrapped_to(out, head, 0, 2, width);
	fputs("\n  ", out);
	scope_report_format_wrapped_to(out, sentence, 2, 2, width);
	fputs("\n\n", out);
	free(sentence);
	err = print_stages(analysis, style, out);
	if (!err)
		scope_report_server_print_explained(analysis, false, width, out);
	if (server->sampled)
		fprintf(out, "  Busy threads and waits are of the first %.1f s.\n", server->part_ns / 1e9);
	if (!err && calls)
		err = scope_report_server_calls_print(analysis, calls, style, out);
	return err;
}

static json_t *make_stage(const struct scope_analysis *analysis, const struct scope_stage *stage)
{
	return json_pack("{s:o, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "name",
			 scope_report_json_string(scope_report_server_stage(analysis, stage)), "role",
			 scope_server_role_name((enum scope_server_role)stage->role), "idle_in",
			 scope_server_idle_name((enum scope_server_idle)stage->idle_in), "accepts", stage->accepts,
			 "jobs", stage->jobs, "threads", (json_int_t)stage->threads, "processes",
			 (json_int_t)stage->processes, "units", (json_int_t)stage->units, "requests",
			 (json_int_t)stage->requests, "busy", scope_report_json_number(stage->busy), "most_busy",
			 (json_int_t)stage->most_busy, "all_busy", scope_report_json_number(stage->all_busy), "late_ns",
			 scope_report_json_number(stage->late_ns), "from",
			 stage->from == SCOPE_STAGE_NONE ? json_null() : json_integer((json_int_t)stage->from),
			 "from_share", scope_report_json_number(stage->from_share), "wait_ns",
			 stage->waits_known ? scope_report_json_number(stage->wait_ns) : json_null());
}

/* How threads wait for requests. Threads that get connections from other threads wait in their reads. */
static const char *model_of(const struct scope_server *server, const struct scope_stage *network)
{
	const struct scope_stage *waits = scope_server_waits_for(server, network);

	switch (waits ? waits->idle_in : network->idle_in) {
	case SCOPE_IDLE_EPOLL:
	case SCOPE_IDLE_POLL:
	case SCOPE_IDLE_SELECT:
	case SCOPE_IDLE_URING:
		return scope_server_idle_name((enum scope_server_idle)(waits ? waits : network)->idle_in);
	default:
		return "blocking";
	}
}

/* With the names of Ditto's profiler (Liang et al., ASPLOS 2023), where it has them. */
static json_t *make_network(const struct scope_server *server)
{
	const struct scope_stage *network = scope_server_find(server, SCOPE_ROLE_NETWORK);
	const struct scope_stage *accept = scope_server_find(server, SCOPE_ROLE_ACCEPT);
	bool on = false;

	if (!network)
		return json_null();
	for (size_t i = 0; i < server->stages; i++)
		on |= scope_server_passes_on(server, network, &server->stage[i]) >= SCOPE_SERVER_PASSED_ON;
	return json_pack("{s:s, s:b, s:b, s:I, s:I}", "model", model_of(server, network), "accept_dispatch",
			 accept != NULL, "network_dispatch", on, "accept_pool",
			 (json_int_t)(accept		 ? accept->threads
				      : network->accepts ? network->threads
							 : 0),
			 "network_pool", (json_int_t)network->threads);
}

json_t *scope_report_server_explained(const struct scope_analysis *analysis)
{
	const struct scope_explanations *all = analysis->detection->explained;
	json_t *array = json_array();

	for (size_t i = 0; i < all->count; i++) {
		const struct scope_explained *one = &all->one[i];

		json_array_append_new(
			array,
			json_pack("{s:o, s:s, s:I, s:o, s:o, s:o, s:o, s:b}", "group",
				  scope_report_json_string(analysis->found.groups->group[one->group].name), "by",
				  by_feature[one->by].json, "units", (json_int_t)one->units, "share",
				  scope_report_json_number(one->share), "correlation",
				  scope_report_json_number(one->correlation), "rate_ns",
				  scope_report_json_number(one->rate_ns), "base_ns",
				  scope_report_json_number(one->base_ns), "by_size", is_by_size(analysis, one->group)));
	}
	return array;
}

int scope_report_server_json(const struct scope_analysis *analysis, const struct scope_server_calls *calls, FILE *out)
{
	const struct scope_server *server = analysis->server;
	json_t *stages = json_array(), *all;
	char *sentence;

	if (scope_report_server_sentence(analysis, &sentence)) {
		json_decref(stages);
		return -ENOMEM;
	}
	for (size_t i = 0; i < server->stages; i++)
		json_array_append_new(stages, make_stage(analysis, &server->stage[i]));
	all = json_pack("{s:i, s:s, s:s, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o}", "schema", SCOPE_REPORT_SCHEMA,
			"scope", SCOPE_VERSION, "command", "model", "sentence", scope_report_json_string(sentence),
			"window_ns", scope_report_json_number(server->window_ns), "processes",
			(json_int_t)server->processes, "threads", (json_int_t)server->threads, "listeners",
			(json_int_t)server->listeners, "network", make_network(server), "stages", stages, "explained",
			scope_report_server_explained(analysis));
	if (calls)
		json_object_set_new(all, "calls", scope_report_server_calls_array(analysis, calls));
	free(sentence);
	return scope_report_json_write(all, JSON_INDENT(1), out);
}
