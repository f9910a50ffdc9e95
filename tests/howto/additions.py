# SPDX-License-Identifier: GPL-2.0-only
"""Make one of the additions of docs/howto.md in a copy of the tree, and print the files that it took.

Usage: python3 tests/howto/additions.py KIND ROOT

Each is real, and small: a record MARK, a command `motto`, an option of it, a section, a golden, a probe, a listener, a
metric, a kernel.
"""
import pathlib
import re
import sys

LICENSE = '// SPDX-License-Identifier: GPL-2.0-only\n'


def after(anchor, text):
    """Insert text after the last line that the anchor matches."""
    def change(old):
        found = list(re.finditer(anchor + r'.*\n', old))
        if not found:
            sys.exit(f'additions.py: no line matches {anchor!r}')
        at = found[-1].end()
        return old[:at] + text + old[at:]
    return change


def replace(pattern, text):
    def change(old):
        new, count = re.subn(pattern, text, old, count=1)
        if not count:
            sys.exit(f'additions.py: nothing matches {pattern!r}')
        return new
    return change


def new(text):
    return lambda old: text


RECORD = [
    ('include/scope/event.h', replace(r'(X\(31, RECEIVED.*")\)\n', r'''\1) \\
	X(25, MARK, mark, 16, "a thread was here")
''')),
    ('include/scope/event.h', replace(r'\n#endif\n$', '''
/* Of the thread on this CPU. */
struct scope_record_mark {
	__u32 word;
	__u32 number;
	__u64 value;
};

#endif
''')),
    ('kmod/record.h', replace(r'\n#endif\n$', '''
static inline void scope_record_put_mark(struct scope_ring *ring, u64 now, u32 number, u64 value)
{
	struct scope_record_mark *r = scope_ring_reserve(ring, SCOPE_RECORD_MARK, sizeof(*r), now);

	if (!r)
		return;
	r->number = number;
	r->value = value;
	scope_ring_commit(ring, sizeof(*r));
}

#endif
''')),
    ('user/trace/event.h', after(r'\tSCOPE_EVENT_DELAY,', '\tSCOPE_EVENT_MARK,\n')),
    ('user/trace/event.h', after(r'\t\t\} delay;', '''\t\tstruct {
			uint32_t number;
			uint64_t value;
		} mark;
''')),
    ('user/trace/fields.c', replace(r'(rows\[\] = \{\n)', r'''\1	{
		RECORD(MARK, mark),
		.field = {
			FIELD("the mark", NULL, mark, number, mark.number),
			FIELD("the value", "value", mark, value, mark.value),
		},
	},
''')),
    ('docs/trace-format.md', after(r'\| 24 \| FUTEX', '| 25 | MARK | 16 | u32 number, u64 value | |\n')),
    ('docs/trace-format.md', after(r'\| `delay` \| TID', '| `mark` | TID, number, `value=`value |\n')),
]

COMMAND = [
    ('user/cmd/motto.c', new(LICENSE + '''/* scope motto: says that it is there. */
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/command_line.h"

int scope_cmd_motto(int argc, char **argv)
{
	int option = scope_cmd_line_next("motto", argc, argv);

	if (option == 'h') {
		scope_cmd_line_help("motto");
		return SCOPE_EXIT_DONE;
	}
	if (option != -1)
		return scope_cmd_line_wrong("motto", argv);
	puts("an motto");
	return SCOPE_EXIT_DONE;
}
''')),
    ('user/cmd/cmd.h', after(r'int scope_cmd_doctor\(', 'int scope_cmd_motto(int argc, char **argv);\n')),
    ('user/cmd/commands.c', replace(r'\n/\* In the order of', '''
static const struct scope_option motto_options[] = {
	HELP_OPTION,
	{ 0 },
};

/* In the order of''')),
    ('user/cmd/commands.c', replace(r'\t\{ 0 \},\n\};\n\nconst struct scope_command \*', '''\t{
		.name = "motto",
		.run = scope_cmd_motto,
		.summary = "say that it is there",
		.usage = "Usage: scope motto\\\\n\\\\n",
		.options = motto_options,
		.column = 15,
	},
	{ 0 },
};

const struct scope_command *''')),
    ('docs/man/scope-motto.1', new(r'''.\" SPDX-License-Identifier: GPL-2.0-only
.TH SCOPE-EXAMPLE 1 "" "scope 0.1" "Scope"
.SH NAME
scope-motto \- say that it is there
.SH SYNOPSIS
.B scope motto
''')),
    ('docs/man/scope.1', replace(r'\.SH SOURCES\n', r'''.TP
.BR motto " (" scope-motto (1))
Say that it is there.
.SH SOURCES
''')),
]

