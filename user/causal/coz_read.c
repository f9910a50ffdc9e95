// SPDX-License-Identifier: GPL-2.0-only
/* Reads profiles in the format of Coz. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/grow.h"
#include "base/plain.h"
#include "causal/coz.h"

#define NUMBER_END 18446744073709551616.0 /* 2^64 */
#define NS_MAX 1e18
#define SITES_MAX 10000

/* The fields of one line of any type that are used. Missing numbers are negative. */
struct line {
	char *type, *selected, *name; /* NULL: missing */
	double speedup, duration, samples, delta, departures, difference;
};

struct reading {
	struct scope_coz_profile profile;
	const char *point; /* the requested name, or NULL */
	size_t site_room, experiment_room;
	bool open; /* an experiment was read, and no point of it yet */
	struct scope_experiment now;
};

static double *number_of(struct line *line, const char *key)
{
	const struct {
		const char *key;
		double *number;
	} rows[] = {
		{ "speedup", &line->speedup },
		{ "duration", &line->duration },
		{ "delta", &line->delta },
		{ "departures", &line->departures },
		{ "difference", &line->difference },
		{ "selected-samples", &line->samples },
		{ "selected_samples", &line->samples },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(key, rows[i].key))
			return rows[i].number;
	return NULL;
}

static char **text_of(struct line *line, const char *key)
{
	if (!strcmp(key, "selected"))
		return &line->selected;
	return strcmp(key, "name") ? NULL : &line->name;
}

static int take_number(struct line *line, const char *key, double value)
{
	double *number = number_of(line, key);

	if (!number)
		return 0;
	if (!(value >= 0 && value < NUMBER_END))
		return -EBADMSG;
	*number = value;
	return 0;
}

/* Splits a line in place. */
static int parse_tabs(char *text, struct line *line)
{
	char *rest = text, *field = strsep(&rest, "\t");
	int err = 0;

	line->type = field;
	while (!err && (field = strsep(&rest, "\t"))) {
		char *value = strchr(field, '='), *end, **place;

		if (!value)
			continue;
		*value++ = '\0';
		place = text_of(line, field);
		if (place) {
			*place = value;
		} else if (number_of(line, field)) {
			const double number = strtod(value, &end);

			err = end == value || *end ? -EBADMSG : take_number(line, field, number);
		}
	}
	return err;
}

/* Reads an object; texts point into it. */
static int parse_object(json_t *object, struct line *line)
{
	const char *key;
	json_t *value;
	int err = 0;

	line->type = (char *)json_string_value(json_object_get(object, "type"));
	json_object_foreach(object, key, value) {
		char **place = text_of(line, key);

		if (place)
			*place = (char *)json_string_value(value);
		else if (!err && number_of(line, key))
			err = json_is_number(value) ? take_number(line, key, json_number_value(value)) : -EBADMSG;
	}
	return line->type ? err : -EBADMSG;
}

static int find_site(struct reading *reading, const char *name, uint32_t *ret_site)
{
	struct scope_coz_profile *profile = &reading->profile;

	for (uint32_t i = 0; i < profile->sites; i++) {
		if (strcmp(profile->site[i], name))
			continue;
		*ret_site = i;
		return 0;
	}
	if (profile->sites == SITES_MAX ||
	    scope_grow(&profile->site, &reading->site_room, profile->sites + 1u, sizeof(*profile->site)))
		return -ENOMEM;
	profile->site[profile->sites] = strdup(name);
	if (!profile->site[profile->sites])
		return -ENOMEM;
	*ret_site = profile->sites++;
	return 0;
}

static int take_experiment(struct reading *reading, const struct line *line)
{
	uint32_t site;
	int err;

	if (!line->selected || !(line->speedup >= 0 && line->speedup <= 1) || !(line->duration >= 0))
		return -EBADMSG;
	/* If more time was inserted than elapsed, Coz writes the wrapped difference. */
	if (line->duration > NS_MAX) {
		reading->open = false;
		reading->profile.skipped++;
		return 0;
	}
	err = find_site(reading, line->selected, &site);
	if (err)
		return err;
	reading->now = (struct scope_experiment){
		/* Profiles have two digits: 0.15 must always become the same number. */
		.site = site,
		.value = round(line->speedup * 1e4) / 1e4,
		.elapsed_ns = (uint64_t)line->duration,
		/* That a profile has no samples is no reason for doubt. */
		.visits = line->samples >= 0 ? (uint64_t)line->samples : SCOPE_CAUSAL_VISITS_MIN,
	};
	reading->open = true;
	return 0;
}

