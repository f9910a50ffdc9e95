/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The database of signatures: an SQLite file that learning runs add to.
 *
 *   build     a file of a program, identified by its build-id; runs: learning runs that met it
 *   function  of a build, identified by name and link address; calls: seen under it
 *   caller    how many calls came to a function directly from another one
 *   string    what was called under a function, in order, and how often (numbers of two bytes, low
 *             byte first)
 *   episode   mined from its strings, again with every run that adds to them
 *
 * PRAGMA application_id distinguishes such a file from others, user_version is that of these tables.
 */
#ifndef SCOPE_SIGNATURE_STORE_H
#define SCOPE_SIGNATURE_STORE_H

#include "base/error.h"
#include "signature/call_strings.h"
#include "signature/mine.h"

/* 2 has runs and SCOPE_EPISODE_BUSY; a database of version 1 is read, and gets them as runs are added. */
#define SCOPE_STORE_VERSION 2 /* no rule */

struct scope_store;

enum scope_store_mode {
	SCOPE_STORE_READ,  /* -ENOENT if there is none */
	SCOPE_STORE_WRITE, /* creates the file, and the directories above it, if they do not exist */
};

/*
 * The default place of the database: /var/lib/scope/signatures.db for root, else in
 * ~/.local/share/scope ($XDG_DATA_HOME). 0, or -ENOENT (no home), -ENAMETOOLONG.
 */
int scope_signature_store_default_path(char *ret_path, size_t room);
#define SCOPE_STORE_SYSTEM_PATH "/var/lib/scope/signatures.db"

/*
 * All of these return 0, or -errno with error filled, which says what is wrong and what to do. -EPROTO: a newer
 * version; -EBADMSG: damaged, or no such database.
 */
int scope_signature_store_open(const char *path, enum scope_store_mode mode, struct scope_error *error,
			       struct scope_store **ret_store);
void scope_signature_store_close(struct scope_store *store); /* NULL is fine */

/*
 * Adds a run, completely or not at all, and mines its functions again. ret_episodes: how many episodes these have now.
 */
int scope_signature_store_add(struct scope_store *store, const struct scope_learned *learned,
			      const struct scope_mine_options *options, struct scope_error *error,
			      size_t *ret_episodes);

/*
 * Rows come in a fixed order; pointers are valid only during the call. If each() returns another value than 0, the walk
 * ends and returns it.
 */
struct scope_store_build {
	int64_t id;
	const char *build_id, *module, *arch;
	uint64_t runs;
	uint64_t functions, episodes;
};

/*
 * True if the user's word means this build: its module, or its build-id, of which SCOPE_BUILD_ID_PART digits are
 * enough. NULL means every build.
 */
#define SCOPE_BUILD_ID_PART 6 /* no rule */
bool scope_signature_store_build_matches(const struct scope_store_build *build, const char *word);

struct scope_store_function {
	int64_t id;
	const char *name;
	uint64_t start, calls, left_out;
	uint64_t strings, episodes;
};

struct scope_store_caller {
	int64_t function; /* id */
	uint64_t calls;
};

int scope_signature_store_each_build(struct scope_store *store, struct scope_error *error,
				     int (*take)(void *user, const struct scope_store_build *build), void *user);
int scope_signature_store_each_function(struct scope_store *store, int64_t build, struct scope_error *error,
					int (*take)(void *user, const struct scope_store_function *function),
					void *user);
int scope_signature_store_each_caller(struct scope_store *store, int64_t function, struct scope_error *error,
				      int (*take)(void *user, const struct scope_store_caller *caller), void *user);
int scope_signature_store_each_string(struct scope_store *store, int64_t function, struct scope_error *error,
				      int (*take)(void *user, const struct scope_string *string), void *user);
int scope_signature_store_each_episode(struct scope_store *store, int64_t function, struct scope_error *error,
				       int (*take)(void *user, const struct scope_episode *episode), void *user);

#endif
