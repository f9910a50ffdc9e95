// SPDX-License-Identifier: GPL-2.0-only
/* Snapshots of a running interpreter, from its memory into a trace; and a reader process that does not answer. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/now.h"
#include "capture/snapshots.h"
#include "interpreter/interpreter.h"
#include "proc/file.h"

#define PYTHON "/usr/bin/python3"
#define RUBY "/usr/bin/ruby"
#define PERL "/usr/bin/perl"

/* Sleeps in one function, and computes in another in between, until it is killed. */
static const char program[] = "import os, time\n"
			      "def doze(): time.sleep(0.05)\n"
			      "def burn():\n"
			      "    end = time.monotonic() + 0.05\n"
			      "    while time.monotonic() < end: pass\n"
			      "print(os.getpid(), flush=True)\n"
			      "while True: doze(); burn()\n";

/* The same in threads, of which each lives for 20 ms. */
static const char threads[] = "import os, threading, time\n"
			      "def doze(): time.sleep(0.01)\n"
			      "def burn():\n"
			      "    end = time.monotonic() + 0.01\n"
			      "    while time.monotonic() < end: pass\n"
			      "def work(): doze(); burn()\n"
			      "print(os.getpid(), flush=True)\n"
			      "while True:\n"
			      "    one = threading.Thread(target=work)\n"
			      "    one.start()\n"
			      "    one.join()\n";

/* The same in a child that was forked by the interpreter, as servers with worker processes do; its parent ends. */
static const char forked[] = "exit! if fork\n"
			     "class Work\n"
			     "  def self.doze() = sleep(0.05)\n"
			     "  def self.burn\n"
			     "    ending = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.05\n"
			     "    nil while Process.clock_gettime(Process::CLOCK_MONOTONIC) < ending\n"
			     "  end\n"
			     "end\n"
			     "$stdout.sync = true\n"
			     "puts Process.pid\n"
			     "loop { Work.doze; Work.burn }\n";

static const char forked_perl[] = "exit if fork;\n"
				  "sub Work::doze { select undef, undef, undef, 0.05 }\n"
				  "sub Work::burn { my $n = 0; $n += $_ for 1 .. 500000 }\n"
				  "$| = 1;\n"
				  "print \"$$\\n\";\n"
				  "while (1) { Work::doze(); Work::burn() }\n";

/* The process that says its number. */
static pid_t begin(const char *interpreter, const char *option, const char *text)
{
	char said[32];
	int ends[2];
	size_t got = 0;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		execl(interpreter, interpreter, option, text, NULL);
		_exit(127);
	}
	close(ends[1]);
	do
		assert_int_equal(read(ends[0], &said[got], 1), 1);
	while (said[got] != '\n' && ++got < sizeof(said) - 1);
	said[got] = '\0';
	close(ends[0]);
	if (atoi(said) != pid)
		waitpid(pid, NULL, 0);
	return atoi(said);
}

static pid_t begin_python(void)
{
	return begin(PYTHON, "-c", program);
}