OPTION = [
    ('user/cmd/commands.c', replace(r'(status_options\[\] = \{\n)', r'''\1	{ SCOPE_OPTION_EXAMPLE, "motto", "FILE", .help = "is taken, and does nothing" },
''')),
    ('user/cmd/commands.h', replace(r'(\n\};\n\nstruct scope_option \{)', r'''
	SCOPE_OPTION_EXAMPLE,\1''')),
    ('user/cmd/status.c', replace(r"if \(option != 'h'\)", '''if (option == SCOPE_OPTION_EXAMPLE)
			continue;
		if (option != 'h')''')),
    ('docs/man/scope-status.1', replace(r'\.SH EXIT STATUS', r'''.SH OPTIONS
.TP
.BR \\-\\-motto " " \\fIFILE\\fR
Is taken, and does nothing.
.SH EXIT STATUS''')),
]

SECTION = [
    ('user/report/motto_text.c', new(LICENSE + '''/* The section of an motto: how many findings there are, where there are three. */
#include "report/section.h"

int scope_report_section_motto(const struct report *report)
{
	if (report->analysis->ranking->findings == 3)
		fputs("  an motto: three findings\\n\\n", report->out);
	return 0;
}
''')),
    ('user/report/section.h', after(r'int scope_report_section_basis\(', 'int scope_report_section_motto(const struct report *report);\n')),
    ('user/report/text.c', replace(r'scope_report_section_basis,\n', 'scope_report_section_motto, scope_report_section_basis,\n')),
    ('docs/man/scope-report.1', after(r'\.B Basis', 'An motto: three findings. Then:\n')),
]

GOLDEN = [
    ('tests/golden/motto.py', new('''# SPDX-License-Identifier: GPL-2.0-only
"""As three_bugs: what is added is a file whose head says the answer.
Answer: find_item, flush_log, seek_back, in that order."""
import runpy

runpy.run_module('three_bugs', run_name='__main__')
''')),
]

PROBE = [
    ('kmod/probe_motto.c', new(LICENSE + '''/* Signals that are sent: an motto of a probe. */
#include <linux/sched/signal.h>
#include <trace/events/signal.h>
#include "probe_motto.h"

static void probe_signal(void *data, int signal, struct kernel_siginfo *info,
			 struct task_struct *task, int group, int result)
{
}

void *const scope_motto_probe = probe_signal;

static void __maybe_unused check_types(void)
{
	check_trace_callback_type_signal_generate(probe_signal);
}
''')),
    ('kmod/probe_motto.h', new('''/* SPDX-License-Identifier: GPL-2.0-only */
/* The probe of signals. */
#ifndef SCOPE_KMOD_PROBE_EXAMPLE_H
#define SCOPE_KMOD_PROBE_EXAMPLE_H

extern void *const scope_motto_probe;

#endif
''')),
    ('kmod/probe.c', replace(r'#include "probe_sched.h"\n', '#include "probe_motto.h"\n#include "probe_sched.h"\n')),
    ('kmod/probe.c', after(r'\t\{ "task_rename"', '\t{ "signal_generate", &scope_motto_probe },\n')),
    ('kmod/Kbuild', replace(r'probe_cgroup\.o', 'probe_cgroup.o probe_motto.o')),
    ('docs/architecture.md', replace(r'probe_cause probe ', 'probe_cause probe_motto probe ')),
    ('docs/architecture.md', after(r'\| `kmod/probe_cgroup\.c`', '| `kmod/probe_motto.c` | signals that are sent |\n')),
]

