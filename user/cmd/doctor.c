// SPDX-License-Identifier: GPL-2.0-only
/* scope doctor: list what is missing on this machine for a capture, and the remedy. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/plain.h"
#include "cmd/cmd.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/doctor.h"
#include "cmd/document.h"
#include "control/control.h"
#include "perf/perf.h"
#include "proc/file.h"
#include "report/numbers.h"

#define CAPABILITY_SYS_ADMIN 21
#define CAPABILITY_PERFMON 38

void scope_cmd_doctor_say(struct scope_advice *advice, enum scope_doctor_verdict verdict, const char *format, ...)
{
	char text[sizeof(advice->text)];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	scope_plain_put(advice->text, sizeof(advice->text), text, strlen(text), SCOPE_PLAIN_SENTENCE);
	advice->verdict = verdict;
}

void scope_cmd_doctor_line(const char *path, char *line, size_t size)
{
	char *text;

	line[0] = '\0';
	if (scope_proc_file_read(&text, "%s", path))
		return;
	snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static void check_privilege(struct scope_machine *machine, struct scope_advice *advice)
{
	uint64_t capabilities = 0;
	const char *value;
	char *text;

	(void)machine;
	if (!scope_proc_file_read(&text, "/proc/self/status")) {
		value = scope_proc_file_field(text, "CapEff:");
		capabilities = value ? strtoull(value, NULL, 16) : 0;
		free(text);
	}
	if (!(capabilities & (1ull << CAPABILITY_SYS_ADMIN | 1ull << CAPABILITY_PERFMON)))
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "this user may not trace: run as root, as in `sudo scope record -p PID`");
	else if (geteuid())
		scope_cmd_doctor_say(
			advice, SCOPE_DOCTOR_HINT,
			"not root, but CAP_SYS_ADMIN or CAP_PERFMON is there: access to %s and to /proc of "
			"other users' processes is needed too",
			SCOPE_DEVICE_PATH);
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "running as root");
}

static void check_module(struct scope_machine *machine, struct scope_advice *advice)
{
	struct scope_error error = { 0 };
	struct scope_control_info info;
	struct scope_control *control;
	const int err = scope_control_open(&error, &control, &info);

	if (err && access(SCOPE_MODULES_PATH, F_OK)) {
		/* scope_cmd_doctor_loading() prints why it cannot be loaded. */
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING, "the scope module is not loaded");
		return;
	}
	if (err) {
		/* Without the reference to this command. */
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING, "%.*s",
				     (int)(strstr(error.text, "; `scope doctor`")
						   ? strstr(error.text, "; `scope doctor`") - error.text
						   : (ptrdiff_t)strlen(error.text)),
				     error.text);
		return;
	}
	scope_control_close(control);
	machine->loaded = true;
	machine->selftest = info.selftest;
	scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "the scope module is loaded, version %s", info.version);
}

static void check_device(struct scope_machine *machine, struct scope_advice *advice)
{
	if (!machine->loaded)
		return;
	if (access(SCOPE_DEVICE_PATH, F_OK) == 0)
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "%s is there", SCOPE_DEVICE_PATH);
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "%s is missing: `mknod %s c 10 MINOR`, with the number beside `scope` in "
				     "/proc/misc, or mount a devtmpfs on /dev",
				     SCOPE_DEVICE_PATH, SCOPE_DEVICE_PATH);
}

static void check_disabled(struct scope_machine *machine, struct scope_advice *advice)
{
	char line[16];

	if (!machine->loaded)
		return;
	scope_cmd_doctor_line("/sys/module/scope/parameters/disable", line, sizeof(line));
	if (line[0] == 'Y')
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "the module refuses sessions (its parameter disable): `echo 0 > "
				     "/sys/module/scope/parameters/disable`, and take scope.disable=1 off the kernel's "
				     "command line, or disable=1 out of /etc/modprobe.d");
}

/* A capture does not need delays, so they are never a problem. */
static void check_delays(struct scope_machine *machine, struct scope_advice *advice)
{
	char line[16];

	if (!machine->loaded)
		return;
	if (access("/sys/module/scope", F_OK) == 0 && access("/sys/module/scope/parameters/delays", F_OK) != 0) {
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT,
				     "`scope delay` cannot run: this module was built without delays (SCOPE_DELAYS=0)");
		return;
	}
	scope_cmd_doctor_line("/sys/module/scope/parameters/delays", line, sizeof(line));
	if (line[0] == 'N')
		scope_cmd_doctor_say(
			advice, SCOPE_DOCTOR_HINT,
			"`scope delay` cannot run: delays are switched off by the module's parameter delays: "
			"`echo 1 > /sys/module/scope/parameters/delays`, and take delays=0 out of "
			"/etc/modprobe.d, or scope.delays=0 off the kernel's command line");
}

