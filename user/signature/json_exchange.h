/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Signatures as JSON, to copy them from one database to another.
 *
 * {"scope_signatures": 1, "builds": [
 *   {"build_id": "…", "module": "…", "arch": "…", "runs": N, "functions": [
 *     {"id": N, "name": "…", "start": "0x…", "calls": N, "left_out": N,
 *      "callers": [{"id": N, "calls": N}, …],
 *      "strings": [{"calls": ["read", …], "count": N}, …],
 *      "episodes": [{"calls": ["read", …], "contiguous": true, "support": N}, …]}, …]}, …]}
 *
 * An id is the file's own, for callers to name: functions are counted in their order. Calls have
 * names if they are known, else numbers. Episodes are written for readers: importing mines them
 * again from the strings.
 */
#ifndef SCOPE_SIGNATURE_JSON_EXCHANGE_H
#define SCOPE_SIGNATURE_JSON_EXCHANGE_H

#include <stdio.h>

#include "signature/store.h"

#define SCOPE_SIGNATURE_JSON_VERSION 2 /* no rule: from 2 on with SCOPE_EPISODE_BUSY; 1 is read */

/* The builds that the word selects, NULL: all. 0 or -errno with error; -ENOENT: none. */
int scope_signature_export(struct scope_store *store, const char *word, FILE *to, struct scope_error *error);

/* The imported data, valid until it is freed. */
struct scope_imported;

/*
 * name is in messages. *ret_imported holds what scope_signature_imported_learned() points into. 0 or
 * -errno with error: -EBADMSG: it is not such a file, -EPROTO: a newer program wrote it.
 */
int scope_signature_import(FILE *from, const char *name, struct scope_error *error,
			   struct scope_imported **ret_imported);
const struct scope_learned *scope_signature_imported_learned(const struct scope_imported *imported);
void scope_signature_imported_destroy(struct scope_imported *imported); /* NULL is fine */

#endif
