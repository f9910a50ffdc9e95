// SPDX-License-Identifier: GPL-2.0-only
/* What the calls of a finding suggest: rules of thumb, each with its line. */
#include <math.h>
#include <string.h>

#include "base/syscall_name.h"
#include "report/numbers.h"
#include "report/source_lines.h"

#define RESOLVER_TIMEOUT_NS 5e9 /* no rule */

/* Functions of libraries that wait for a device, another process or a time. */
static const char *const blocking[] = {
	"accept",  "accept4",	  "clock_nanosleep", "close",	  "connect",  "creat",	 "epoll_wait",
	"fclose",  "fdatasync",	  "fflush",	     "flock",	  "fopen",    "fread",	 "fsync",
	"fwrite",  "getaddrinfo", "msync",	     "nanosleep", "open",     "open64",	 "openat",
	"poll",	   "ppoll",	  "pread",	     "pread64",	  "preadv",   "pwrite",	 "pwrite64",
	"pwritev", "read",	  "readv",	     "recv",	  "recvfrom", "recvmsg", "select",
	"send",	   "sendfile",	  "sendmsg",	     "sendto",	  "sleep",    "sync",	 "syncfs",
	"system",  "usleep",	  "waitpid",	     "write",	  "writev",
};

/* A library's names for one function differ in front: "__GI___libc_read", "__read". */
static const char *plain_name(const char *name)
{
	static const char *const fronts[] = { "__GI_", "__libc_", "libc_", "_" };

	for (size_t i = 0; i < sizeof(fronts) / sizeof(*fronts);) {
		const size_t bytes = strlen(fronts[i]);

		if (strncmp(name, fronts[i], bytes) || !name[bytes]) {
			i++;
			continue;
		}
		name += bytes;
		i = 0;
	}
	return name;
}

static bool blocks(const char *name)
{
	for (size_t i = 0; i < sizeof(blocking) / sizeof(*blocking); i++)
		if (!strcmp(plain_name(name), blocking[i]))
			return true;
	return false;
}

/* At the function's own line with most of its stacks. NULL: there are enough. */
static struct scope_model_hint *add(struct scope_model_finding *one, const char *rule)
{
	const struct scope_model_line *most = NULL;
	struct scope_model_hint *hint;

	if (one->hints == SCOPE_MODEL_HINTS)
		return NULL;
	hint = &one->hint[one->hints++];
	*hint = (struct scope_model_hint){ .rule = rule };
	for (size_t i = 0; i < one->lines; i++)
		if (!*one->line[i].inlined && one->line[i].share > 0 && (!most || one->line[i].share > most->share))
			most = &one->line[i];
	if (most) {
		hint->file = most->file;
		hint->line = most->number;
	}
	return hint;
}

static void hint_sleep(struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const char *call = scope_syscall_name(finding->nr);
	struct scope_model_hint *hint;

	if (finding->kind != SCOPE_FINDING_WAIT || finding->wait.class != SCOPE_WAIT_TIMER ||
	    scope_timeline_call_role(finding->nr) != SCOPE_CALL_SLEEP)
		return;
	hint = add(one, "constant-sleep");
	if (hint)
		snprintf(hint->text, sizeof(hint->text),
			 "it sleeps for a set time (%s): if it waits for something, wait for that itself, with a limit",
			 call ? call : "a sleep");
}

/* Functions of libc and libresolv that ask a name server. */
static bool looks_up_names(const char *name)
{
	static const char *const fronts[] = { "getaddrinfo", "getnameinfo", "gethostby", "res_" };

	for (size_t i = 0; i < sizeof(fronts) / sizeof(*fronts); i++)
		if (!strncmp(name, fronts[i], strlen(fronts[i])))
			return true;
	return false;
}

/* Whole numbers of the resolver's time-out: RES_TIMEOUT of <resolv.h>, which resolv.conf(5) has as the default. */
static bool is_resolver_timeout(double extra_ns)
{
	const double times = extra_ns / RESOLVER_TIMEOUT_NS, whole = round(times);

	return whole >= 1 && fabs(times - whole) <= 0.05;
}

static void hint_names(struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	struct scope_model_hint *hint;

	if (finding->kind != SCOPE_FINDING_WAIT || !one->below || !looks_up_names(plain_name(one->below->name)))
		return;
	hint = add(one, "name-look-up");
	if (hint)
		snprintf(hint->text, sizeof(hint->text), "%.60s asks a name server while the request waits: %s",
			 plain_name(one->below->name),
			 is_resolver_timeout(finding->p50_ns - finding->usual_ns)
				 ? "5 s is the time-out of resolv.conf, so the first server there gives no answer"
				 : "keep the answer, or ask in a thread of its own");
}

static void hint_lock(struct scope_model_finding *one)
{
	struct scope_model_hint *hint;

	if (one->finding->kind != SCOPE_FINDING_LOCK || !one->below || !blocks(one->below->name))
		return;
	hint = add(one, "lock-over-blocking-call");
	if (hint)
		snprintf(hint->text, sizeof(hint->text),
			 "it is in %.60s, which blocks, while others wait for its lock: call that without the lock",
			 plain_name(one->below->name));
}

/* Calls that move bytes, or look for files, one at a time. */
static void hint_loop(struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const enum scope_timeline_call_role role = scope_timeline_call_role(finding->nr);
	const struct scope_source_loop *loop = &one->loop.lines;
	const char *call = scope_syscall_name(finding->nr);
	char where[64] = "as a loop does";
	struct scope_model_hint *hint;

	if (finding->kind != SCOPE_FINDING_CALLS || !call ||
	    (role != SCOPE_CALL_READ && role != SCOPE_CALL_WRITE && role != SCOPE_CALL_CONNECT &&
	     role != SCOPE_CALL_SYNC))
		return;
	hint = add(one, "io-in-a-loop");
	if (!hint)
		return;
	if (loop->file)
		snprintf(where, sizeof(where), "in the loop of lines %d-%d", loop->first, loop->last);
	snprintf(hint->text, sizeof(hint->text),
		 "%s is called %.0f times as often as usual, %s: do more with each call", call, finding->calls_times,
		 where);
}

static void hint_limit(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	const struct scope_finding *finding = one->finding;
	const enum scope_timeline_call_role role = scope_timeline_call_role(finding->nr);
	const char *call = scope_syscall_name(finding->nr);
	struct scope_model_hint *hint;
	struct scope_text age;
	enum scope_fd_kind kind;
	uint32_t tgid;

	if (finding->kind != SCOPE_FINDING_HANG || finding->hang.lock || !call ||
	    (role != SCOPE_CALL_READ && role != SCOPE_CALL_WRITE && role != SCOPE_CALL_CONNECT))
		return;
	tgid = scope_timeline_threads_at(analysis->units->timeline->threads, finding->hang.thread)->tgid;
	kind = scope_timeline_fds_kind(analysis->units->timeline->fds, tgid, (int32_t)finding->hang.object);
	if (kind != SCOPE_FD_CONNECTED && kind != SCOPE_FD_DATAGRAM && role != SCOPE_CALL_CONNECT)
		return;
	hint = add(one, "no-time-out");
	if (hint)
		snprintf(hint->text, sizeof(hint->text),
			 "no time-out has ended its %s on a connection in %s: set one (SO_RCVTIMEO, SO_SNDTIMEO, poll)",
			 call, scope_report_format_ns(&age, (double)finding->hang.age_ns));
}

void scope_report_hints_make(const struct scope_analysis *analysis, struct scope_model_finding *one)
{
	hint_sleep(one);
	hint_names(one);
	hint_lock(one);
	hint_loop(one);
	hint_limit(analysis, one);
}
