// SPDX-License-Identifier: GPL-2.0-only
/* What a watch has found, so that each finding becomes one incident. */
#include "watch/seen.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 320
#define TIMES_IN_DOUBT 2

/* How bad it is: an incident is due if this is above what was announced. */
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
	bool known, held;
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

/* Without its comment and the blanks around; "": nothing is left. */
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

/* Forgets a finding that has been absent for as long as the recorder's memory reaches back. */
static void expire(struct scope_watch_seen *seen, uint64_t now_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < seen->entries; i++)
		if (now_ns - seen->entry[i].last_ns <= seen->span_ns)
			seen->entry[kept++] = seen->entry[i];
	seen->entries = kept;
}

static struct entry *entry_of(struct scope_watch_seen *seen, const struct scope_watch_finding *finding, uint64_t now_ns)
{
	struct entry *oldest = seen->entry;

	for (size_t i = 0; i < seen->entries; i++) {
		struct entry *entry = &seen->entry[i];

		if (!strcmp(entry->finding.function, finding->function) &&
		    !strcmp(entry->finding.module, finding->module))
			return entry;
		if (entry->last_ns < oldest->last_ns)
			oldest = entry;
	}
	if (seen->entries < SCOPE_WATCH_SEEN_MAX)
		oldest = &seen->entry[seen->entries++];
	*oldest = (struct entry){ .finding = *finding, .first_ns = now_ns, .known = is_known(seen, finding) };
	seen->counts.known += oldest->known;
	return oldest;
}

static void take(struct scope_watch_seen *seen, const struct scope_watch_finding *finding, uint64_t now_ns)
{
	struct entry *entry = entry_of(seen, finding, now_ns);
	const bool next = entry->judgement && entry->judgement + 1 == seen->judgements;

	/* It may be named twice in one judgement, by two threads that are stuck in it. */
	if (entry->judgement != seen->judgements)
		entry->in_a_row = next ? entry->in_a_row + 1 : 1;
	entry->judgement = seen->judgements;
	entry->last_ns = now_ns;
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

/* It is an incident: now, or when the others are long enough ago. */
static bool is_due(const struct entry *entry)
{
	return !entry->known && level_of(&entry->finding) > entry->announced &&
	       (entry->finding.sure || entry->in_a_row >= TIMES_IN_DOUBT);
}

bool scope_watch_seen_next(struct scope_watch_seen *seen, uint64_t now_ns, struct scope_watch_finding *ret_finding)
{
	const bool early = seen->last_incident_ns && now_ns - seen->last_incident_ns < seen->min_interval_ns;

	for (size_t i = 0; i < seen->entries; i++) {
		struct entry *entry = &seen->entry[i];

		if (!is_due(entry))
			continue;
		if (early) {
			seen->counts.held += !entry->held;
			entry->held = true;
			continue;
		}
		entry->announced = level_of(&entry->finding);
		seen->last_incident_ns = now_ns;
		seen->counts.incidents++;
		*ret_finding = entry->finding;
		return true;
	}
	return false;
}

bool scope_watch_seen_in_doubt(const struct scope_watch_seen *seen)
{
	for (size_t i = 0; i < seen->entries; i++) {
		const struct entry *entry = &seen->entry[i];

		if (!entry->known && !entry->finding.sure && entry->in_a_row < TIMES_IN_DOUBT &&
		    entry->judgement == seen->judgements && level_of(&entry->finding) > entry->announced)
			return true;
	}
	return false;
}

size_t scope_watch_seen_current(const struct scope_watch_seen *seen)
{
	return seen->entries;
}

void scope_watch_seen_count(const struct scope_watch_seen *seen, struct scope_watch_counts *ret_counts)
{
	*ret_counts = seen->counts;
}
