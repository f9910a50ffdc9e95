// SPDX-License-Identifier: GPL-2.0-only
/* Text becomes a trace and the same text again; the error names a bad line. */
#include <errno.h>
#include <stdio.h>

#include "trace/text_form.h"
#include "trace_fixture.h"

static const char every_line[] =
	"meta command demo with  spaces\n"
	"meta empty\n"
	"meta odd \\x20two\\x0alines\\x5c\n"
	"map 100 0x400000 0x500000 0x1000 x /usr/bin/demo -\n"
	"map 100 0x600000 0x700000 0x0 - /a\\x20path/\\x5cx 0123abcd\n"
	"sym 0 0x1000 0x100 handle_request demo program\n"
	"sym 100 0x2000 0x80 operator\\x20new libstdc++ library\n"
	"fd 100 7 accepted socket:[123]\n"
	"fd 100 8 epoll -\n"
	"memory 100 0x7ffe0000 00ff10\n"
	"memory 100 0x7fff0000 -\n"
	"0 0 state 100 tgid=100 state=sleeping nr=epoll_wait since=0 run=5 comm=demo "
	"args=5,0x7ffe00001000 iowait\n"
	"0 0 stack 100 0x1010,0x2010\n"
	"0 0 state 101 tgid=100 state=runnable nr=- since=0 run=0 comm= on_cpu\n"
	"10 0 state 102 tgid=100 state=disk nr=read since=3 run=0 comm=a\\x20b regs=0x1,0x2\n"
	"1000 0 switch 0 100 sleeping\n"
	"2000 0 syscall 100 read enter=1500 ret=100 args=7\n"
	"2100 0 syscall 100 mmap enter=2050 ret=4096 wide\n"
	"2100 0 syscall 100 300 enter=2050 ret=-11 abi=1\n"
	"2150 0 stack 100 0x1010,0x2010 cut\n"
	"2200 0 stack 100 regs=0x1,0xfffffffffffffffe data=00ff7f fault\n"
	"2300 0 sample 100 - kernel\n"
	"2400 0 sample 100 regs=-\n"
	"2500 0 enter 100 epoll_wait enter=2400 args=5,1,2,3,4,0xffffffffffffffff\n"
	"2500 0 switch 100 0 sleeping\n"
	"3000 0 switch 0 100 disk preempted iowait\n"
	"3000 0 exit 100 epoll_wait ret=1\n"
	"3000 1 switch 7 0 9\n"
	"9000 1 waking 100 from 55 task\n"
	"9000 1 waking 100 from - task\n"
	"9001 1 waking 100 from - softirq\n"
	"9002 1 waking 100 from 70 tgid=69 task\n"
	"9003 1 waking 100 from 70 hardirq\n"
	"9100 1 fork 200 parent=100 tgid=200 comm=child\n"
	"9200 1 exec 200 old=201 tgid=200 comm=new\n"
	"9210 1 comm 200 tgid=200 comm=a\\x20worker\n"
	"9220 1 block_issue 200 write dev=254,16 sector=2048 bytes=4096 queued=70 sync fua\n"
	"9221 1 block_issue 200 read dev=7,0 sector=0 bytes=512 meta ahead unmatched\n"
	"9230 1 block_done 200 write dev=254,16 sector=2048 bytes=4096 latency=5000000000\n"
	"9231 1 block_done 200 flush dev=4095,1048575 sector=0 bytes=0 latency=0 error=5 part\n"
	"9232 1 block_done 200 9 dev=0,0 sector=1 bytes=1 latency=1 error=2147483648 preflush\n"
	"9240 1 probe 200 7 args=3,0xffff800000000000\n"
	"9240 1 stack 200 0x1010,0x2010 cost=321 reason=2\n"
	"9250 1 delay 200 1 asked=50000 served=53211 at_return\n"
	"9250 1 probe 200 65535 args=0xffffffffffffffff return user\n"
	"9251 1 probe 200 0 interrupt\n"
	"9252 1 sample 200 0x1010 cost=77 kernel\n"
	"9253 1 sample 200 0x1010,0x2010 cost=77 kernel_ip=0xffffffff81000010 kernel\n"
	"9254 1 sample 200 - kernel_ip=0x0 kernel\n"
	"9255 1 sample 200 regs=0x1,0x2 data=00ff7f0001020304 kernel_ip=0xffffffffc0000010 kernel cut\n"
	"9256 1 sample 200 regs=0x1,0x2 kernel_ip=0xffffffffc0000010 kernel\n"
	"9257 1 waking 200 from - softirq net\n"
	"9258 1 waking 200 from - hardirq timer\n"
	"9259 1 enter 200 futex enter=9259 args=4096,128,2\n"
	"9260 1 futex 200 16 m0=2 m1=0 m2=201 m3=1\n"
	"9300 1 thread_exit 200 tgid=200 last\n"
	"9300 1 thread_exit 100 tgid=100\n"
	"9301 1 thread_exit 101 tgid=100 untraced\n"
	"9400 3 lost 17\n"
	"9500 3 lost 0\n"
	"900009500 3 syscall 9 close enter=900009400 ret=0\n"
	"900009500 3 lost 0\n"
	"900009501 0 state 100 tgid=100 state=sleeping nr=futex since=3 run=0 comm=demo at_stop\n";

