// SPDX-License-Identifier: GPL-2.0-only
/* scope doctor: why the module is not loaded, or why a file of it could not be loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <linux/magic.h>

#include "cmd/doctor.h"
#include "control/modinfo.h"
#include "proc/file.h"

/* For a module of another kernel insmod says only "Invalid module format". */
void scope_cmd_doctor_file(struct scope_machine *machine, struct scope_advice *advice)
{
	const size_t length = strlen(machine->release);
	struct scope_error error = { 0 };
	char magic[256];

	if (!machine->file)
		return;
	if (scope_control_modinfo_read(machine->file, "vermagic", &error, magic, sizeof(magic)))
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING, "%s", error.text);
	else if (!strncmp(magic, machine->release, length) && magic[length] == ' ')
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "%s is for this kernel, %s", machine->file,
				     machine->release);
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "%s is for kernel %.*s, and this is %s: build one with `make kmod "
				     "KDIR=/lib/modules/%s/build`",
				     machine->file, (int)strcspn(magic, " "), magic, machine->release,
				     machine->release);
}

/* /proc/kallsyms has the names (without addresses) for every user. If it cannot be read, returns true. */
static bool has_tracepoints(void)
{
	FILE *list = fopen("/proc/kallsyms", "re");
	char line[512];
	bool any = false, found = false;

	if (!list)
		return true;
	while (!found && fgets(line, sizeof(line), list)) {
		const char *name = strrchr(line, ' ');

		any = true;
		found = name && !strcmp(name, " tracepoint_probe_register\n");
	}
	fclose(list);
	return found || !any;
}

/* Reports before a build what the module's build refuses (kmod/compat/require.mk). */
static bool fits_the_kernel(const struct scope_machine *machine, struct scope_advice *advice)
{
	unsigned int major, minor;

	if (sscanf(machine->release, "%u.%u", &major, &minor) == 2 && (major < 3 || (major == 3 && minor < 10))) {
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "kernel %s is older than 3.10, the first that the module is for: boot a newer "
				     "one, or capture by perf events (--source perf)",
				     machine->release);
		return false;
	}
	if (!has_tracepoints()) {
		scope_cmd_doctor_say(
			advice, SCOPE_DOCTOR_MISSING,
			"kernel %s has no tracepoints (built without CONFIG_TRACEPOINTS), which the module "
			"and perf events record by: boot one that has",
			machine->release);
		return false;
	}
	return true;
}

void scope_cmd_doctor_loading(struct scope_machine *machine, struct scope_advice *advice)
{
	char line[64];

	if (machine->loaded)
		return;
	machine->fixed = !fits_the_kernel(machine, advice);
	if (machine->fixed)
		return;
	if (access(SCOPE_MODULES_PATH, F_OK)) {
		machine->fixed = true;
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "kernel %s takes no modules (built without CONFIG_MODULES): boot one that does",
				     machine->release);
		return;
	}
	scope_cmd_doctor_line("/proc/sys/kernel/modules_disabled", line, sizeof(line));
	if (!strcmp(line, "1"))
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "loading modules was switched off until the next boot "
				     "(kernel.modules_disabled = 1): reboot, and load scope before that is set");
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "kernel %s takes modules", machine->release);
}

static bool os_is_like(const char *text, const char *name)
{
	const char *keys[] = { "ID=", "ID_LIKE=" };
	const char *value;
	char line[128];
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		value = scope_proc_file_field(text, keys[i]);
		if (!value)
			continue;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(value, "\n"), value);
		if (strstr(line, name))
			return true;
	}
	return false;
}

/* Prints the package with the headers of a kernel, by distribution. */
void scope_cmd_doctor_headers(struct scope_machine *machine, struct scope_advice *advice)
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

	if (machine->fixed)
		return;
	snprintf(path, sizeof(path), "/lib/modules/%s/build/Makefile", machine->release);
	if (!access(path, F_OK)) {
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "headers of kernel %s are installed", machine->release);
		return;
	}
	if (!scope_proc_file_read(&text, "/etc/os-release")) {
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			if (!os_is_like(text, rows[i].name))
				continue;
			snprintf(install, sizeof(install), "`%s%s`", rows[i].install,
				 rows[i].with_release ? machine->release : "");
			break;
		}
		free(text);
	}
	scope_cmd_doctor_say(advice, machine->loaded ? SCOPE_DOCTOR_HINT : SCOPE_DOCTOR_MISSING,
			     "no headers of kernel %s, which building scope.ko needs: %s; or build it on another "
			     "machine with `make kmod KDIR=...`",
			     machine->release, install);
}

/* Finds the file that modprobe would load, in the order of its folders; it may be compressed. */
static bool find_installed(const char *release, char path[PATH_MAX])
{
	static const char *const folders[] = { "updates/dkms", "updates", "extra", "weak-updates", "kernel/extra" };
	static const char *const ends[] = { "", ".xz", ".gz", ".zst" };
	size_t i, j;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		for (j = 0; j < sizeof(ends) / sizeof(ends[0]); j++) {
			snprintf(path, PATH_MAX, "/lib/modules/%s/%s/scope.ko%s", release, folders[i], ends[j]);
			if (!access(path, F_OK))
				return true;
		}
	path[0] = '\0';
	return false;
}

