// SPDX-License-Identifier: GPL-2.0-only
/* scope doctor: tell what this machine lacks for a capture, and the remedy. */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "control/control.h"
#include "control/modinfo.h"
#include "source/file.h"
#include "source/source.h"

#define CAPABILITY_SYS_ADMIN 21
#define CAPABILITY_PERFMON 38

static const char usage[] =
	"Usage: scope doctor [SCOPE.KO]\n"
	"Tell what this machine lacks for a capture, and the remedy; of a module's file, whether this\n"
	"kernel takes it.\n\n"
	"  -h, --help   this text\n\n"
	"Exit status 0 where a capture can run, by the module or by perf events; 1 where none can, or\n"
	"where the file named does not fit.\n";

static const struct option long_options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

enum verdict {
	VERDICT_OK,
	VERDICT_HINT, /* works, could be better */
	VERDICT_MISSING,
};

struct machine {
	char release[65];
	bool loaded; /* the module, and it can be talked to */
	bool perf;   /* perf events can be used */
	enum scope_selftest selftest;
	const char *file; /* a scope.ko to look at, NULL for none */
};

struct finding {
	enum verdict verdict;
	char text[640];
};

__attribute__((format(printf, 3, 4))) static void say(struct finding *finding, enum verdict verdict,
						       const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
	finding->verdict = verdict;
}

/* First line of a file below /proc or /sys, "" where it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
	char *text;

	line[0] = '\0';
	if (scope_file_read(&text, "%s", path))
		return;
	snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
	free(text);
}

static void check_privilege(struct machine *machine, struct finding *finding)
{
	uint64_t capabilities = 0;
	const char *value;
	char *text;

	(void)machine;
	if (!scope_file_read(&text, "/proc/self/status")) {
		value = scope_file_field(text, "CapEff:");
		capabilities = value ? strtoull(value, NULL, 16) : 0;
		free(text);
	}
	if (!(capabilities & (1ull << CAPABILITY_SYS_ADMIN | 1ull << CAPABILITY_PERFMON)))
		say(finding, VERDICT_MISSING,
		    "this user may not trace: run as root, as in `sudo scope record -p PID`");
	else if (geteuid())
		say(finding, VERDICT_HINT,
		    "not root, but CAP_SYS_ADMIN or CAP_PERFMON is there: access to %s and to /proc of "
		    "other users' processes is needed too", SCOPE_DEVICE_PATH);
	else
		say(finding, VERDICT_OK, "running as root");
}

static void check_module(struct machine *machine, struct finding *finding)
{
	struct scope_error error = { 0 };
	struct scope_control_info info;
	struct scope_control *control;
	const int code = scope_control_open(&error, &control, &info);

	if (code) {
		say(finding, VERDICT_MISSING, "%s", error.text);
		return;
	}
	scope_control_close(control);
	machine->loaded = true;
	machine->selftest = info.selftest;
	say(finding, VERDICT_OK, "the scope module is loaded, version %s", info.version);
}

/* insmod says no more than "Invalid module format" of a module for another kernel. */
static void check_file(struct machine *machine, struct finding *finding)
{
	const size_t length = strlen(machine->release);
	struct scope_error error = { 0 };
	char magic[256];

	if (!machine->file)
		return;
	if (scope_modinfo_read(machine->file, "vermagic", &error, magic, sizeof(magic)))
		say(finding, VERDICT_MISSING, "%s", error.text);
	else if (!strncmp(magic, machine->release, length) && magic[length] == ' ')
		say(finding, VERDICT_OK, "%s is for this kernel, %s", machine->file, machine->release);
	else
		say(finding, VERDICT_MISSING,
		    "%s is for kernel %.*s, and this is %s: build one with `make kmod "
		    "KDIR=/lib/modules/%s/build`", machine->file, (int)strcspn(magic, " "), magic,
		    machine->release, machine->release);
}

static void check_device(struct machine *machine, struct finding *finding)
{
	if (!machine->loaded)
		return;
	if (access(SCOPE_DEVICE_PATH, F_OK) == 0)
		say(finding, VERDICT_OK, "%s is there", SCOPE_DEVICE_PATH);
	else
		say(finding, VERDICT_MISSING,
		    "%s is missing: `mknod %s c 10 MINOR`, with the number beside `scope` in "
		    "/proc/misc, or mount a devtmpfs on /dev", SCOPE_DEVICE_PATH, SCOPE_DEVICE_PATH);
}

