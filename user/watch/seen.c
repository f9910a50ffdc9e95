// SPDX-License-Identifier: GPL-2.0-only
/* Remembers the findings of a watch, so that each becomes one incident. */
#include "watch/seen.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 320
#define TIMES_IN_DOUBT 2
#define QUIET_NS                                                                                                       \
	3600000000000ull /* the longest time for which a finding that comes back again and again is held back */

/* How bad a finding is: an incident is due if this is higher than at the last incident. */
enum level {
	LEVEL_NONE,
	LEVEL_SLOW,
	LEVEL_STUCK,
};

struct entry {
	struct scope_watch_finding finding;
	uint64_t first_ns, last_ns; /* when it was found */
	uint64_t judgement;	    /* the number of the last one that found it */
	uint32_t in_a_row;	    /* judgements */
	enum level announced;
	bool gone;	    /* it ended, and is kept because it may come back */
	bool known;	    /* no incident, as the user wants it */
	bool held;	    /* its wait was reported */
	enum level told;    /* level of its last incident, NONE: there was none */
	uint64_t told_ns;   /* when */
	uint32_t incidents; /* that it was */
	uint32_t begins;    /* since the last of them that were none */
};

struct scope_watch_seen {
	uint64_t span_ns, min_interval_ns, last_incident_ns;
	uint64_t judgements;
	struct entry entry[SCOPE_WATCH_SEEN_MAX];
	size_t entries;
	char (*known)[NAME_BYTES];
	size_t knowns;
	struct scope_watch_counts counts;
};

int scope_watch_seen_create(uint64_t span_ns, uint64_t min_interval_ns, struct scope_watch_seen **ret_seen)
{
	struct scope_watch_seen *seen = calloc(1, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	seen->span_ns = span_ns;
	seen->min_interval_ns = min_interval_ns;
	*ret_seen = seen;
	return 0;
}

void scope_watch_seen_destroy(struct scope_watch_seen *seen)
{
	if (!seen)
		return;
	free(seen->known);
	free(seen);
}

/* Removes the comment and the blanks around; "": nothing is left. */
static void trim(char *line)
{
	size_t begin = strspn(line, " \t"), length;

	line[strcspn(line, "#\r\n")] = '\0';
	length = begin < strlen(line) ? strlen(line + begin) : 0;
	memmove(line, line + begin, length);
	while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
		length--;
	line[length] = '\0';
}

static int read_patterns(FILE *file, const char *path, char (*known)[NAME_BYTES], struct scope_error *error,
			 size_t *ret_count)
{
	char line[NAME_BYTES];

	for (unsigned number = 1; fgets(line, sizeof(line), file); number++) {
		if (strlen(line) + 1 == sizeof(line) && line[sizeof(line) - 2] != '\n')
			return scope_error_set(error, -EINVAL, "%.300s, line %u is too long for a name", path, number);
		trim(line);
		if (!line[0])
			continue;
		if (*ret_count == SCOPE_WATCH_KNOWN_MAX)
			return scope_error_set(error, -E2BIG, "%.300s has more than %d patterns", path,
					       SCOPE_WATCH_KNOWN_MAX);
		strcpy(known[(*ret_count)++], line);
	}
	return ferror(file) ? scope_error_set(error, -EIO, "%.300s cannot be read", path) : 0;
}

int scope_watch_seen_read_known(struct scope_watch_seen *seen, const char *path, struct scope_error *error)
{
	char(*known)[NAME_BYTES] = calloc(SCOPE_WATCH_KNOWN_MAX, sizeof(*known));
	FILE *file = fopen(path, "re");
	size_t count = 0;
	int err;

	if (!file)
		err = scope_error_set(error, -errno, "%.300s cannot be opened: %s; it holds the names of what is known",
				      path, strerror(errno));
	else if (!known)
		err = scope_error_set(error, -ENOMEM, "no memory for %.300s", path);
	else
		err = read_patterns(file, path, known, error, &count);
	if (file)
		fclose(file);
	if (err) {
		free(known);
		return err;
	}
	free(seen->known);
	seen->known = known;
	seen->knowns = count;
	return 0;
}

static bool is_known(const struct scope_watch_seen *seen, const struct scope_watch_finding *finding)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%s@%s", finding->function, finding->module);
	for (size_t i = 0; i < seen->knowns; i++)
		if (!fnmatch(seen->known[i], finding->function, 0) || !fnmatch(seen->known[i], name, 0))
			return true;
	return false;
}

