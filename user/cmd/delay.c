// SPDX-License-Identifier: GPL-2.0-only
/* scope delay: hold a process up on purpose, and tell what that changes. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/duration.h"
#include "causal/coz.h"
#include "causal/series.h"
#include "cmd/cmd.h"
#include "report/delay.h"
#include "source/source.h"
#include "source/target.h"

static const char usage[] =
	"Usage: scope delay sensitivity -p PID --site SITE [--site SITE...] [OPTION...]\n"
	"       scope delay read FILE [OPTION...]\n"
	"Experiments that tell whether a place matters. sensitivity holds the threads of a process\n"
	"up there, for several lengths in random order, and fits what that does to its progress.\n"
	"read does the arithmetic for a profile in the format of Coz.\n\n"
	"  -p, --pid PID          the process; descendants too\n"
	"      --no-follow        leave descendants out\n"
	"      --site SITE        where: syscall:NAME (before the call), return:NAME (as it returns),\n"
	"                         receive (bytes from a socket), function:NAME or function:FILE:NAME\n"
	"                         (of the program), kernel:SYMBOL; up to 8 times\n"
	"      --by LIST          delays with commas (default 0,50us,200us,1ms; 0 is always there)\n"
	"      --progress POINT   what is counted: request (default: an answer on an accepted\n"
	"                         connection), syscall:NAME, function:NAME, begin:MARK,end:MARK; for\n"
	"                         read: the name of one in the profile\n"
	"      --repeats N        each delay so often (default 8)\n"
	"      --length TIME      of one experiment (default 500ms; longer where too little happens)\n"
	"      --cool-off TIME    before each, with its delay on (default 50ms)\n"
	"      --max-delay TIME   of all threads together in a second (default 10s)\n"
	"      --seed N           of the order and the intervals (default: by chance; it is printed)\n"
	"      --format NAME      text or json (default text)\n"
	"  -o, --output FILE      write there instead of standard output\n"
	"      --svg FILE         the plots as a picture\n"
	"      --coz FILE         the experiments in Coz's format; named *.jsonl: a JSON object a line\n"
	"  -h, --help             this text\n\n"
	"Ctrl-C ends it early and prints what there is. Needs root and the module: delays are served in\n"
	"the kernel. They slow the program down: this is for tests, not for production.\n";

#define SITES_MAX 8
#define VALUES_MAX 16
#define COOL_OFF_NS 50000000ull /* queues fill or drain meanwhile */
#define REPEATS 8
#define REPEATS_MAX 10000

enum {
	OPTION_NO_FOLLOW = 256,
	OPTION_SITE,
	OPTION_BY,
	OPTION_PROGRESS,
	OPTION_REPEATS,
	OPTION_LENGTH,
	OPTION_COOL_OFF,
	OPTION_MAX_DELAY,
	OPTION_SEED,
	OPTION_FORMAT,
	OPTION_SVG,
	OPTION_COZ,
};

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "no-follow", no_argument, NULL, OPTION_NO_FOLLOW },
	{ "site", required_argument, NULL, OPTION_SITE },
	{ "by", required_argument, NULL, OPTION_BY },
	{ "progress", required_argument, NULL, OPTION_PROGRESS },
	{ "repeats", required_argument, NULL, OPTION_REPEATS },
	{ "length", required_argument, NULL, OPTION_LENGTH },
	{ "cool-off", required_argument, NULL, OPTION_COOL_OFF },
	{ "max-delay", required_argument, NULL, OPTION_MAX_DELAY },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "format", required_argument, NULL, OPTION_FORMAT },
	{ "output", required_argument, NULL, 'o' },
	{ "svg", required_argument, NULL, OPTION_SVG },
	{ "coz", required_argument, NULL, OPTION_COZ },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct request {
	uint32_t pid; /* 0: none named */
	bool follow, json, help;
	const char *site[SITES_MAX];
	uint32_t sites;
	double value[VALUES_MAX];
	size_t values;
	const char *progress; /* NULL: the default */
	uint32_t repeats;
	uint64_t length_ns, cool_off_ns, second_max_ns, seed;
	const char *output, *svg, *coz; /* NULL: none */
};

