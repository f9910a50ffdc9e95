// SPDX-License-Identifier: GPL-2.0-only
/*
 * An SQL statement without its values, as PostgreSQL (protocol 3) and MySQL or MariaDB receive it.
 *
 * Strings and numbers become "?", lists of them one "?", and comments are dropped. The text ends at a backslash before
 * a quote, because servers interpret it differently: otherwise a part of a string could look like a name.
 */
#include "capture/request_text_internal.h"

#define MYSQL_HEAD_BYTES 4 /* no rule: length and number of a packet */
#define MYSQL_QUERY 0x03   /* no rule: a command of the protocol, like the next ones */
#define MYSQL_USE 0x02
#define MYSQL_PING 0x0e
#define MYSQL_PREPARE 0x16
#define MYSQL_EXECUTE 0x17
#define MYSQL_EXECUTE_BYTES 10		/* no rule */
#define POSTGRES_MESSAGE_MAX (1u << 30) /* no rule: PostgreSQL's limit */
#define POSTGRES_HEAD_BYTES 5		/* no rule: type and length */

static const char *const statements[] = {
	"SELECT",   "INSERT",	"UPDATE",    "DELETE",	   "REPLACE", "WITH",	  "BEGIN",    "START",	  "COMMIT",
	"ROLLBACK", "SET",	"SHOW",	     "CALL",	   "CREATE",  "DROP",	  "ALTER",    "TRUNCATE", "EXPLAIN",
	"ANALYZE",  "PREPARE",	"EXECUTE",   "DEALLOCATE", "DECLARE", "FETCH",	  "CLOSE",    "COPY",	  "LOCK",
	"UNLOCK",   "VALUES",	"VACUUM",    "USE",	   "DO",      "DESC",	  "DESCRIBE", "HANDLER",  "LOAD",
	"GRANT",    "REVOKE",	"SAVEPOINT", "RELEASE",	   "MERGE",   "END",	  "ABORT",    "DISCARD",  "LISTEN",
	"NOTIFY",   "UNLISTEN", "REINDEX",   "CHECKPOINT", "TABLE",   "OPTIMIZE", "KILL",     "FLUSH",	  NULL
};

struct reader {
	const uint8_t *at, *end;
	struct scope_request_output *to;
	bool postgres;
	bool ended; /* the last byte of the statement was received */
	bool cut;   /* the text ends before the statement does */
};