static struct scope_trace *read_text(const char *text, size_t bytes)
{
	struct fixture fixture = fixture_begin();
	FILE *stream = fmemopen((void *)text, bytes, "r");
	struct scope_error error = { "" };

	assert_non_null(stream);
	if (strict_text_read(stream, fixture.writer, &error))
		fail_msg("%s", error.text);
	fclose(stream);
	return fixture_open(&fixture);
}

static char *write_text(struct scope_trace *trace)
{
	char *text = NULL;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);

	assert_non_null(stream);
	assert_int_equal(scope_trace_text_write_span(trace, 0, UINT64_MAX, stream, NULL), 0);
	fclose(stream);
	return text;
}

static void test_round_trip(void **state)
{
	struct scope_trace *trace = read_text(every_line, strlen(every_line));
	char *text = write_text(trace);

	(void)state;
	assert_string_equal(scope_trace_damage(trace), "");
	assert_string_equal(text, every_line);
	free(text);
	scope_trace_close(trace);
}

static void test_lines_are_sorted_and_comments_skipped(void **state)
{
	static const char shuffled[] = "# a comment\n"
				       "\n"
				       "300 1 syscall 5 read enter=200 ret=0\n"
				       "  100 0 syscall 4 read enter=50 ret=0   \n"
				       "100 0 syscall 4 write enter=60 ret=0\n"
				       "200 1 syscall 5 0x3 enter=0x64 ret=0";
	static const char sorted[] = "100 0 syscall 4 read enter=50 ret=0\n"
				     "100 0 syscall 4 write enter=60 ret=0\n"
				     "200 1 syscall 5 close enter=100 ret=0\n"
				     "300 1 syscall 5 read enter=200 ret=0\n";
	struct scope_trace *trace = read_text(shuffled, strlen(shuffled));
	char *text = write_text(trace);

	(void)state;
	assert_string_equal(text, sorted);
	free(text);
	scope_trace_close(trace);
}

/* More than a sub-buffer, on several CPUs. */
static void test_long_text(void **state)
{
	char *text = NULL, *again;
	size_t bytes;
	FILE *stream = open_memstream(&text, &bytes);
	struct scope_trace *trace;

	(void)state;
	for (int i = 0; i < 60000; i++)
		fprintf(stream, "%d %d syscall %d read enter=%d ret=%d args=%d\n", i * 10, i % 3, i % 7 + 1, i * 10, i,
			i);
	fclose(stream);
	trace = read_text(text, bytes);
	again = write_text(trace);
	assert_true(!strcmp(text, again));
	free(again);
	free(text);
	scope_trace_close(trace);
}

/* Whatever ran there before, an event is of the thread its line names. */
static void test_lines_name_their_thread(void **state)
{
	static const char jumps[] = "1 0 syscall 4 read enter=1 ret=0\n"
				    "2 0 syscall 5 read enter=1 ret=0\n"
				    "3 0 switch 6 7 sleeping\n"
				    "4 0 state 8 tgid=8 state=sleeping nr=- since=0 run=0 comm=a\n"
				    "4 0 stack 7 0x10\n"
				    "5 0 state 8 tgid=8 state=sleeping nr=- since=0 run=0 comm=a\n"
				    "200000000 0 stack 8 0x10\n"
				    "200000001 0 sample 7 0x10\n"
				    "200000001 0 waking 5 from 4 task\n";
	struct scope_trace *trace = read_text(jumps, strlen(jumps));
	char *text = write_text(trace);

	(void)state;
	assert_string_equal(text, jumps);
	free(text);
	scope_trace_close(trace);
}