/* Checks kernel_lockdown(7). Prints nothing if its file cannot be read. */
static void check_lockdown(struct scope_machine *machine, struct scope_advice *advice)
{
	char line[128];

	(void)machine;
	scope_cmd_doctor_line("/sys/kernel/security/lockdown", line, sizeof(line));
	if (strstr(line, "[confidentiality]"))
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "the kernel is locked down for confidentiality: it lets nothing trace, neither "
				     "the module nor perf events; boot without lockdown=confidentiality");
	else if (strstr(line, "[integrity]"))
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK,
				     "the kernel is locked down for integrity: what is loaded must be signed, and "
				     "traces as on any kernel");
}

static void check_selftest(struct scope_machine *machine, struct scope_advice *advice)
{
	if (!machine->loaded)
		return;
	if (machine->selftest == SCOPE_SELFTEST_OK)
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK,
				     "the module's probes fire, on switches and on system calls");
	else if (machine->selftest == SCOPE_SELFTEST_FAILED)
		scope_cmd_doctor_say(
			advice, SCOPE_DOCTOR_MISSING,
			"the module's probes on system calls do not fire: end other tracers "
			"(/sys/kernel/tracing/current_tracer), look into /sys/kernel/livepatch, then `rmmod "
			"scope` and load it again");
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK,
				     "the module's probes fire on switches; the first capture tests system calls");
}

static void check_ptrace(struct scope_machine *machine, struct scope_advice *advice)
{
	char line[16];

	(void)machine;
	scope_cmd_doctor_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof(line));
	if (!strcmp(line, "3"))
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT,
				     "kernel.yama.ptrace_scope = 3: stacks of threads that do not run cannot be read "
				     "until it is lowered, which takes a reboot");
}

/* Checks perf events, which a capture uses if there is no module. */
static void check_perf(struct scope_machine *machine, struct scope_advice *advice)
{
	struct scope_error error = { 0 };

	machine->perf = !scope_perf_source_perf.check(&error);
	if (machine->perf)
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK,
				     "perf events can be used: without the module a capture takes "
				     "them, or insist with --source perf");
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT, "no capture by --source perf: %s", error.text);
}

static void check_lacks(struct scope_machine *machine, struct scope_advice *advice)
{
	if (machine->perf && !machine->loaded)
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT, "only the module gives %s",
				     scope_perf_source_perf.lacks);
}

static void check_symbols(struct scope_machine *machine, struct scope_advice *advice)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	(void)machine;
	if (!access("/usr/lib/debug/.build-id", F_OK))
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "separate debug files are installed in /usr/lib/debug");
	else if (urls && *urls)
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "debug files may come from %.200s, with --debuginfod",
				     urls);
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT,
				     "no separate debug files in /usr/lib/debug: a stripped program shows addresses "
				     "instead of names; install its -dbgsym or -debuginfo package");
}

/*
 * for_module: a requirement for loading the module, which is not needed if perf events can be used. But a capture uses
 * a loaded module, so a problem with a loaded module must be fixed.
 */
static const struct check {
	void (*check)(struct scope_machine *machine, struct scope_advice *advice);
	bool for_module;
} checks[] = {
	{ check_privilege, false },
	{ check_perf, false },
	{ check_module, true },
	{ scope_cmd_doctor_file, false },
	{ check_device, false },
	{ check_disabled, false },
	{ check_selftest, false },
	{ check_delays, false },
	{ scope_cmd_doctor_loading, true },
	{ scope_cmd_doctor_installed, true },
	{ scope_cmd_doctor_headers, true },
	{ scope_cmd_doctor_signing, true },
	{ check_lacks, false },
	{ check_ptrace, false },
	{ check_lockdown, false },
	{ check_symbols, false },
	{ scope_cmd_doctor_target, false },
	{ scope_cmd_doctor_runtime, false },
};

#define MARK 9 /* column at which the text of a check begins */

/* Wraps the text on a terminal; in a pipe each check is one line. */
static void print_wrapped(const char *mark, const char *text)
{
	printf("%-*s", MARK, mark);
	scope_report_format_wrapped_to(stdout, text, MARK, MARK, scope_cmd_columns(STDOUT_FILENO));
	putchar('\n');
}