static void end_python(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static char path[64];

static struct scope_writer *begin_trace(void)
{
	struct scope_writer *writer;

	snprintf(path, sizeof(path), "/tmp/scope_test_snapshots.%d", getpid());
	unlink(path);
	assert_int_equal(scope_trace_writer_create(path, NULL, &writer), 0);
	return writer;
}

static int write_subbuf(const struct scope_subbuf *subbuf, void *context)
{
	return scope_trace_writer_subbuf(context, subbuf);
}

static struct scope_snapshots *begin_snapshots(struct scope_writer *writer)
{
	struct scope_snapshots *snapshots;

	assert_int_equal(scope_capture_snapshots_create(writer, write_subbuf, writer, NULL, &snapshots), 0);
	return snapshots;
}

/* How many snapshots of the trace have that function as the innermost one. */
static unsigned count(const struct scope_trace *trace, const struct scope_event *const *event, size_t events,
		      const char *name)
{
	size_t symbols;
	const struct scope_trace_symbol *symbol = scope_trace_symbols(trace, &symbols);
	unsigned found = 0;

	for (size_t i = 0; i < events; i++)
		for (size_t j = 0; j < symbols; j++)
			found += symbol[j].start == event[i]->stack.ip[0] &&
				 !strncmp(symbol[j].name, name, strlen(name));
	return found;
}

struct seen {
	struct scope_trace *trace;
	pid_t pid;
	const char *dozes, *burns; /* how the names of the functions begin */
	bool any_thread;
	unsigned doze, burn;
	unsigned threads; /* changes of the thread that burns */
	uint32_t burning;
	uint64_t last_ns;
};

static void look(struct seen *seen, const struct scope_event *event)
{
	assert_int_equal(event->kind, SCOPE_EVENT_STACK);
	assert_int_equal(event->stack.reason, SCOPE_STACK_SNAPSHOT);
	assert_true(seen->any_thread || event->tid == (uint32_t)seen->pid);
	assert_true(event->time_ns >= seen->last_ns);
	assert_true(event->stack.ips > 0);
	for (unsigned i = 0; i < event->stack.ips; i++) {
		assert_true(event->stack.ip[i] >= SCOPE_INTERPRETED_BASE);
		assert_int_equal(event->stack.ip[i] % SCOPE_INTERPRETED_SIZE, i > 0);
	}
	seen->last_ns = event->time_ns;
	seen->doze += count(seen->trace, &event, 1, seen->dozes);
	if (!count(seen->trace, &event, 1, seen->burns))
		return;
	seen->burn++;
	seen->threads += event->tid != seen->burning;
	seen->burning = event->tid;
}

/* Returns in how many threads functions were seen to compute. */
static unsigned record(const char *interpreter, const char *option, const char *text, struct seen seen)
{
	struct scope_trace_map map = { .executable = true, .path = (char *)interpreter, .build_id = (char *)"" };
	struct scope_snapshots *snapshots;
	struct scope_writer *writer;
	struct scope_event event;
	const char *meta;

	if (access(interpreter, X_OK))
		skip();
	writer = begin_trace();
	snapshots = begin_snapshots(writer);
	seen.pid = begin(interpreter, option, text);
	assert_true(scope_capture_snapshots_settled_ns(snapshots) == UINT64_MAX);
	map.tgid = (uint32_t)seen.pid;
	scope_capture_snapshots_map(snapshots, &map);
	scope_capture_snapshots_map(snapshots, &map); /* read again */
	/* Until snapshots of 2 s are written, however long that takes. */
	for (const uint64_t begin_ns = scope_now_ns();
	     scope_capture_snapshots_settled_ns(snapshots) < begin_ns + 2000000000ull; usleep(50000))
		assert_int_equal(scope_capture_snapshots_pump(snapshots, false), 0);
	assert_int_equal(scope_capture_snapshots_pump(snapshots, true), 0);
	assert_int_equal(scope_capture_snapshots_write_meta(snapshots, writer), 0);
	scope_capture_snapshots_destroy(snapshots);
	assert_int_equal(scope_trace_writer_finish(writer, NULL), 0);
	scope_trace_writer_destroy(writer);
	end_python(seen.pid);

	assert_int_equal(scope_trace_open(path, NULL, &seen.trace), 0);
	while (scope_trace_next(seen.trace, &event) == 1)
		look(&seen, &event);
	assert_true(seen.doze > 0);
	assert_true(seen.burn > 0);
	meta = scope_trace_meta(seen.trace, "snapshots");
	assert_non_null(meta);
	assert_int_equal(strncmp(meta, "taken ", 6), 0);
	scope_trace_close(seen.trace);
	unlink(path);
	return seen.threads;
}

/* True if some task of this host waited for a CPU during a tenth of the last ten seconds, or if that is not known. */
static bool host_is_busy(void)
{
	double share = 100;
	char *text;

	if (scope_proc_file_read(&text, "/proc/pressure/cpu"))
		return true;
	sscanf(text, "some avg10=%lf", &share);
	free(text);
	return share > 10;
}

/*
 * The list of threads alone, which is read ten times a second, has 20 in this time. Where other programs have the CPUs, the process that
 * reads them comes too late for threads that live shortly.
 */
static void threads_that_live_shortly_are_recorded(void **state)
{
	unsigned found = 0;

	(void)state;
	for (int i = 0; i < 20 && found <= 30; i++)
		found = record(PYTHON, "-c", threads,
			       (struct seen){ .any_thread = true, .dozes = "py::doze:", .burns = "py::burn:" });
	if (found <= 30 && host_is_busy()) {
		printf("skipped: %u threads were seen; others of this host have the CPUs\n", found);
		skip();
	}
	assert_true(found > 30);
}

static void an_interpreter_is_recorded(void **state)
{
	(void)state;
	record(PYTHON, "-c", program, (struct seen){ .dozes = "py::doze:", .burns = "py::burn:" });
}

static void a_child_of_an_interpreter_is_recorded(void **state)
{
	(void)state;
	record(RUBY, "-e", forked, (struct seen){ .dozes = "rb::Work.doze:", .burns = "rb::Work.burn:" });
}

static void a_child_of_perl_is_recorded(void **state)
{
	(void)state;
	record(PERL, "-e", forked_perl, (struct seen){ .dozes = "pl::Work::doze:", .burns = "pl::Work::burn:" });
}

/* The only child of this process but the one that is not to be it. */
static pid_t other_child(pid_t not_it)
{
	char *text, *next, *one;
	pid_t found = 0;

	assert_int_equal(scope_proc_file_read(&text, "/proc/self/task/%d/children", getpid()), 0);
	next = text;
	while ((one = strsep(&next, " ")))
		if (*one && atoi(one) != not_it)
			found = atoi(one);
	free(text);
	return found;
}

static void a_reader_that_does_not_answer_is_given_up(void **state)
{
	struct scope_trace_map map = { .executable = true, .path = (char *)PYTHON, .build_id = (char *)"" };
	struct scope_snapshots *snapshots;
	struct scope_writer *writer;
	pid_t python;
	char text[256];

	(void)state;
	if (access(PYTHON, X_OK))
		skip();
	writer = begin_trace();
	python = begin_python();
	snapshots = begin_snapshots(writer);
	map.tgid = (uint32_t)python;
	scope_capture_snapshots_map(snapshots, &map);
	scope_capture_snapshots_problem(snapshots, text, sizeof(text));
	assert_string_equal(text, "");
	assert_int_not_equal(other_child(python), 0);
	kill(other_child(python), SIGSTOP);
	for (; scope_capture_snapshots_settled_ns(snapshots) != UINT64_MAX; usleep(50000))
		assert_int_equal(scope_capture_snapshots_pump(snapshots, false), 0);
	scope_capture_snapshots_problem(snapshots, text, sizeof(text));
	assert_non_null(strstr(text, "for 2 s nothing was heard"));
	/* From then on nothing is done, and nothing fails. */
	scope_capture_snapshots_map(snapshots, &map);
	assert_int_equal(scope_capture_snapshots_pump(snapshots, true), 0);
	scope_capture_snapshots_destroy(snapshots);
	scope_trace_writer_destroy(writer);
	end_python(python);
}

/* Until it is known that the child has nothing to read, and for longer than an answer is waited for. */
static void assert_silence_is_no_problem(struct scope_snapshots *snapshots)
{
	const uint64_t begin_ns = scope_now_ns();
	char text[256];

	while (scope_now_ns() < begin_ns + 3000000000ull ||
	       scope_capture_snapshots_settled_ns(snapshots) != UINT64_MAX) {
		assert_int_equal(scope_capture_snapshots_pump(snapshots, false), 0);
		usleep(50000);
	}
	scope_capture_snapshots_problem(snapshots, text, sizeof(text));
	assert_string_equal(text, "");
}

/* A process without an interpreter is no problem, and nothing is waited for. */
static void other_programs_are_left_alone(void **state)
{
	struct scope_writer *writer = begin_trace();
	struct scope_snapshots *snapshots;
	const struct scope_trace_map map = { .tgid = (uint32_t)getpid(),
					     .executable = true,
					     .path = (char *)"/usr/sbin/nginx",
					     .build_id = (char *)"" };

	(void)state;
	snapshots = begin_snapshots(writer);
	scope_capture_snapshots_map(snapshots, &map);
	assert_silence_is_no_problem(snapshots);
	scope_capture_snapshots_destroy(snapshots);
	scope_trace_writer_destroy(writer);
}

static void an_interpreter_that_ended_is_no_problem(void **state)
{
	struct scope_trace_map map = { .executable = true, .path = (char *)PYTHON, .build_id = (char *)"" };
	struct scope_snapshots *snapshots;
	struct scope_writer *writer;
	pid_t python;
	uint64_t begin_ns;

	(void)state;
	if (access(PYTHON, X_OK))
		skip();
	writer = begin_trace();
	python = begin_python();
	snapshots = begin_snapshots(writer);
	map.tgid = (uint32_t)python;
	begin_ns = scope_now_ns();
	scope_capture_snapshots_map(snapshots, &map);
	for (; scope_capture_snapshots_settled_ns(snapshots) < begin_ns; usleep(50000))
		assert_int_equal(scope_capture_snapshots_pump(snapshots, false), 0);
	end_python(python);
	assert_silence_is_no_problem(snapshots);
	scope_capture_snapshots_destroy(snapshots);
	scope_trace_writer_destroy(writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_that_live_shortly_are_recorded),
		cmocka_unit_test(an_interpreter_is_recorded),
		cmocka_unit_test(a_child_of_an_interpreter_is_recorded),
		cmocka_unit_test(a_child_of_perl_is_recorded),
		cmocka_unit_test(a_reader_that_does_not_answer_is_given_up),
		cmocka_unit_test(other_programs_are_left_alone),
		cmocka_unit_test(an_interpreter_that_ended_is_no_problem),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
