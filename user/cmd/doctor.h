/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the checks of `scope doctor`: facts about the machine, and the message of each check. */
#ifndef SCOPE_CMD_DOCTOR_H
#define SCOPE_CMD_DOCTOR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "control/control.h"

#define SCOPE_MODULES_PATH "/proc/modules" /* absent if the kernel takes no modules */

enum scope_doctor_verdict {
	SCOPE_DOCTOR_OK,
	SCOPE_DOCTOR_HINT, /* it works, but could be better */
	SCOPE_DOCTOR_MISSING,
};

/* Filled by the checks, from the first to the last. */
struct scope_machine {
	char release[65];
	bool loaded; /* the module is loaded and answers */
	bool perf;   /* perf events can be used */
	bool fixed;  /* the kernel can load no module at all */
	enum scope_selftest selftest;
	char installed[PATH_MAX]; /* the scope.ko that modprobe would load, "" for none */
	const char *file;	  /* a scope.ko to check, NULL for none */
	uint32_t pid;		  /* a process to check, 0 for none */
};

/* The message of a check. It is not printed if it has no text. */
struct scope_advice {
	enum scope_doctor_verdict verdict;
	char text[1024];
};

__attribute__((format(printf, 3, 4))) void
scope_cmd_doctor_say(struct scope_advice *advice, enum scope_doctor_verdict verdict, const char *format, ...);

/* First line of a file below /proc or /sys, "" if it cannot be read. */
void scope_cmd_doctor_line(const char *path, char *line, size_t size);

/* Checks in other files: of a module that is not loaded, and of the target. */
void scope_cmd_doctor_file(struct scope_machine *machine, struct scope_advice *advice);
void scope_cmd_doctor_loading(struct scope_machine *machine, struct scope_advice *advice);
void scope_cmd_doctor_headers(struct scope_machine *machine, struct scope_advice *advice);
void scope_cmd_doctor_installed(struct scope_machine *machine, struct scope_advice *advice);
void scope_cmd_doctor_signing(struct scope_machine *machine, struct scope_advice *advice);
void scope_cmd_doctor_target(struct scope_machine *machine, struct scope_advice *advice);
void scope_cmd_doctor_runtime(struct scope_machine *machine, struct scope_advice *advice);

#endif