static void check_disabled(struct machine *machine, struct finding *finding)
{
	char line[16];

	if (!machine->loaded)
		return;
	read_line("/sys/module/scope/parameters/disable", line, sizeof(line));
	if (line[0] == 'Y')
		say(finding, VERDICT_MISSING,
		    "the module refuses sessions (its parameter disable): `echo 0 > "
		    "/sys/module/scope/parameters/disable`, and take scope.disable=1 off the kernel's "
		    "command line, or disable=1 out of /etc/modprobe.d");
}

static void check_selftest(struct machine *machine, struct finding *finding)
{
	if (!machine->loaded)
		return;
	if (machine->selftest == SCOPE_SELFTEST_OK)
		say(finding, VERDICT_OK, "the module's probes fire, on switches and on system calls");
	else if (machine->selftest == SCOPE_SELFTEST_FAILED)
		say(finding, VERDICT_MISSING,
		    "the module's probes on system calls do not fire: end other tracers "
		    "(/sys/kernel/tracing/current_tracer), look into /sys/kernel/livepatch, then `rmmod "
		    "scope` and load it again");
	else
		say(finding, VERDICT_OK,
		    "the module's probes fire on switches; the first capture tests system calls");
}

static void check_loading(struct machine *machine, struct finding *finding)
{
	char line[64];

	if (machine->loaded)
		return;
	if (access("/proc/modules", F_OK)) {
		say(finding, VERDICT_MISSING,
		    "kernel %s takes no modules (built without CONFIG_MODULES): boot one that does",
		    machine->release);
		return;
	}
	read_line("/proc/sys/kernel/modules_disabled", line, sizeof(line));
	if (!strcmp(line, "1"))
		say(finding, VERDICT_MISSING,
		    "loading modules was switched off until the next boot "
		    "(kernel.modules_disabled = 1): reboot, and load scope before that is set");
	else
		say(finding, VERDICT_OK, "kernel %s takes modules", machine->release);
}

static bool os_is_like(const char *text, const char *name)
{
	const char *keys[] = { "ID=", "ID_LIKE=" };
	const char *value;
	char line[128];
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		value = scope_file_field(text, keys[i]);
		if (!value)
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(value, "\n"), value);
		if (strstr(line, name))
			return true;
	}
	return false;
}

/* The package that holds the headers of a kernel, by distribution. */
static void check_headers(struct machine *machine, struct finding *finding)
{
	static const struct {
		const char *name, *install;
		bool with_release; /* the package's name ends in it */
	} rows[] = {
		{ "debian", "apt-get install linux-headers-", true },
		{ "rhel", "yum install kernel-devel-", true },
		{ "fedora", "dnf install kernel-devel-", true },
		{ "suse", "zypper install kernel-default-devel", false },
		{ "arch", "pacman -S linux-headers", false },
	};
	char path[128], install[192] = "install the headers or devel package of the kernel";
	char *text;
	size_t i;

	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", machine->release);
	if (!access(path, F_OK)) {
		say(finding, VERDICT_OK, "headers of kernel %s are installed", machine->release);
		return;
	}
	if (!scope_file_read(&text, "/etc/os-release")) {
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (!os_is_like(text, rows[i].name))
				continue;
			snprintf(install, sizeof(install), "`%s%s`", rows[i].install,
				 rows[i].with_release ? machine->release : "");
			break;
		}
		free(text);
	}
	say(finding, machine->loaded ? VERDICT_HINT : VERDICT_MISSING,
	    "no headers of kernel %s, which building scope.ko needs: %s; or build it on another "
	    "machine with `make kmod KDIR=...`", machine->release, install);
}