/* "0,50us,1ms": each at most what the module takes. */
static int take_values(const char *text, struct request *request)
{
	char copy[256], *rest = copy, *word;

	request->values = 0;
	if (strlen(text) >= sizeof(copy))
		return -EINVAL;
	strcpy(copy, text);
	while ((word = strsep(&rest, ","))) {
		uint64_t ns = 0;

		if (request->values == VALUES_MAX || (strcmp(word, "0") && scope_duration_parse(word, &ns)) ||
		    ns > SCOPE_DELAY_NS_MAX)
			return -EINVAL;
		for (size_t i = 0; i < request->values; i++)
			if (request->value[i] == (double)ns)
				return -EINVAL;
		request->value[request->values++] = (double)ns;
	}
	/* Nothing but 0 is no experiment. */
	return request->values == 1 && request->value[0] == 0 ? -EINVAL : 0;
}

static int take_number(int option, const char *value, struct request *request)
{
	uint64_t number;

	switch (option) {
	case 'p':
		if (scope_cmd_number(value, 1, UINT32_MAX, &number))
			return scope_cmd_misuse("delay", "-p wants the number of a process, not '%s'", value);
		request->pid = (uint32_t)number;
		return 0;
	case OPTION_REPEATS:
		if (scope_cmd_number(value, 1, REPEATS_MAX, &number))
			return scope_cmd_misuse("delay", "--repeats wants a number from 1 to %d, not '%s'",
						REPEATS_MAX, value);
		request->repeats = (uint32_t)number;
		return 0;
	case OPTION_LENGTH:
		if (scope_cmd_seconds(value, &request->length_ns))
			return scope_cmd_misuse("delay", "--length wants a time as 500ms or 2, not '%s'", value);
		return 0;
	case OPTION_COOL_OFF:
		if (strcmp(value, "0") && scope_cmd_seconds(value, &request->cool_off_ns))
			return scope_cmd_misuse("delay", "--cool-off wants a time as 50ms, not '%s'", value);
		if (!strcmp(value, "0"))
			request->cool_off_ns = 0;
		return 0;
	case OPTION_MAX_DELAY:
		if (scope_cmd_seconds(value, &request->second_max_ns))
			return scope_cmd_misuse("delay", "--max-delay wants a time as 2 or 500ms, not '%s'",
						value);
		return 0;
	default:
		if (scope_cmd_number(value, 0, INT64_MAX, &request->seed))
			return scope_cmd_misuse("delay", "--seed wants a number, not '%s'", value);
		return 0;
	}
}

/* 0, or the exit status for a value that makes no sense. */
static int take(int option, const char *value, struct request *request)
{
	switch (option) {
	case OPTION_NO_FOLLOW:
		request->follow = false;
		return 0;
	case OPTION_SITE:
		if (request->sites == SITES_MAX)
			return scope_cmd_misuse("delay", "at most %d times --site", SITES_MAX);
		request->site[request->sites++] = value;
		return 0;
	case OPTION_BY:
		if (take_values(value, request))
			return scope_cmd_misuse("delay", "--by wants up to %d different delays of 1 s at most, "
						"as 0,50us,1ms, not '%s'", VALUES_MAX, value);
		return 0;
	case OPTION_PROGRESS:
		request->progress = value;
		return 0;
	case OPTION_FORMAT:
		if (strcmp(value, "text") && strcmp(value, "json"))
			return scope_cmd_misuse("delay", "--format wants text or json, not '%s'", value);
		request->json = !strcmp(value, "json");
		return 0;
	case 'o':
		request->output = value;
		return 0;
	case OPTION_SVG:
		request->svg = value;
		return 0;
	case OPTION_COZ:
		request->coz = value;
		return 0;
	default:
		return take_number(option, value, request);
	}
}

static int parse(int argc, char **argv, struct request *request)
{
	int option, status;

	while ((option = getopt_long(argc, argv, "p:o:h", long_options, NULL)) != -1) {
		if (option == '?')
			return scope_cmd_misuse("delay", "that option is not understood");
		if (option == 'h') {
			request->help = true;
			return 0;
		}
		status = take(option, optarg, request);
		if (status)
			return status;
	}
	return 0;
}

static int cannot_write(const char *path, int code, struct scope_error *error)
{
	return scope_error_set(error, code, "cannot write %.200s: %s", path, strerror(-code));
}