static enum level level_of(const struct scope_watch_finding *finding)
{
	return finding->stuck ? LEVEL_STUCK : LEVEL_SLOW;
}

/* The time after an incident in which the same finding is no new incident. It doubles with each incident. */
static uint64_t quiet_ns(const struct scope_watch_seen *seen, const struct entry *entry)
{
	uint64_t quiet = seen->min_interval_ns;

	for (uint32_t i = 1; i < entry->incidents && quiet < QUIET_NS; i++)
		quiet *= 2;
	return quiet < QUIET_NS || quiet == seen->min_interval_ns ? quiet : QUIET_NS;
}

static void end(struct scope_watch_seen *seen, struct entry *entry)
{
	seen->counts.unwritten += entry->held;
	entry->held = false;
	entry->gone = true;
}

/*
 * A finding that has been absent for as long as the recorder's memory reaches back has ended. If it was an incident it
 * is remembered for an hour, because it may come back.
 */
static void expire(struct scope_watch_seen *seen, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < seen->entries; i++) {
		struct entry *entry = &seen->entry[i];
		const bool ended = entry->gone || now_ns - entry->last_ns > seen->span_ns;

		if (ended)
			end(seen, entry);
		if (!ended || (entry->told && now_ns - entry->last_ns <= QUIET_NS))
			seen->entry[kept++] = *entry;
	}
	seen->entries = kept;
}

/* A finding begins, for the first time or again. */
static void begin(struct scope_watch_seen *seen, struct entry *entry, const struct scope_watch_finding *finding,
		  uint64_t now_ns)
{
	const struct entry before = *entry;

	*entry = (struct entry){
		.finding = *finding,
		.first_ns = now_ns,
		.known = is_known(seen, finding),
		.told = before.told,
		.told_ns = before.told_ns,
		.incidents = before.incidents,
		.begins = before.begins + (before.told != LEVEL_NONE),
	};
	seen->counts.known += entry->known;
}

static struct entry *entry_of(struct scope_watch_seen *seen, const struct scope_watch_finding *finding, uint64_t now_ns)
{
	struct entry *oldest = seen->entry;

	for (size_t i = 0; i < seen->entries; i++) {
		struct entry *entry = &seen->entry[i];

		if (!strcmp(entry->finding.function, finding->function) &&
		    !strcmp(entry->finding.module, finding->module)) {
			if (entry->gone)
				begin(seen, entry, finding, now_ns);
			return entry;
		}
		if (entry->last_ns < oldest->last_ns)
			oldest = entry;
	}
	if (seen->entries < SCOPE_WATCH_SEEN_MAX)
		oldest = &seen->entry[seen->entries++];
	*oldest = (struct entry){ .gone = true };
	begin(seen, oldest, finding, now_ns);
	return oldest;
}

static void take(struct scope_watch_seen *seen, const struct scope_watch_finding *finding, uint64_t now_ns)
{
	struct entry *entry = entry_of(seen, finding, now_ns);
	const bool next = entry->judgement && entry->judgement + 1 == seen->judgements;

	/* One judgement may contain it twice, for two threads that are stuck in it. */
	if (entry->judgement != seen->judgements)
		entry->in_a_row = next ? entry->in_a_row + 1 : 1;
	entry->judgement = seen->judgements;
	entry->last_ns = now_ns;
	/* The user may have added it since. */
	if (!entry->known && entry->announced == LEVEL_NONE && is_known(seen, finding)) {
		entry->known = true;
		seen->counts.known++;
	}
	if (level_of(finding) >= level_of(&entry->finding))
		entry->finding = *finding;
}