static const struct {
	const char *line, *words;
} bad_lines[] = {
	{ "hello world", "'hello' begins no line" },
	{ "5", "the CPU is missing" },
	{ "5 0", "the event is missing" },
	{ "5 0 jump 1", "'jump' is no event" },
	{ "5 0 syscall 1 nothing_such enter=1 ret=0", "no system call 'nothing_such'" },
	{ "5 0 syscall 1 read ret=0", "enter= is missing" },
	{ "5 0 syscall 1 read enter=1", "ret= is missing" },
	{ "5 0 syscall 1 read enter=6 ret=0", "enter must be a number up to 5" },
	{ "5 0 syscall 1 read enter=1 ret=0 args=1,2,3,4,5,6,7", "more than 6" },
	{ "5 0 syscall 1 read enter=1 ret=0 args=1,,2", "args must be a number" },
	{ "5 0 syscall 1 read enter=1 ret=0 arg=1", "'arg=1' is not known here" },
	{ "5 0 syscall 1 read enter=1 ret=0 5", "'5' is not known here" },
	{ "5 0 syscall 1 read enter=1 ret=x", "ret must be a number" },
	{ "9000000000 0 syscall 1 read enter=1 ret=0", "must be two events" },
	{ "-5 0 syscall 1 read enter=1 ret=0", "'-5' begins no line" },
	{ "5 -1 syscall 1 read enter=1 ret=0", "the CPU must be a number" },
	{ "5 70000 syscall 1 read enter=1 ret=0", "the CPU must be a number" },
	{ "99999999999999999999 0 lost 1", "the time must be a number" },
	{ "5 0 switch 1 2 dozing", "'dozing' is not known as a state" },
	{ "5 0 switch 1 5000000 sleeping", "the next thread must be a number" },
	{ "5 0 waking 1 by 2 task", "'from' is missing" },
	{ "5 0 waking 1 from 2 dreams", "'dreams' is not known as a context" },
	{ "5 0 fork 1 parent=2 tgid=3", "comm= is missing" },
	{ "5 0 fork 1 parent=2 tgid=3 comm=0123456789abcdef", "more than 15 bytes" },
	{ "5 0 stack 1", "the addresses are missing" },
	{ "5 0 stack 1 regs=1 data=abc", "pairs of hexadecimal digits" },
	{ "5 0 state 1 tgid=1 nr=- comm=x", "state= is missing" },
	{ "map 1 2 3", "the offset is missing" },
	{ "map 1 2 3 4 y /a -", "'x' or '-'" },
	{ "sym 1 2 3 name module", "'program' or 'library'" },
	{ "fd 1 2 windmill -", "'windmill' is not known" },
	{ "memory 1 2 0g", "pairs of hexadecimal digits" },
	{ "meta", "the key is missing" },
	{ "metal", "'metal' begins no line" },
	{ "meta \n", "the key is missing" },
	{ "meta a \\q", "a backslash must begin" },
	{ "meta a \\x00", "a backslash must begin" },
	{ "5 0 lost 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0", "more than" },
};

static void test_bad_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_lines) / sizeof(bad_lines[0]); i++) {
		struct fixture fixture = fixture_begin();
		struct scope_error error = { "" };
		char text[256];
		FILE *stream;

		snprintf(text, sizeof(text), "1 0 lost 1\n%s\n2 0 lost 1\n", bad_lines[i].line);
		stream = fmemopen(text, strlen(text), "r");
		assert_int_equal(strict_text_read(stream, fixture.writer, &error), -EINVAL);
		if (strncmp(error.text, "line 2: ", 8) || !strstr(error.text, bad_lines[i].words))
			fail_msg("'%s' gives \"%s\"", bad_lines[i].line, error.text);
		fclose(stream);
		scope_trace_writer_destroy(fixture.writer);
		close(fixture.fd);
	}
}

static void test_binary_is_no_text(void **state)
{
	struct fixture fixture = fixture_begin();
	struct scope_error error = { "" };
	FILE *stream = fmemopen((void *)"1 0 lost 1\n2 0\0lost\n", 20, "r");

	(void)state;
	assert_int_equal(strict_text_read(stream, fixture.writer, &error), -EINVAL);
	assert_string_equal(error.text, "line 2: a zero byte; this is no text");
	fclose(stream);
	scope_trace_writer_destroy(fixture.writer);
	close(fixture.fd);
}

/* Numbers of calls mean something else there. */
static void test_other_machines_calls_have_no_names(void **state)
{
	static const char text[] = "meta arch s390x\n5 0 syscall 1 3 enter=1 ret=0\n";
	struct scope_trace *trace = read_text(text, strlen(text));
	char *again = write_text(trace);

	(void)state;
	assert_string_equal(again, text);
	free(again);
	scope_trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_lines_are_sorted_and_comments_skipped),
		cmocka_unit_test(test_long_text),
		cmocka_unit_test(test_lines_name_their_thread),
		cmocka_unit_test(test_bad_lines),
		cmocka_unit_test(test_binary_is_no_text),
		cmocka_unit_test(test_other_machines_calls_have_no_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