/* Has a file written by write. path NULL: standard output. */
static int write_file(const char *path, int (*write)(const struct scope_causal_result *result, bool flag,
						     FILE *out),
		      const struct scope_causal_result *result, bool flag, struct scope_error *error)
{
	FILE *out = path ? fopen(path, "we") : stdout;
	int code;

	if (!out)
		return cannot_write(path, -errno, error);
	code = write(result, flag, out);
	if ((path ? fclose(out) : fflush(out)) && !code)
		code = -errno;
	return code ? cannot_write(path ? path : "standard output", code, error) : 0;
}

static int write_json(const struct scope_causal_result *result, bool flag, FILE *out)
{
	(void)flag;
	return scope_delay_json(result, out);
}

static int write_svg(const struct scope_causal_result *result, bool flag, FILE *out)
{
	(void)flag;
	return scope_delay_svg(result, out);
}

static int write_coz(const struct scope_causal_result *result, bool json, FILE *out)
{
	return scope_coz_write(result, json, out);
}

static bool ends_in(const char *text, const char *end)
{
	const size_t length = strlen(text), tail = strlen(end);

	return length >= tail && !strcmp(text + length - tail, end);
}

/* Computes the effects and writes all that was asked for. */
static int give(const struct request *request, struct scope_causal_result *result,
		struct scope_error *error)
{
	const bool colour = !request->output && isatty(STDOUT_FILENO);
	int code = scope_causal_result_compute(result);

	if (code)
		return scope_error_set(error, code, "no memory for %zu experiments", result->count);
	scope_cmd_progress_end();
	code = write_file(request->output, request->json ? write_json : scope_delay_text, result, colour,
			  error);
	if (!code && request->svg)
		code = write_file(request->svg, write_svg, result, false, error);
	if (!code && request->coz)
		code = write_file(request->coz, write_coz, result, ends_in(request->coz, ".jsonl"), error);
	scope_causal_result_free(result);
	return code;
}

/* What one process and the words of the command line make. */
struct setup {
	struct scope_target target;
	struct scope_site site[SITES_MAX];
	struct scope_point point;
	struct scope_plan plan;
};

static int make_setup(const struct request *request, struct scope_error *error, struct setup *setup)
{
	int code;

	code = scope_source_module.check(error);
	if (code) {
		char why[sizeof(error->text)];

		strcpy(why, error->text);
		return scope_error_set(error, code, "only the module can hold threads up, perf events cannot; "
				       "%.380s", why);
	}
	code = scope_target_find(request->pid, error, &setup->target);
	if (!code)
		code = scope_point_parse(setup->target.tgid, request->progress ? request->progress : "request",
					 error, &setup->point);
	for (uint32_t i = 0; i < request->sites && !code; i++)
		code = scope_site_parse(setup->target.tgid, request->site[i], error, &setup->site[i]);
	if (code)
		return code;
	code = scope_plan_delays(request->value, request->values, request->sites, request->repeats,
				 request->seed, &setup->plan);
	return code ? scope_error_set(error, code, "no memory for the plan of the experiments") : 0;
}

static void on_progress(void *context, size_t index, const struct scope_plan_step *step, double left_s)
{
	const struct request *request = context;

	scope_cmd_progress("experiment %zu: %s by %.0f us, %.0f s left", index + 1,
			   request->site[step->site], step->value / 1e3, left_s);
}

static void say_what_comes(const struct request *request, const struct setup *setup)
{
	if (setup->target.note[0])
		fprintf(stderr, "scope delay: %s\n", setup->target.note);
	fprintf(stderr, "scope delay: %zu experiments of %.2f s, %.0f s in all; --seed %" PRIu64
		" repeats their order\n", setup->plan.count, (double)request->length_ns / 1e9,
		(double)(request->length_ns + request->cool_off_ns) * (double)setup->plan.count / 1e9,
		request->seed);
}

static const char *ended_by(const struct scope_series_result *series)
{
	switch (series->end) {
	case SCOPE_SERIES_DONE:
		return "";
	case SCOPE_SERIES_INTERRUPTED:
		return "interrupted";
	default:
		return series->why.text;
	}
}

