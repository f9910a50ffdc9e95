// SPDX-License-Identifier: GPL-2.0-only
/* Reads a profile of a server, and decides from it the steps of each request. */
#include "plan.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

static void stop(const char *what)
{
	fprintf(stderr, "synthetic: the profile %s\n", what);
	exit(1);
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void text(const json_t *object, const char *key, char to[NAME_BYTES])
{
	const char *value = json_string_value(json_object_get(object, key));

	snprintf(to, NAME_BYTES, "%s", value ? value : "");
}

static struct distribution read_distribution(const json_t *object)
{
	struct distribution made = { .mean = number(object, "mean") };
	const json_t *rows = json_object_get(object, "rows"), *row;
	size_t i;

	made.rows = json_array_size(rows);
	made.row = calloc(made.rows + 1, sizeof(*made.row));
	if (!made.row)
		stop("is too large");
	json_array_foreach(rows, i, row) {
		made.row[i] = (struct row){ .low = (uint64_t)json_integer_value(json_array_get(row, 0)),
					    .high = (uint64_t)json_integer_value(json_array_get(row, 1)),
					    .count = (uint64_t)json_integer_value(json_array_get(row, 2)) };
		if (made.row[i].high < made.row[i].low || !made.row[i].count)
			stop("has a row that stands for nothing");
		made.n += made.row[i].count;
	}
	return made;
}

static enum object object_of(const json_t *step)
{
	static const struct {
		const char *name;
		enum object on;
	} rows[] = { { "client", ON_CLIENT }, { "datagram", ON_CLIENT }, { "file", ON_FILE }, { "event", ON_EVENT } };
	const char *name = json_string_value(json_object_get(step, "on"));

	for (size_t i = 0; name && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].on;
	return name ? ON_OTHER : ON_NOTHING;
}

/* A read of 0 bytes is the end of another connection, which happened to be in the same unit: no part of a request. */
static void drop_ends(struct distribution *bytes)
{
	if (bytes->rows > 1 && !bytes->row[0].high) {
		bytes->n -= bytes->row[0].count;
		bytes->row++;
		bytes->rows--;
	}
}

static void read_steps(const json_t *object, struct path *path)
{
	const json_t *steps = json_object_get(object, "steps"), *one;
	double before_ns[STEPS_MAX], all_ns = number(object, "after_ns");
	size_t i;

	if (json_array_size(steps) > STEPS_MAX)
		stop("has a path of too many steps");
	json_array_foreach(steps, i, one) {
		struct step *step = &path->step[path->steps++];

		text(one, "syscall", step->call);
		text(one, "error", step->error);
		step->on = object_of(one);
		step->times = read_distribution(json_object_get(one, "times"));
		step->bytes = read_distribution(json_object_get(json_object_get(one, "para_dist"), "count"));
		step->slept_ns = read_distribution(json_object_get(one, "slept_ns"));
		step->made_by = steps_find(step);
		if (steps_reads(step))
			drop_ends(&step->bytes);
		path->reads |= steps_reads(step) && step->bytes.n && step->bytes.row[0].high;
		path->writes |= steps_writes(step);
		path->accepts |= !strncmp(step->call, "accept", 6);
		before_ns[i] = number(one, "before_ns");
		all_ns += before_ns[i];
	}
	for (i = 0; i < path->steps; i++)
		path->step[i].before_share = all_ns > 0 ? before_ns[i] / all_ns : 0;
}

static void read_stage(const json_t *object, struct stage *stage)
{
	const json_t *paths = json_object_get(object, "paths"), *one, *from = json_object_get(object, "from");
	size_t i;

	text(object, "name", stage->name);
	text(object, "role", stage->role);
	text(object, "idle_call", stage->idle_call);
	stage->threads = (unsigned)number(object, "threads");
	stage->processes = (unsigned)number(object, "processes");
	stage->from = json_is_integer(from) ? (int)json_integer_value(from) : -1;
	stage->per_s = number(object, "per_s");
	stage->path = calloc(json_array_size(paths) + 1, sizeof(*stage->path));
	if (!stage->path)
		stop("is too large");
	json_array_foreach(paths, i, one) {
		struct path *path = &stage->path[stage->paths++];

		path->units = (uint64_t)number(one, "units");
		path->requests = (uint64_t)number(one, "requests");
		path->program_ns = read_distribution(json_object_get(one, "program_ns"));
		read_steps(one, path);
		stage->units += path->steps ? (double)path->units : 0;
	}
}

static int find_role(const struct profile *profile, const char *role)
{
	int found = -1;

	for (int i = 0; i < (int)profile->stages; i++)
		if (!strcmp(profile->stage[i].role, role) &&
		    (found < 0 || profile->stage[i].units > profile->stage[found].units))
			found = i;
	return found;
}

struct profile *plan_read(const char *file)
{
	struct profile *profile = calloc(1, sizeof(*profile));
	json_error_t error;
	json_t *all = json_load_file(file, 0, &error);
	const json_t *network, *connections, *stages, *one;
	char protocol[NAME_BYTES];
	size_t i;

	if (!all || !profile) {
		fprintf(stderr, "synthetic: %s: line %d: %s\n", file, error.line, error.text);
		exit(1);
	}
	if (json_integer_value(json_object_get(all, "schema")) != 1)
		stop("is not of schema 1");
	network = json_object_get(all, "network_model_characteristics");
	connections = json_object_get(all, "connections");
	stages = json_object_get(all, "thread_characteristics");
	if (!json_is_object(network))
		stop("is not that of a server: no thread takes requests of clients");
	if (json_array_size(stages) > STAGES_MAX)
		stop("has too many stages");
	text(network, "skeleton", profile->skeleton);
	text(network, "model", profile->model);
	text(network, "protocol", protocol);
	profile->datagrams = !strcmp(protocol, "datagram");
	profile->reqs_per_sec = number(all, "reqs_per_sec");
	profile->per_connection = number(connections, "requests");
	profile->connections = (unsigned)number(connections, "most");
	profile->reconnect = number(connections, "accepted") > 0;
	json_array_foreach(stages, i, one)
		read_stage(one, &profile->stage[profile->stages++]);
	profile->network = find_role(profile, "network");
	profile->accept = find_role(profile, "accept");
	if (profile->network < 0)
		stop("has no stage that reads requests");
	json_decref(all);
	return profile;
}

static uint64_t mix(uint64_t value)
{
	value += 0x9e3779b97f4a7c15u;
	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
	value = (value ^ value >> 27) * 0x94d049bb133111ebu;
	return value ^ value >> 31;
}

static double root_of_prime(uint32_t at)
{
	static const uint16_t prime[] = { 2,  3,  5,  7,  11, 13, 17, 19, 23, 29,  31,	37,  41,  43,  47,  53,
					  59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131 };

	return sqrt(prime[at % (sizeof(prime) / sizeof(prime[0]))]);
}

/* 0 to 1. Of one connection the numbers at one place are even; those at different places are independent. */
static double next(struct unit *unit)
{
	const uint32_t at = unit->at++;
	const double first = (double)(mix(unit->seed + at) >> 11) / (double)(1ull << 53);
	const double sum = first + unit->turn * root_of_prime(at);

	return sum - floor(sum);
}

uint64_t plan_draw(struct unit *unit, const struct distribution *distribution)
{
	double left;

	if (!distribution->n)
		return 0;
	left = next(unit) * (double)distribution->n;
	for (size_t i = 0; i < distribution->rows; i++) {
		const struct row *row = &distribution->row[i];

		if (left < (double)row->count)
			return row->low + (uint64_t)(left / (double)row->count * (double)(row->high - row->low + 1));
		left -= (double)row->count;
	}
	return distribution->row[distribution->rows - 1].high;
}

static struct unit begin(int stage, uint16_t port, uint32_t turn, unsigned n)
{
	return (struct unit){ .seed = mix((uint64_t)port << 32 | (uint64_t)stage << 16 | n) << 16, .turn = turn };
}

/* Which of the network stage's paths requests take, which return answers of workers, and which of the other stages' do work. */
static bool takes_part(const struct profile *profile, int stage, const struct path *path, bool returns)
{
	if (stage != profile->network)
		return path->steps > 0;
	return returns ? !path->requests && path->writes && !path->reads : path->requests && path->reads;
}

static struct unit pick(const struct profile *profile, int stage, struct unit unit, bool returns)
{
	const struct stage *of = &profile->stage[stage];
	double all = 0, left;

	for (size_t i = 0; i < of->paths; i++)
		all += takes_part(profile, stage, &of->path[i], returns) ? (double)of->path[i].units : 0;
	left = next(&unit) * all;
	for (size_t i = 0; i < of->paths; i++) {
		if (!takes_part(profile, stage, &of->path[i], returns))
			continue;
		unit.path = &of->path[i];
		left -= (double)of->path[i].units;
		if (left < 0)
			break;
	}
	return unit;
}

struct unit plan_unit(const struct profile *profile, int stage, uint16_t port, uint32_t turn, unsigned n)
{
	return pick(profile, stage, begin(stage, port, turn, n), false);
}

struct unit plan_return(const struct profile *profile, uint16_t port, uint32_t turn)
{
	return pick(profile, profile->network, begin(profile->network, port, turn, UINT16_MAX), true);
}

bool plan_is_worker(const struct profile *profile, int stage)
{
	const struct stage *of = &profile->stage[stage];

	return (!strcmp(of->role, "worker") || !strcmp(of->role, "disk")) && of->from >= 0 && of->from != stage &&
	       of->units > 0;
}

static double requests_of(const struct profile *profile, int stage)
{
	double all = 0;

	for (size_t i = 0; i < profile->stage[stage].paths; i++)
		if (takes_part(profile, stage, &profile->stage[stage].path[i], false))
			all += (double)profile->stage[stage].path[i].units;
	return all;
}

unsigned plan_dispatch(const struct profile *profile, int stage, uint16_t port, uint32_t turn)
{
	struct unit unit = begin(stage, port, turn, UINT16_MAX - 1);
	const double from = requests_of(profile, profile->stage[stage].from);
	const double each = from > 0 ? profile->stage[stage].units / from : 0;

	return (unsigned)(each + next(&unit));
}

static void add_bytes(struct unit unit, uint64_t *asked, uint64_t *answered)
{
	for (size_t i = 0; unit.path && i < unit.path->steps; i++) {
		const struct step *step = &unit.path->step[i];

		for (uint64_t n = steps_times(step, &unit); n; n--) {
			const uint64_t bytes = steps_bytes(step, &unit);

			*asked += steps_reads(step) ? bytes : 0;
			*answered += steps_writes(step) ? bytes : 0;
		}
	}
}

static void add_stage(const struct profile *profile, int stage, uint16_t port, uint32_t turn, unsigned n,
		      uint64_t *asked, uint64_t *answered)
{
	add_bytes(plan_unit(profile, stage, port, turn, n), asked, answered);
	for (int i = 0; i < (int)profile->stages; i++)
		if (plan_is_worker(profile, i) && profile->stage[i].from == stage)
			for (unsigned j = plan_dispatch(profile, i, port, turn); j; j--)
				add_stage(profile, i, port, turn, j, asked, answered);
}

void plan_bytes_of_workers(const struct profile *profile, uint16_t port, uint32_t turn, uint64_t *ret_asked,
			   uint64_t *ret_answered)
{
	*ret_asked = *ret_answered = 0;
	add_stage(profile, profile->network, port, turn, 0, ret_asked, ret_answered);
}

void plan_bytes(const struct profile *profile, uint16_t port, uint32_t turn, uint64_t *ret_asked,
		uint64_t *ret_answered)
{
	plan_bytes_of_workers(profile, port, turn, ret_asked, ret_answered);
	/* A loop sends the answer of a worker that sends none. */
	if (!*ret_answered)
		add_bytes(plan_return(profile, port, turn), ret_asked, ret_answered);
}