/* list: NULL for text, or the array of checks for JSON. */
static void print_advice(const struct scope_advice *advice, json_t *list)
{
	static const char *const names[] = {
		[SCOPE_DOCTOR_OK] = "ok",
		[SCOPE_DOCTOR_HINT] = "hint",
		[SCOPE_DOCTOR_MISSING] = "missing",
	};
	static const char *const marks[] = {
		[SCOPE_DOCTOR_OK] = "ok",
		[SCOPE_DOCTOR_HINT] = "hint",
		[SCOPE_DOCTOR_MISSING] = "MISSING",
	};

	if (list)
		json_array_append_new(list, json_pack("{s:s, s:o}", "verdict", names[advice->verdict], "text",
						      scope_cmd_document_text(advice->text)));
	else if (isatty(STDOUT_FILENO) && scope_cmd_columns(STDOUT_FILENO) > 2 * MARK)
		print_wrapped(marks[advice->verdict], advice->text);
	else
		printf("%-*s%s\n", MARK, marks[advice->verdict], advice->text);
}

/* The results of all checks. */
struct examined {
	struct scope_advice advice[sizeof(checks) / sizeof(checks[0])];
	size_t count;
	bool lacking, module_lacking;
};

static void run_checks(struct scope_machine *machine, struct examined *examined)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct scope_advice *advice = &examined->advice[examined->count];

		checks[i].check(machine, advice);
		if (!advice->text[0])
			continue;
		examined->count++;
		if (advice->verdict == SCOPE_DOCTOR_MISSING && checks[i].for_module) {
			examined->module_lacking = true;
			if (machine->perf)
				advice->verdict = SCOPE_DOCTOR_HINT;
		} else if (advice->verdict == SCOPE_DOCTOR_MISSING) {
			examined->lacking = true;
		}
	}
}

/* Concludes if a capture can run, and with which source. */
static void conclude(const struct scope_machine *machine, const struct examined *examined, struct scope_advice *answer)
{
	if (examined->lacking || (examined->module_lacking && !machine->perf))
		scope_cmd_doctor_say(answer, SCOPE_DOCTOR_MISSING, "%s",
				     "no capture can run: fix what is marked MISSING below, from the first on");
	else if (examined->module_lacking)
		scope_cmd_doctor_say(answer, SCOPE_DOCTOR_OK, "%s",
				     machine->fixed
					     ? "a capture can run, by perf events"
					     : "a capture can run, by perf events; the module would record more");
	else
		scope_cmd_doctor_say(answer, SCOPE_DOCTOR_OK, "a capture can run, by the module");
}

/* Adds the answer and the checks to the document, prints it and frees it. */
static int print_document(const struct examined *examined, const struct scope_advice *answer, json_t *document)
{
	json_t *list = json_array();

	json_object_set_new(document, "checks", list);
	for (size_t i = 0; i < examined->count; i++)
		print_advice(&examined->advice[i], list);
	json_object_set_new(document, "ready", json_boolean(answer->verdict != SCOPE_DOCTOR_MISSING));
	json_object_set_new(document, "answer", scope_cmd_document_text(answer->text));
	return scope_cmd_document_end("doctor", document);
}

/* document: NULL for text. Prints the answer, then the checks on which it is based. */
static int examine(const char *file, uint32_t pid, json_t *document)
{
	struct scope_machine machine = { .file = file, .pid = pid };
	struct examined examined = { .count = 0 };
	struct scope_advice answer = { 0 };
	struct utsname system;

	uname(&system);
	snprintf(machine.release, sizeof(machine.release), "%.64s", system.release);
	run_checks(&machine, &examined);
	conclude(&machine, &examined, &answer);
	if (document) {
		if (print_document(&examined, &answer, document))
			return SCOPE_EXIT_ERROR;
	} else {
		scope_cmd_text_stdout();
		print_advice(&answer, NULL);
		for (size_t i = 0; i < examined.count; i++)
			print_advice(&examined.advice[i], NULL);
	}
	return answer.verdict == SCOPE_DOCTOR_MISSING ? SCOPE_EXIT_ERROR : SCOPE_EXIT_DONE;
}

int scope_cmd_doctor(int argc, char **argv)
{
	uint64_t pid = 0;
	int option, status;
	bool json = false;

	while ((option = scope_cmd_line_next("doctor", argc, argv)) != -1) {
		switch (option) {
		case SCOPE_OPTION_FORMAT:
			status = scope_cmd_document_format("doctor", optarg, &json);
			if (status)
				return status;
			break;
		case 'p':
			if (scope_cmd_number(optarg, 1, INT_MAX, &pid))
				return scope_cmd_misuse("doctor", "'%s' is not a process number", optarg);
			break;
		case 'h':
			scope_cmd_line_help("doctor");
			return SCOPE_EXIT_DONE;
		default:
			return scope_cmd_line_wrong("doctor", argv);
		}
	}
	if (optind + 1 < argc)
		return scope_cmd_misuse("doctor", "'%s' is not understood", argv[optind + 1]);
	return examine(optind < argc ? argv[optind] : NULL, (uint32_t)pid,
		       json ? scope_cmd_document_begin("doctor") : NULL);
}