void scope_cmd_doctor_installed(struct scope_machine *machine, struct scope_advice *advice)
{
	if (machine->loaded || machine->fixed)
		return;
	if (find_installed(machine->release, machine->installed))
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK,
				     "%s is installed for this kernel: `modprobe scope` loads it", machine->installed);
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "no scope.ko is installed for kernel %s: install the package scope-dkms, "
				     "or run `make dkms`, or `make kmod` and insmod what it prints",
				     machine->release);
}

/*
 * Returns 1 if a signature follows the module, 0 if none does, -1 if it is not known because the file is compressed or
 * unreadable.
 */
static int is_signed(const char *path)
{
	static const char mark[] = "~Module signature appended~\n";
	const size_t length = sizeof(mark) - 1, name = strlen(path);
	char end[sizeof(mark)] = "";
	int found = -1;
	FILE *file;

	if (name < 3 || strcmp(path + name - 3, ".ko"))
		return -1;
	file = fopen(path, "re");
	if (!file)
		return -1;
	if (!fseek(file, -(long)length, SEEK_END) && fread(end, 1, length, file) == length)
		found = !memcmp(end, mark, length);
	fclose(file);
	return found;
}

/* The variable of the firmware has four bytes of attributes, then 1 if Secure Boot is on. */
static bool secure_boot_is_on(void)
{
	static const char path[] = "/sys/firmware/efi/efivars/"
				   "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	FILE *file = fopen(path, "re");
	char value[5] = "";
	bool on;

	if (!file)
		return false;
	on = fread(value, 1, sizeof(value), file) == sizeof(value) && value[4] == 1;
	fclose(file);
	return on;
}

/* True if the file for lockdown says that it is off, or if the kernel has no lockdown. */
static bool lockdown_is_off(void)
{
	struct statfs system;

	return statfs("/sys/kernel/security", &system) || system.f_type == SECURITYFS_MAGIC;
}

/* The command that enrols the certificate: DKMS's certificate if there is one. */
static const char *enrol_command(void)
{
	if (!access("/var/lib/dkms/mok.pub", F_OK))
		return "mokutil --import /var/lib/dkms/mok.pub";
	if (!access("/var/lib/shim-signed/mok/MOK.der", F_OK))
		return "mokutil --import /var/lib/shim-signed/mok/MOK.der";
	return "mokutil --import CERT";
}

static void say_signing(const struct scope_machine *machine, const char *why, struct scope_advice *advice)
{
	const char *path = machine->file ? machine->file : machine->installed;
	const int known = *path ? is_signed(path) : 0;

	if (known > 0)
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT,
				     "this kernel loads signed modules only (%s), and %s is signed: where it "
				     "is refused all the same (`Key was rejected by service`), enrol the "
				     "certificate by `%s` and a reboot",
				     why, path, enrol_command());
	else if (known < 0)
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_HINT,
				     "this kernel loads signed modules only (%s): `modinfo -F signer %s` shows "
				     "by whom this one is; enrol that certificate by `%s` and a reboot",
				     why, path, enrol_command());
	else
		scope_cmd_doctor_say(advice, SCOPE_DOCTOR_MISSING,
				     "this kernel loads signed modules only (%s): sign %s with "
				     "`/lib/modules/%s/build/scripts/sign-file sha256 KEY CERT scope.ko` and "
				     "enrol the certificate by `%s` and a reboot (docs/install.md has the "
				     "steps), or switch Secure Boot off",
				     why, *path ? path : "scope.ko", machine->release, enrol_command());
}

void scope_cmd_doctor_signing(struct scope_machine *machine, struct scope_advice *advice)
{
	const bool secure = secure_boot_is_on();
	char lockdown[128], enforce[16], why[64];

	if (machine->loaded || machine->fixed)
		return;
	scope_cmd_doctor_line("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	scope_cmd_doctor_line("/sys/module/module/parameters/sig_enforce", enforce, sizeof(enforce));
	if (!strstr(lockdown, "[integrity]") && !strstr(lockdown, "[confidentiality]") && enforce[0] != 'Y') {
		if (lockdown[0] || lockdown_is_off())
			scope_cmd_doctor_say(advice, SCOPE_DOCTOR_OK, "unsigned modules may be loaded");
		else
			scope_cmd_doctor_say(
				advice, SCOPE_DOCTOR_HINT,
				"it is not known whether this kernel takes unsigned modules%s: "
				"`mount -t securityfs none /sys/kernel/security`, then run `scope doctor` again",
				secure ? " (Secure Boot is on)" : "");
		return;
	}
	snprintf(why, sizeof(why), "%s%s", enforce[0] == 'Y' ? "sig_enforce" : "lockdown",
		 secure ? ", Secure Boot is on" : "");
	say_signing(machine, why, advice);
}