static void check_signing(struct machine *machine, struct finding *finding)
{
	char lockdown[128], enforce[16];

	if (machine->loaded)
		return;
	read_line("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	read_line("/sys/module/module/parameters/sig_enforce", enforce, sizeof(enforce));
	if (strstr(lockdown, "[integrity]") || strstr(lockdown, "[confidentiality]") ||
	    enforce[0] == 'Y')
		say(finding, VERDICT_MISSING,
		    "this kernel loads signed modules only (%s): sign scope.ko with "
		    "`/lib/modules/%s/build/scripts/sign-file sha256 KEY CERT scope.ko` and enrol the "
		    "certificate by `mokutil --import CERT` and a reboot, or switch Secure Boot off",
		    enforce[0] == 'Y' ? "sig_enforce" : "lockdown", machine->release);
	else
		say(finding, VERDICT_OK, "unsigned modules may be loaded");
}

static void check_ptrace(struct machine *machine, struct finding *finding)
{
	char line[16];

	(void)machine;
	read_line("/proc/sys/kernel/yama/ptrace_scope", line, sizeof(line));
	if (!strcmp(line, "3"))
		say(finding, VERDICT_HINT,
		    "kernel.yama.ptrace_scope = 3: stacks of threads that stand still cannot be read "
		    "until it is lowered, which takes a reboot");
}

/* What a capture falls back to. */
static void check_perf(struct machine *machine, struct finding *finding)
{
	struct scope_error error = { 0 };

	machine->perf = !scope_source_perf.check(&error);
	if (machine->perf)
		say(finding, VERDICT_OK, "perf events can be used: without the module a capture takes "
		    "them, or insist with --source perf");
	else
		say(finding, VERDICT_HINT, "no capture by --source perf: %s", error.text);
}

static void check_symbols(struct machine *machine, struct finding *finding)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	(void)machine;
	if (!access("/usr/lib/debug/.build-id", F_OK))
		say(finding, VERDICT_OK, "separate debug files are installed in /usr/lib/debug");
	else if (urls && *urls)
		say(finding, VERDICT_OK, "debug files may come from %.200s, with --debuginfod", urls);
	else
		say(finding, VERDICT_HINT,
		    "no separate debug files in /usr/lib/debug: a stripped program shows addresses "
		    "instead of names; install its -dbgsym or -debuginfo package");
}

/*
 * for_module: what loading the module needs, which is no hindrance where perf events can be used. A
 * module that is loaded is what a capture takes: what ails that one is to be mended.
 */
static const struct check {
	void (*check)(struct machine *machine, struct finding *finding);
	bool for_module;
} checks[] = {
	{ check_privilege, false }, { check_perf, false },     { check_module, true },
	{ check_file, false },	    { check_device, false },   { check_disabled, false },
	{ check_selftest, false },  { check_loading, true },   { check_headers, true },
	{ check_signing, true },    { check_ptrace, false },   { check_symbols, false },
};

static void tell(const struct finding *finding)
{
	static const char *const marks[] = {
		[VERDICT_OK] = "ok",
		[VERDICT_HINT] = "hint",
		[VERDICT_MISSING] = "MISSING",
	};

	printf("%-8s %s\n", marks[finding->verdict], finding->text);
}

/* The last line: can a capture run, and by what? */
static int conclude(const struct machine *machine, bool lacking, bool module_lacking)
{
	struct finding finding = { 0 };

	if (lacking || (module_lacking && !machine->perf))
		say(&finding, VERDICT_MISSING, "%s",
		    "what stands beside MISSING above is to be mended first");
	else if (module_lacking)
		say(&finding, VERDICT_OK,
		    "a capture can run, by perf events. With the module (the hints above say how to get "
		    "it) it would also give %s", scope_source_perf.lacks);
	else
		say(&finding, VERDICT_OK, "a capture can run, by the module");
	tell(&finding);
	return finding.verdict == VERDICT_MISSING ? SCOPE_EXIT_ERROR : SCOPE_EXIT_DONE;
}

static int examine(const char *file)
{
	struct machine machine = { .file = file };
	bool lacking = false, module_lacking = false;
	struct utsname system;
	size_t i;

	uname(&system);
	snprintf(machine.release, sizeof(machine.release), "%.64s", system.release);
	for (i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct finding finding = { 0 };

		checks[i].check(&machine, &finding);
		if (!finding.text[0])
			continue;
		if (finding.verdict == VERDICT_MISSING && checks[i].for_module) {
			module_lacking = true;
			if (machine.perf)
				finding.verdict = VERDICT_HINT;
		} else if (finding.verdict == VERDICT_MISSING) {
			lacking = true;
		}
		tell(&finding);
	}
	return conclude(&machine, lacking, module_lacking);
}

int scope_cmd_doctor(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		if (option != 'h')
			return scope_cmd_misuse("doctor", "that option is not understood");
		fputs(usage, stdout);
		return SCOPE_EXIT_DONE;
	}
	if (optind + 1 < argc)
		return scope_cmd_misuse("doctor", "'%s' is not understood", argv[optind + 1]);
	return examine(optind < argc ? argv[optind] : NULL);
}