void scope_watch_seen_judge(struct scope_watch_seen *seen, const struct scope_watch_judgement *judgement,
			    uint64_t now_ns)
{
	seen->judgements++;
	expire(seen, now_ns);
	for (uint32_t i = 0; i < judgement->findings && i < SCOPE_WATCH_FINDINGS; i++)
		take(seen, &judgement->finding[i], now_ns);
}

void scope_watch_seen_add(struct scope_watch_seen *seen, const struct scope_watch_finding *finding, uint64_t now_ns)
{
	expire(seen, now_ns);
	take(seen, finding, now_ns);
}

/* True if it is an incident, now or when the last one is long enough ago. */
static bool is_due(const struct entry *entry)
{
	return !entry->known && !entry->gone && level_of(&entry->finding) > entry->announced &&
	       (entry->finding.sure || entry->in_a_row >= TIMES_IN_DOUBT);
}

/*
 * The time from which on it may be an incident. last: every due incident comes now, because the recorder's memory ends.
 */
static uint64_t earliest_ns(const struct scope_watch_seen *seen, const struct entry *entry, bool last)
{
	const uint64_t any = seen->counts.incidents && !last ? seen->last_incident_ns + seen->min_interval_ns : 0;
	const bool back = entry->told && level_of(&entry->finding) <= entry->told;
	const uint64_t same = back ? entry->told_ns + quiet_ns(seen, entry) : 0;

	return any > same ? any : same;
}

static void become_incident(struct scope_watch_seen *seen, struct entry *entry, uint64_t now_ns,
			    struct scope_watch_next *ret_next)
{
	*ret_next = (struct scope_watch_next){
		.finding = entry->finding,
		.begins = entry->begins ? entry->begins - 1 : 0,
		.since_ns = entry->told_ns,
	};
	entry->announced = entry->told = level_of(&entry->finding);
	entry->told_ns = seen->last_incident_ns = now_ns;
	entry->incidents++;
	entry->begins = 0;
	entry->held = false;
	seen->counts.incidents++;
}

bool scope_watch_seen_next(struct scope_watch_seen *seen, uint64_t now_ns, bool last, struct scope_watch_next *ret_next)
{
	for (size_t i = 0; i < seen->entries; i++) {
		struct entry *entry = &seen->entry[i];
		const uint64_t at_ns = earliest_ns(seen, entry, last);

		if (!is_due(entry) || (now_ns < at_ns && entry->held))
			continue;
		if (now_ns >= at_ns) {
			become_incident(seen, entry, now_ns, ret_next);
			return true;
		}
		entry->held = true;
		seen->counts.held++;
		*ret_next = (struct scope_watch_next){
			.finding = entry->finding,
			.wait_ns = at_ns - now_ns,
			.begins = entry->begins,
			.since_ns = entry->told_ns,
		};
		return true;
	}
	return false;
}

void scope_watch_seen_restart(struct scope_watch_seen *seen)
{
	for (size_t i = 0; i < seen->entries; i++)
		if (level_of(&seen->entry[i].finding) > seen->entry[i].announced)
			end(seen, &seen->entry[i]);
}

bool scope_watch_seen_in_doubt(const struct scope_watch_seen *seen)
{
	for (size_t i = 0; i < seen->entries; i++) {
		const struct entry *entry = &seen->entry[i];

		if (!entry->known && !entry->gone && !entry->finding.sure && entry->in_a_row < TIMES_IN_DOUBT &&
		    entry->judgement == seen->judgements && level_of(&entry->finding) > entry->announced)
			return true;
	}
	return false;
}

size_t scope_watch_seen_current(const struct scope_watch_seen *seen)
{
	size_t current = 0;

	for (size_t i = 0; i < seen->entries; i++)
		current += !seen->entry[i].gone;
	return current;
}

void scope_watch_seen_count(const struct scope_watch_seen *seen, struct scope_watch_counts *ret_counts)
{
	*ret_counts = seen->counts;
}