/* True if the line belongs to the point with this name, or to its latency. */
static bool is_of(const char *point, const char *name, bool latency)
{
	const size_t length = strlen(point);

	if (strncmp(name, point, length))
		return false;
	return !name[length] || (latency && !strcmp(name + length, SCOPE_COZ_LATENCY));
}

/* For some programs Coz 0.2.2 writes a number like an address, 9e13 and more, as the difference. */
#define IN_FLIGHT_MAX 1e9

static double in_flight(const struct line *line)
{
	return line->difference >= 0 && line->difference <= IN_FLIGHT_MAX ? line->difference : 0;
}

/* Visits of the chosen point end the experiment; a latency point with the same name adds to it. */
static int take_point(struct reading *reading, const struct line *line, bool latency)
{
	struct scope_coz_profile *profile = &reading->profile;
	const double visits = latency ? line->departures : line->delta;
	const char *point = reading->point ? reading->point : profile->point;

	if (!line->name || visits < 0)
		return -EBADMSG;
	if (point && !is_of(point, line->name, latency))
		return 0;
	if (!profile->point && !(profile->point = strdup(line->name)))
		return -ENOMEM;
	if (latency && !reading->open && profile->count)
		profile->experiment[profile->count - 1].in_flight = in_flight(line);
	if (!reading->open)
		return 0;
	if (scope_grow(&profile->experiment, &reading->experiment_room, profile->count + 1,
		       sizeof(*profile->experiment)))
		return -ENOMEM;
	reading->now.progress = (uint64_t)visits;
	reading->now.in_flight = latency ? in_flight(line) : 0;
	profile->experiment[profile->count++] = reading->now;
	reading->open = false;
	return 0;
}

/* Lines of types that are not in the table are skipped. */
static int take_line(struct reading *reading, const struct line *line)
{
	static const struct {
		const char *type;
		bool latency;
	} points[] = {
		{ "throughput-point", false }, { "throughput_point", false }, { "progress-point", false },
		{ "latency-point", true },     { "latency_point", true },
	};

	if (!strcmp(line->type, "experiment"))
		return take_experiment(reading, line);
	for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++)
		if (!strcmp(line->type, points[i].type))
			return take_point(reading, line, points[i].latency);
	return 0;
}

/* The same with names in plain form. */
static int take_plain(struct reading *reading, struct line line)
{
	char *selected = line.selected ? scope_plain_copy(line.selected, SCOPE_PLAIN_SENTENCE) : NULL;
	char *name = line.name ? scope_plain_copy(line.name, SCOPE_PLAIN_SENTENCE) : NULL;
	int err = -ENOMEM;

	if (!selected == !line.selected && !name == !line.name) {
		line.selected = selected;
		line.name = name;
		err = take_line(reading, &line);
	}
	free(selected);
	free(name);
	return err;
}

static int read_line(struct reading *reading, char *text)
{
	struct line line = {
		.speedup = -1,
		.duration = -1,
		.samples = -1,
		.delta = -1,
		.departures = -1,
		.difference = -1,
	};
	json_t *object = NULL;
	int err;

	if (*text == '{') {
		object = json_loads(text, 0, NULL);
		err = object ? parse_object(object, &line) : -EBADMSG;
	} else {
		err = parse_tabs(text, &line);
	}
	if (!err)
		err = take_plain(reading, line);
	json_decref(object);
	return err;
}

int scope_causal_coz_read(FILE *in, const char *point, struct scope_error *error, struct scope_coz_profile *ret_profile)
{
	struct reading reading = { .point = point };
	size_t room = 0, number = 0;
	char *text = NULL;
	int err = 0;

	while (!err && getline(&text, &room, in) >= 0) {
		number++;
		text[strcspn(text, "\r\n")] = '\0';
		if (*text)
			err = read_line(&reading, text);
	}
	free(text);
	if (err == -EBADMSG)
		scope_error_set(error, err, "line %zu is none of a Coz profile", number);
	else if (err)
		scope_error_set(error, err, "no memory for a Coz profile of %zu lines", number);
	else if (!reading.profile.count)
		err = scope_error_set(error, -ENODATA, "no experiment of a Coz profile%s%s stands there",
				      point ? " with the progress point " : "", point ? point : "");
	if (err)
		scope_causal_coz_free(&reading.profile);
	else
		*ret_profile = reading.profile;
	return err;
}

void scope_causal_coz_free(struct scope_coz_profile *profile)
{
	for (uint32_t i = 0; i < profile->sites; i++)
		free(profile->site[i]);
	free(profile->site);
	free(profile->point);
	free(profile->experiment);
	*profile = (struct scope_coz_profile){ 0 };
}
