// SPDX-License-Identifier: GPL-2.0-only
/* The text of a request contains the name of its kind, and nothing that may be a secret. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/plain.h"
#include "capture/request_text.h"

static void expect_bytes(enum scope_request_protocol protocol, const void *data, size_t bytes, bool whole,
			 const char *want)
{
	char text[SCOPE_REQUEST_TEXT_BYTES];
	/* A copy without room after it, for the sanitizers. */
	uint8_t *copy = malloc(bytes);
	bool found;

	assert_non_null(copy);
	memcpy(copy, data, bytes);
	memset(text, 'x', sizeof(text));
	found = scope_capture_request_text(protocol, copy, bytes, whole, text);
	free(copy);
	assert_int_equal(found, want != NULL);
	assert_string_equal(text, want ? want : "");
}

static void expect(enum scope_request_protocol protocol, const char *data, const char *want)
{
	expect_bytes(protocol, data, strlen(data), true, want);
}

static void test_http(void **state)
{
	static const struct {
		const char *data, *want;
	} row[] = {
		{ "GET / HTTP/1.1\r\n", "GET /" },
		{ "GET /search?q=secret HTTP/1.1\r\n", "GET /search" },
		{ "GET /search#secret HTTP/1.1\r\n", "GET /search" },
		{ "GET /a;jsessionid=secret HTTP/1.1\r\n", "GET /a" },
		{ "POST /users/4711/orders HTTP/1.0\r\n", "POST /users/*/orders" },
		{ "PUT /api/v2/items/f81d4fae-7dec HTTP/1.1\r\n", "PUT /api/v2/items/*" },
		{ "GET /v1.1/x HTTP/1.1\r\n", "GET /v1.1/x" },
		{ "GET /img/logo2x.png HTTP/1.1\r\n", "GET /img/*.png" },
		{ "GET /index.html HTTP/1.1\r\n", "GET /index.html" },
		{ "GET /reset/aVeryLongTokenWithoutDigitsXY HTTP/1.1\r\n", "GET /reset/*" },
		{ "GET /u/alice%40example.org HTTP/1.1\r\n", "GET /u/*" },
		{ "GET /u/alice@example HTTP/1.1\r\n", "GET /u/*" },
		{ "GET /a/b/c/d/e/f/g/h HTTP/1.1\r\n", "GET /a/b/c/d/e/f/..." },
		{ "GET http://secret.example:8080/page HTTP/1.1\r\n", "GET /page" },
		{ "GET http://secret.example HTTP/1.1\r\n", "GET /" },
		{ "CONNECT secret.example:443 HTTP/1.1\r\n", "CONNECT" },
		{ "OPTIONS * HTTP/1.1\r\n", "OPTIONS *" },
		{ "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "(HTTP/2)" },
		/* The end of the path is not there. */
		{ "GET /users/al", "GET /users/..." },
		{ "GET ", "GET" },
		{ "GET", NULL },
		{ "GETS /x HTTP/1.1", NULL },
		{ "get / HTTP/1.1\r\n", NULL },
		{ "HTTP/1.1 200 OK\r\n", NULL },
		{ "user=alice&password=secret", NULL },
		{ "GET secret HTTP/1.1\r\n", NULL },
		{ "GET /a\033[31mb/x HTTP/1.1\r\n", "GET /a" },
		{ "GET /\303\251t\303\251 HTTP/1.1\r\n", "GET /*" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		expect(SCOPE_REQUEST_HTTP, row[i].data, row[i].want);
	expect_bytes(SCOPE_REQUEST_HTTP, "\x16\x03\x01\x02\x00\x01", 6, true, "(TLS)");
	expect_bytes(SCOPE_REQUEST_HTTP, "\x17\x03\x03\x02\x00\x01", 6, false, "(TLS)");
}

static void test_redis(void **state)
{
	static const struct {
		const char *data, *want;
	} row[] = {
		{ "*3\r\n$3\r\nSET\r\n$6\r\nsecret\r\n$1\r\nx\r\n", "SET" },
		{ "*2\r\n$3\r\nget\r\n$6\r\nsecret\r\n", "GET" },
		{ "*2\r\n$8\r\nJSON.GET\r\n$6\r\nsecret\r\n", "JSON.GET" },
		{ "*1\r\n$4\r\nPING\r\n", "PING" },
		{ "PING\r\n", "PING" },
		{ "get secret\r\n", "GET" },
		{ "GET /secret HTTP/1.1\r\nHost: a\r\n\r\n", NULL },
		/* A part of a value. */
		{ "get secret", NULL },
		{ "secret text\r\n", NULL },
		{ "*2\r\n$9\r\nsec", NULL },
		{ "*2\r\n$6\r\n$ecret\r\n", NULL },
		{ "*2\r\n$99\r\nsecretsecret\r\n", NULL },
		{ "*99999999999\r\n$3\r\nGET\r\n", NULL },
		{ "*\r\n", NULL },
		{ "$6\r\nsecret\r\n", NULL },
		{ "+OK\r\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
		expect(SCOPE_REQUEST_REDIS, row[i].data, row[i].want);
	expect_bytes(SCOPE_REQUEST_REDIS, "get secret\r\n", 12, false, NULL);
}

static void test_memcached(void **state)
{
	static const uint8_t binary[24] = { 0x80, 0x01, 0, 6 }, unknown[24] = { 0x80, 0xf0 };

	(void)state;
	expect(SCOPE_REQUEST_MEMCACHED, "get secret\r\n", "get");
	expect(SCOPE_REQUEST_MEMCACHED, "set secret 0 0 5\r\nvalue\r\n", "set");
	expect(SCOPE_REQUEST_MEMCACHED, "flush_all\r\n", "flush_all");
	expect(SCOPE_REQUEST_MEMCACHED, "getsecret\r\n", NULL);
	expect(SCOPE_REQUEST_MEMCACHED, "get", NULL);
	expect(SCOPE_REQUEST_MEMCACHED, "VALUE secret 0 5\r\n", NULL);
	expect_bytes(SCOPE_REQUEST_MEMCACHED, binary, sizeof(binary), true, "set");
	expect_bytes(SCOPE_REQUEST_MEMCACHED, unknown, sizeof(unknown), true, NULL);
	expect_bytes(SCOPE_REQUEST_MEMCACHED, binary, 8, true, NULL);
}

/* As a client of PostgreSQL sends it. */
static void expect_postgres(char type, const char *name, const char *text, const char *want)
{
	uint8_t data[512] = { (uint8_t)type };
	size_t bytes = 5;

	if (type != 'Q')
		bytes += (size_t)sprintf((char *)data + bytes, "%s", name) + 1;
	bytes += (size_t)sprintf((char *)data + bytes, "%s", text) + 1;
	if (type == 'P' || type == 'B')
		bytes += 2;
	data[3] = (uint8_t)((bytes - 1) >> 8);
	data[4] = (uint8_t)(bytes - 1);
	expect_bytes(SCOPE_REQUEST_SQL, data, bytes, true, want);
	/* Whatever is cut off, no text has more than before. */
	for (size_t cut = 1; cut < bytes; cut++) {
		char out[SCOPE_REQUEST_TEXT_BYTES];

		scope_capture_request_text(SCOPE_REQUEST_SQL, data, cut, false, out);
		assert_null(strstr(out, "secret"));
	}
}

/* As a client of MySQL sends it, in one packet, and as the server reads it: the head alone before. */
static void expect_mysql(uint8_t command, const char *text, const char *want)
{
	uint8_t data[512] = { 0 };
	const size_t length = strlen(text) + 1;

	data[0] = (uint8_t)length;
	data[1] = (uint8_t)(length >> 8);
	data[4] = command;
	memcpy(data + 5, text, length - 1);
	expect_bytes(SCOPE_REQUEST_SQL, data, length + 4, true, want);
	expect_bytes(SCOPE_REQUEST_SQL, data, 4, true, NULL);
	expect_bytes(SCOPE_REQUEST_SQL, data + 4, length, true, want);
	for (size_t cut = 1; cut < length + 4; cut++) {
		char out[SCOPE_REQUEST_TEXT_BYTES];

		scope_capture_request_text(SCOPE_REQUEST_SQL, data, cut, false, out);
		assert_null(strstr(out, "secret"));
	}
}

static void test_statements(void **state)
{
	static const struct {
		const char *text, *want;
	} row[] = {
		{ "SELECT c FROM t WHERE id=4711", "SELECT c FROM t WHERE id=?" },
		{ "select  c\n\tfrom t1  where a='secret' and b = -1.5e3;", "select c from t1 where a=? and b = -?" },
		{ "SELECT * FROM t WHERE a='it''s secret'", "SELECT * FROM t WHERE a=?" },
		{ "INSERT INTO t VALUES ('secret', 2, 0x3f), (4,5,6)", "INSERT INTO t VALUES (?)" },
		{ "SELECT a FROM t WHERE i IN (1, 2, 3)", "SELECT a FROM t WHERE i IN (?)" },
		{ "/* secret */ SELECT /*secret*/ 1", "SELECT ?" },
		{ "SELECT 1 -- secret", "SELECT ?" },
		{ "SELECT 'secret\\'secret'", "SELECT ?..." },
		{ "SELECT 'a\\\\', secret", "SELECT ?..." },
		{ "SELECT 'unfinished secret", "SELECT ?..." },
		{ "SELECT c FROM a_very_long_name, another_very_long_name, and_one_more",
		  "SELECT c FROM a_very_long_name, another_very_long_name, a..." },
		{ "(SELECT 1)", "(SELECT ?)" },
		{ "BEGIN", "BEGIN" },
		{ "secret SELECT", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		expect_postgres('Q', "", row[i].text, row[i].want);
		expect_postgres('P', "", row[i].text, row[i].want);
		expect_mysql(3, row[i].text, row[i].want);
	}
}

static void test_dialects(void **state)
{
	static const uint8_t execute[14] = { 10, 0, 0, 0, 0x17, 7, 0, 0, 0, 0, 1, 0, 0, 0 },
			     ping[5] = { 1, 0, 0, 0, 0x0e };

	(void)state;
	expect_postgres('Q', "", "SELECT \"u\".\"id\" FROM \"u\" WHERE a = $1",
			"SELECT \"u\".\"id\" FROM \"u\" WHERE a = ?");
	expect_postgres('Q', "", "SELECT \"not a name: secret\"", "SELECT ?");
	expect_postgres('Q', "", "SELECT $tag$secret$tag$, 1", "SELECT ?");
	expect_postgres('Q', "", "SELECT $tag$secret$ta", "SELECT ?...");
	expect_postgres('Q', "", "SELECT /* a /* secret */ secret */ 1", "SELECT ?");
	expect_postgres('B', "", "S_17", "EXECUTE S_*");
	expect_postgres('B', "", "", NULL);
	/* A password. */
	expect_postgres('p', "", "secret", NULL);
	expect_mysql(3, "SELECT \"secret\"", "SELECT ?");
	expect_mysql(3, "SELECT `c` FROM `t` # secret", "SELECT `c` FROM `t`");
	expect_mysql(0x16, "SELECT c FROM t WHERE id=?", "PREPARE SELECT c FROM t WHERE id=?");
	expect_bytes(SCOPE_REQUEST_SQL, execute, sizeof(execute), true, "EXECUTE (prepared)");
	expect_bytes(SCOPE_REQUEST_SQL, ping, sizeof(ping), true, "PING");
}

/* Any bytes: printable, in bounds, and the same again. */
static void test_any(void **state)
{
	uint64_t x = 25;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		static const char *const begin[] = { "GET /", "*1\r\n$3\r\n", "get ", "Q\0\0\0\x7fSELECT ",
						     "\3SELECT " };
		static const size_t bytes[] = { 5, 8, 4, 12, 8 };
		const int which = round % 5;
		char text[SCOPE_REQUEST_TEXT_BYTES];
		uint8_t data[128];

		memcpy(data, begin[which], bytes[which]);
		for (size_t i = bytes[which]; i < sizeof(data); i++) {
			x = x * 6364136223846793005ull + 1442695040888963407ull;
			data[i] = x >> 62 ? (uint8_t)("'\"`\\$-/*?,() ;"[(x >> 40) % 14]) : (uint8_t)(x >> 33);
		}
		for (int protocol = 0; protocol < SCOPE_REQUEST_PROTOCOLS; protocol++) {
			scope_capture_request_text(protocol, data, 1 + (x >> 20) % sizeof(data), x & 1, text);
			assert_true(strlen(text) < sizeof(text));
			for (const char *at = text; *at; at++)
				assert_true(*at >= ' ' && *at < 127);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_http),	   cmocka_unit_test(test_redis),    cmocka_unit_test(test_memcached),
		cmocka_unit_test(test_statements), cmocka_unit_test(test_dialects), cmocka_unit_test(test_any),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
