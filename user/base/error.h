/* SPDX-License-Identifier: GPL-2.0-only */
/* A sentence for the user, carried from where something failed to the command that prints it. */
#ifndef SCOPE_BASE_ERROR_H
#define SCOPE_BASE_ERROR_H

struct scope_error {
	char text[512]; /* names the thing and the remedy, in plain form (plain.h); "" if nothing failed */
};

/* Fills error (NULL is fine) and returns err, so that `return scope_error_set(e, -EIO, …)` works. */
__attribute__((format(printf, 3, 4))) int scope_error_set(struct scope_error *error, int err, const char *format, ...);

#endif