LISTENER = [
    ('user/motto/listener.h', new('''/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts the sleeps of a trace. */
#ifndef SCOPE_MOTTO_LISTENER_H
#define SCOPE_MOTTO_LISTENER_H

#include "timeline/listeners.h"

struct scope_motto {
	uint64_t sleeps;
};

struct scope_pass_listener scope_motto_listener(struct scope_motto *motto);

#endif
''')),
    ('user/motto/listener.c', new(LICENSE + '''/* Counts the sleeps of a trace. */
#include "motto/listener.h"

#include <inttypes.h>
#include <stdio.h>

static int begin(void *user, const struct scope_timeline *timeline)
{
	struct scope_motto *motto = user;

	(void)timeline;
	motto->sleeps = 0;
	return 0;
}

static int wait(void *user, const struct scope_wait *wait)
{
	struct scope_motto *motto = user;

	(void)wait;
	motto->sleeps++;
	return 0;
}

/* Prints, so that the test sees it: a real one keeps its result for the report. */
static int finish(void *user)
{
	const struct scope_motto *motto = user;

	fprintf(stderr, "an motto: %" PRIu64 " sleeps\\n", motto->sleeps);
	return 0;
}

struct scope_pass_listener scope_motto_listener(struct scope_motto *motto)
{
	static const struct scope_timeline_ops ops = { .wait = wait };

	return (struct scope_pass_listener){ .ops = &ops, .begin = begin, .finish = finish, .user = motto };
}
'''.replace('\\\\n', '\\n'))),
    ('user/analysis/meter.c', after(r'#include "analysis/meter.h"', '\n#include "motto/listener.h"\n')),
    ('user/analysis/meter.c', replace(r'struct scope_pass_listener listener;\n\tconst struct scope_listeners listeners = .*',
                                      '''struct scope_motto motto;
	struct scope_pass_listener listener[2];
	const struct scope_listeners listeners = { listener, 2 };''')),
    ('user/analysis/meter.c', replace(r'\tlistener = (.*)\n', r'''	listener[0] = \1
	listener[1] = scope_motto_listener(&motto);
''')),
    ('docs/architecture.md', replace(r'timeline recorder\n', 'timeline motto recorder\n')),
    ('docs/architecture.md', after(r'\| `user/waits/`', '| `user/motto/` | how many sleeps there are |\n')),
]

METRIC = [
    ('user/metrics/metric.h', after(r'\tX\(FUTEX_WOKEN,', '\tX(MOTTO, motto_wakes, FUTEX, COUNT, "such calls, once more") \\\n')),
    ('user/metrics/metrics.c', replace(r'(err = scope_metrics_add\(metrics, &place, SCOPE_METRIC_)FUTEX_WAKES(.*)\);',
                                       r'''\1FUTEX_WAKES\2);
		if (!err)
			\1MOTTO\2);''')),
    ('docs/metrics.md', replace('`futex_woken` ', '`futex_woken`, `motto_wakes` ')),
]

KERNEL = [
    ('scripts/kernel.sh', after(r'\t7\.2 ', '\tmotto   | debian:bookworm | linux-image-amd64 linux-headers-amd64 | gcc-12 |\n')),
]

ADDITIONS = {'record': RECORD, 'command': COMMAND, 'option': OPTION, 'section': SECTION, 'golden': GOLDEN,
             'probe': PROBE, 'listener': LISTENER, 'metric': METRIC, 'kernel': KERNEL}


def main():
    kind, root = sys.argv[1], pathlib.Path(sys.argv[2])
    for name, change in ADDITIONS[kind]:
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(change(path.read_text() if path.exists() else ''))
    print('\n'.join(sorted({name for name, _ in ADDITIONS[kind]})))


main()