static bool is_space(uint8_t byte)
{
	return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool is_name(uint8_t byte)
{
	return scope_request_is_letter(byte) || scope_request_is_digit(byte) || byte == '_' || byte >= 0x80;
}

static bool ends_with(const struct scope_request_output *to, const char *text)
{
	const size_t bytes = strlen(text);

	return to->length >= bytes && !memcmp(to->text + to->length - bytes, text, bytes);
}

static void drop(struct scope_request_output *to, size_t bytes)
{
	to->length -= bytes;
	to->text[to->length] = '\0';
}

/* Writes a value: a list "?, ?" of any length becomes "?". */
static void put_value(struct scope_request_output *to)
{
	if (ends_with(to, "?, "))
		drop(to, 3);
	else if (ends_with(to, "?,"))
		drop(to, 2);
	scope_request_put(to, '?');
}

/* Writes a bracket: "(?), (?)" becomes "(?)". */
static void put_bracket(struct scope_request_output *to)
{
	scope_request_put(to, ')');
	if (ends_with(to, "(?), (?)"))
		drop(to, 5);
	else if (ends_with(to, "(?),(?)"))
		drop(to, 4);
}

/*
 * Skips a text in quotes, in which two quotes are one character. Returns false if its end is not found, or not certain.
 */
static bool skip_quoted(struct reader *reader)
{
	const uint8_t quote = *reader->at++;

	for (; reader->at < reader->end; reader->at++) {
		if (*reader->at == '\\' && reader->at + 1 < reader->end &&
		    (reader->at[1] == quote || reader->at[1] == '\\'))
			return false;
		if (*reader->at != quote)
			continue;
		if (reader->at + 1 == reader->end) {
			/* A second quote may follow. */
			reader->at++;
			return reader->ended;
		}
		if (reader->at[1] != quote) {
			reader->at++;
			return true;
		}
		reader->at++;
	}
	return false;
}

/* Takes a name in quotes, which is kept if it has the form of a name. */
static bool take_quoted_name(struct reader *reader)
{
	const uint8_t *begin = reader->at;

	if (!skip_quoted(reader))
		return false;
	for (const uint8_t *at = begin + 1; at + 1 < reader->at; at++)
		if (!is_name(*at)) {
			put_value(reader->to);
			return true;
		}
	scope_request_put_bytes(reader->to, begin, (size_t)(reader->at - begin));
	return true;
}

/* Takes PostgreSQL's $1, and $tag$text$tag$. */
static bool take_dollar(struct reader *reader)
{
	const uint8_t *tag = reader->at + 1;
	size_t bytes;

	put_value(reader->to);
	while (tag < reader->end && is_name(*tag))
		tag++;
	if (tag == reader->end || *tag != '$') {
		reader->at = tag;
		return true;
	}
	bytes = (size_t)(tag + 1 - reader->at);
	for (const uint8_t *end = tag + 1; (size_t)(reader->end - end) >= bytes; end++)
		if (!memcmp(end, reader->at, bytes)) {
			reader->at = end + bytes;
			return true;
		}
	return false;
}

static bool skip_line(struct reader *reader)
{
	while (reader->at < reader->end && *reader->at != '\n')
		reader->at++;
	return reader->at < reader->end || reader->ended;
}

/*
 * Skips a comment. PostgreSQL's comments nest; with another server's syntax this may leave out more than the comment.
 */
static bool skip_comment(struct reader *reader)
{
	unsigned int depth = 0;

	for (; reader->end - reader->at >= 2; reader->at++) {
		if (reader->at[0] == '/' && reader->at[1] == '*') {
			depth += reader->postgres || !depth;
			reader->at++;
		} else if (reader->at[0] == '*' && reader->at[1] == '/') {
			reader->at++;
			if (!--depth) {
				reader->at++;
				return true;
			}
		}
	}
	return false;
}

static void take_number(struct reader *reader)
{
	while (reader->at < reader->end && (is_name(*reader->at) || *reader->at == '.'))
		reader->at++;
	put_value(reader->to);
}

static void take_name(struct reader *reader)
{
	const uint8_t *begin = reader->at;

	while (reader->at < reader->end && is_name(*reader->at))
		reader->at++;
	scope_request_put_bytes(reader->to, begin, (size_t)(reader->at - begin));
}

static bool follows(const struct reader *reader, const char *text)
{
	const size_t bytes = strlen(text);

	return (size_t)(reader->end - reader->at) >= bytes && !memcmp(reader->at, text, bytes);
}

/* Takes one word, value or sign. Returns false if the rest is not certain. */
static bool take_one(struct reader *reader)
{
	const uint8_t byte = *reader->at;

	if (byte == '\'' || (byte == '"' && !reader->postgres)) {
		put_value(reader->to);
		return skip_quoted(reader);
	}
	if (byte == '"' || byte == '`')
		return take_quoted_name(reader);
	if (byte == '$' && reader->postgres)
		return take_dollar(reader);
	if (follows(reader, "--") || (byte == '#' && !reader->postgres))
		return skip_line(reader);
	if (follows(reader, "/*"))
		return skip_comment(reader);
	if (scope_request_is_digit(byte))
		take_number(reader);
	else if (is_name(byte))
		take_name(reader);
	else if (byte < ' ' || byte == 127 || byte == '\\')
		return false;
	else {
		reader->at++;
		if (byte == ')')
			put_bracket(reader->to);
		else if (byte != ';')
			scope_request_put(reader->to, byte);
	}
	return true;
}

static bool begins_statement(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *word;

	while (at < end && (is_space(*at) || *at == '('))
		at++;
	for (word = at; word < end && scope_request_is_letter(*word);)
		word++;
	return scope_capture_request_is_one_of(at, (size_t)(word - at), statements, true);
}

/* Skips comments and blanks before a statement: programs write data for tracing of requests there. */
static void skip_head(struct reader *reader)
{
	while (reader->at < reader->end)
		if (is_space(*reader->at))
			reader->at++;
		else if (!follows(reader, "/*") || !skip_comment(reader))
			return;
}

/* Writes a statement. Returns true if one begins there. ended: its last byte was received. */
static bool put_statement(struct reader *reader, bool ended)
{
	reader->ended = ended;
	skip_head(reader);
	if (!begins_statement(reader->at, reader->end))
		return false;
	while (reader->at < reader->end && *reader->at && !reader->to->full) {
		if (!is_space(*reader->at)) {
			if (take_one(reader))
				continue;
			reader->cut = true;
			break;
		}
		while (reader->at < reader->end && is_space(*reader->at))
			reader->at++;
		if (reader->to->length && !ends_with(reader->to, " "))
			scope_request_put(reader->to, ' ');
	}
	/* A name or number at the end of the received bytes may continue. */
	if (reader->at == reader->end && !ended)
		reader->cut = true;
	while (ends_with(reader->to, " "))
		drop(reader->to, 1);
	if (reader->cut && !reader->to->full)
		scope_request_cut(reader->to);
	return true;
}

/* Returns the bytes after a name that ends with a zero byte; NULL: it does not end. */
static const uint8_t *after_name(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *zero = memchr(at, 0, (size_t)(end - at));

	return zero ? zero + 1 : NULL;
}

/* Writes a prepared statement by its name. '*' replaces digits, which are only its number. */
static bool put_prepared(struct scope_request_output *to, const uint8_t *name)
{
	scope_request_put_word(to, "EXECUTE ");
	for (; *name; name++)
		if (!scope_request_is_digit(*name))
			scope_request_put(to, *name);
		else if (!ends_with(to, "*"))
			scope_request_put(to, '*');
	return true;
}

static bool read_postgres(const struct scope_request_input *input, struct scope_request_output *to)
{
	struct reader reader = { .end = input->end, .to = to, .postgres = true };
	const uint8_t *at = input->at;
	uint32_t length;
	size_t bytes = (size_t)(input->end - at);

	if (bytes <= POSTGRES_HEAD_BYTES || (at[0] != 'Q' && at[0] != 'P' && at[0] != 'B'))
		return false;
	length = (uint32_t)at[1] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 8 | at[4];
	if (length < POSTGRES_HEAD_BYTES || length > POSTGRES_MESSAGE_MAX)
		return false;
	reader.at = at + POSTGRES_HEAD_BYTES;
	if (length < bytes)
		reader.end = at + 1 + length;
	if (at[0] == 'Q')
		return put_statement(&reader, length < bytes);
	reader.at = after_name(reader.at, reader.end);
	if (!reader.at)
		return false;
	if (at[0] == 'P')
		return put_statement(&reader, length < bytes);
	return after_name(reader.at, reader.end) && *reader.at && put_prepared(to, reader.at);
}

/* Reads a command of MySQL's protocol. */
static bool read_command(const uint8_t *at, const uint8_t *end, bool ended, struct scope_request_output *to)
{
	struct reader reader = { .at = at + 1, .end = end, .to = to };
	const size_t bytes = (size_t)(end - at);

	switch (*at) {
	case MYSQL_PREPARE:
		scope_request_put_word(to, "PREPARE ");
		return put_statement(&reader, ended);
	case MYSQL_QUERY:
		/* The query has no attributes, and one set of parameters. */
		if (bytes > 3 && !at[1] && at[2] == 1)
			reader.at += 2;
		return put_statement(&reader, ended);
	case MYSQL_EXECUTE:
		/* After the statement's number and a flag there is a count, which is always 1. */
		if (bytes < MYSQL_EXECUTE_BYTES || memcmp(at + 6, "\1\0\0\0", 4))
			return false;
		scope_request_put_word(to, "EXECUTE (prepared)");
		return true;
	default:
		return false;
	}
}

static bool read_mysql(const struct scope_request_input *input, struct scope_request_output *to)
{
	const uint8_t *at = input->at;
	const size_t bytes = (size_t)(input->end - at);
	size_t length;

	if (bytes > MYSQL_HEAD_BYTES && !at[3]) {
		length = MYSQL_HEAD_BYTES + (at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16);
		if (length == bytes || (length > bytes && !input->whole)) {
			if (bytes == MYSQL_HEAD_BYTES + 1 && at[MYSQL_HEAD_BYTES] == MYSQL_PING) {
				scope_request_put_word(to, "PING");
				return true;
			}
			if (at[MYSQL_HEAD_BYTES] == MYSQL_USE) {
				scope_request_put_word(to, "USE");
				return true;
			}
			if (read_command(at + MYSQL_HEAD_BYTES, input->end, length == bytes, to))
				return true;
		}
	}
	/* The server has read the head with another call. */
	return read_command(at, input->end, input->whole, to);
}

bool scope_capture_request_sql(const struct scope_request_input *input, struct scope_request_output *to)
{
	if (read_postgres(input, to))
		return true;
	drop(to, to->length);
	return read_mysql(input, to);
}