static int run_series(struct request *request, const struct setup *setup, struct scope_error *error)
{
	const struct scope_series_options options = {
		.inject = {
			.tgid = setup->target.tgid, .follow = request->follow, .site = setup->site,
			.sites = request->sites, .point = &setup->point,
			.second_max_ns = request->second_max_ns,
		},
		.plan = &setup->plan, .length_ns = request->length_ns, .cool_off_ns = request->cool_off_ns,
	};
	const struct scope_series_watch watch = { .progress = on_progress, .context = request };
	struct scope_series_result series;
	struct scope_causal_result result;
	struct utsname system;
	int code;

	say_what_comes(request, setup);
	code = scope_series_run(&options, scope_cmd_catch_signals(), &watch, error, &series);
	if (code)
		return code;
	uname(&system);
	result = (struct scope_causal_result){
		.kind = SCOPE_CAUSAL_SENSITIVITY, .program = setup->target.comm, .pid = setup->target.tgid,
		.kernel = system.release, .seed = request->seed,
		.progress = request->progress ? request->progress : "request",
		.site = request->site, .sites = request->sites, .experiment = series.experiment,
		.count = series.count, .planned = setup->plan.count, .ended = ended_by(&series),
		.delays = series.delays, .late_p50_ns = series.late_p50_ns,
		.late_p99_ns = series.late_p99_ns,
	};
	code = give(request, &result, error);
	/* It was printed as far as it came; the status tells that it is not what was asked for. */
	if (!code && (series.end == SCOPE_SERIES_FAILED || series.end == SCOPE_SERIES_NO_PROGRESS)) {
		*error = series.why;
		code = -ENODATA;
	}
	scope_series_free(&series);
	return code;
}

static int sensitivity(struct request *request, struct scope_error *error)
{
	struct setup *setup = calloc(1, sizeof(*setup));
	int code;

	if (!setup)
		return scope_error_set(error, -ENOMEM, "no memory left to begin");
	code = make_setup(request, error, setup);
	if (!code)
		code = run_series(request, setup, error);
	scope_plan_free(&setup->plan);
	free(setup);
	return code;
}

static int read_profile(const struct request *request, const char *path, struct scope_error *error)
{
	struct scope_coz_profile profile;
	struct scope_causal_result result;
	struct scope_error why = { "" };
	FILE *in = fopen(path, "re");
	int code;

	if (!in)
		return scope_error_set(error, -errno, "cannot open %.200s: %s", path, strerror(errno));
	code = scope_cmd_drop_privilege(error);
	if (!code) {
		code = scope_coz_read(in, request->progress, &why, &profile);
		if (code)
			scope_error_set(error, code, "%.200s: %.280s", path, why.text);
	}
	fclose(in);
	if (code)
		return code;
	if (profile.skipped)
		fprintf(stderr, "scope delay: %zu experiments are left out: longer delays than time\n",
			profile.skipped);
	result = (struct scope_causal_result){
		.kind = SCOPE_CAUSAL_SPEEDUP, .program = "", .kernel = "", .seed = request->seed,
		.progress = profile.point, .site = (const char *const *)profile.site,
		.sites = profile.sites, .experiment = profile.experiment, .count = profile.count,
		.planned = profile.count, .ended = "",
	};
	code = give(request, &result, error);
	scope_coz_free(&profile);
	return code;
}

static int run(struct request *request, int argc, char **argv)
{
	struct scope_error error = { "" };
	int code;

	if (optind < argc && !strcmp(argv[optind], "read")) {
		if (optind + 2 != argc)
			return scope_cmd_misuse("delay", "read wants one file");
		code = read_profile(request, argv[optind + 1], &error);
	} else if (optind + 1 != argc || strcmp(argv[optind], "sensitivity")) {
		return scope_cmd_misuse("delay", "what shall be done: sensitivity, or read FILE?");
	} else if (!request->pid || !request->sites) {
		return scope_cmd_misuse("delay", "which process, and where in it? -p PID --site SITE");
	} else {
		code = sensitivity(request, &error);
	}
	return code ? scope_cmd_fail("delay", &error) : SCOPE_EXIT_DONE;
}

int scope_cmd_delay(int argc, char **argv)
{
	struct request request = {
		.follow = true, .value = { 0, 50e3, 200e3, 1e6 }, .values = 4, .repeats = REPEATS,
		.length_ns = SCOPE_PLAN_LENGTH_NS, .cool_off_ns = COOL_OFF_NS,
	};
	int status;

	/* Small enough to be typed again. */
	if (getrandom(&request.seed, sizeof(request.seed), GRND_NONBLOCK) < 0)
		request.seed = (uint64_t)getpid();
	request.seed %= 1000000;
	status = parse(argc, argv, &request);
	if (status)
		return status;
	if (request.help) {
		fputs(usage, stdout);
		return SCOPE_EXIT_DONE;
	}
	return run(&request, argc, argv);
}
