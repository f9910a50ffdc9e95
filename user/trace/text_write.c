// SPDX-License-Identifier: GPL-2.0-only
/* Writes a trace as text. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "base/syscall_name.h"
#include "trace/fields.h"
#include "trace/trace_internal.h"
#include "trace/text_form.h"
#include "trace/text_names.h"

#ifdef __x86_64__
#define OWN_ARCH "x86_64"
#elif defined(__aarch64__)
#define OWN_ARCH "aarch64"
#else
#define OWN_ARCH ""
#endif

struct out {
	FILE *stream;
	bool named; /* the trace is of this machine's architecture, so its calls have names */
};

/* Characters that are written as \xHH in a word, in addition to those of plain names. A blank would end the word. */
#define WORD_ESCAPES " \\"

static void put_word(const struct out *out, const char *text)
{
	putc(' ', out->stream);
	if (!*text)
		putc('-', out->stream);
	else if (!strcmp(text, "-"))
		fputs("\\x2d", out->stream);
	else
		scope_plain_write_name(out->stream, text, WORD_ESCAPES);
}

/* Writes a text in which blanks stay, except at its ends. */
static void put_value(const struct out *out, const char *text)
{
	size_t bytes = strlen(text);
	bool first = *text == ' ', last = bytes > 1 && text[bytes - 1] == ' ';
	char *inner = strndup(text + first, bytes - first - last);

	fputs(first ? "\\x20" : "", out->stream);
	if (inner)
		scope_plain_write_name(out->stream, inner, "\\");
	fputs(last ? "\\x20" : "", out->stream);
	free(inner);
}

static void put_comm(const struct out *out, const char *comm)
{
	fputs(" comm=", out->stream);
	scope_plain_write(out->stream, comm, strnlen(comm, SCOPE_COMM_BYTES), WORD_ESCAPES);
}

/* Small numbers are counts and descriptors, large ones mostly addresses. */
static void put_numbers(const struct out *out, const char *key, const uint64_t *number, unsigned int count)
{
	fprintf(out->stream, " %s", key);
	for (unsigned int i = 0; i < count; i++)
		fprintf(out->stream, number[i] > UINT16_MAX ? "%s0x%" PRIx64 : "%s%" PRIu64, i ? "," : "", number[i]);
}

static void put_addresses(const struct out *out, const char *key, const uint64_t *address, unsigned int count)
{
	fprintf(out->stream, " %s%s", key, count ? "" : "-");
	for (unsigned int i = 0; i < count; i++)
		fprintf(out->stream, "%s0x%" PRIx64, i ? "," : "", address[i]);
}

static void put_hex(const struct out *out, const uint8_t *data, uint32_t bytes)
{
	static const char digit[] = "0123456789abcdef";
	char text[1024];
	size_t length = 0;

	for (uint32_t i = 0; i < bytes; i++) {
		text[length++] = digit[data[i] >> 4];
		text[length++] = digit[data[i] & 0xf];
		if (length == sizeof(text) || i + 1 == bytes) {
			fwrite(text, 1, length, out->stream);
			length = 0;
		}
	}
}

static void put_name(const struct out *out, const struct scope_text_words *words, uint32_t number)
{
	if (number < words->count)
		fprintf(out->stream, " %s", words->word[number]);
	else
		fprintf(out->stream, " %" PRIu32, number);
}

static void put_flags(const struct out *out, const struct scope_text_flag *flag, uint8_t flags)
{
	for (; flag->word; flag++)
		if (flags & flag->bit)
			fprintf(out->stream, " %s", flag->word);
}

static void put_call(const struct out *out, uint32_t nr, uint32_t abi)
{
	const char *name = out->named && abi == SCOPE_ABI_NATIVE ? scope_syscall_name(nr) : NULL;

	if (name)
		fputs(name, out->stream);
	else
		fprintf(out->stream, "%" PRIu32, nr);
}

static void put_syscall(const struct out *out, const struct scope_event *event)
{
	putc(' ', out->stream);
	put_call(out, event->syscall.nr, event->syscall.abi);
	if (event->kind != SCOPE_EVENT_EXIT)
		fprintf(out->stream, " enter=%" PRIu64, event->syscall.enter_ns);
	if (event->kind != SCOPE_EVENT_ENTER)
		fprintf(out->stream, " ret=%" PRId64, event->syscall.ret);
	if (event->kind == SCOPE_EVENT_SYSCALL && event->flags & SCOPE_SYSCALL_WIDE)
		fputs(" wide", out->stream);
	if (event->syscall.args)
		put_numbers(out, "args=", event->syscall.arg, event->syscall.args);
	if (event->syscall.abi)
		fprintf(out->stream, " abi=%u", event->syscall.abi);
}

static void put_switch(const struct out *out, const struct scope_event *event)
{
	fprintf(out->stream, " %" PRIu32, event->sched.next_tid);
	put_name(out, &scope_trace_text_states, event->sched.prev_state);
	if (event->sched.preempted)
		fputs(" preempted", out->stream);
	if (event->sched.iowait)
		fputs(" iowait", out->stream);
	if (event->sched.memstall)
		fputs(" memstall", out->stream);
	if (event->sched.other_tid)
		fprintf(out->stream, " other=%" PRIu32, event->sched.other_tid);
}

static void put_waking(const struct out *out, const struct scope_event *event)
{
	fputs(" from", out->stream);
	if (event->waking.waker_tid)
		fprintf(out->stream, " %" PRIu32, event->waking.waker_tid);
	else
		fputs(" -", out->stream);
	if (event->waking.waker_tgid)
		fprintf(out->stream, " tgid=%" PRIu32, event->waking.waker_tgid);
	put_name(out, &scope_trace_text_contexts, event->waking.context);
	if (event->waking.interrupt)
		put_name(out, &scope_trace_text_interrupts, event->waking.interrupt);
}

static void put_fork(const struct out *out, const struct scope_event *event)
{
	fprintf(out->stream, " parent=%" PRIu32 " tgid=%" PRIu32, event->fork.parent_tid, event->fork.tgid);
	put_comm(out, event->fork.comm);
}

static void put_exec(const struct out *out, const struct scope_event *event)
{
	fprintf(out->stream, " old=%" PRIu32 " tgid=%" PRIu32, event->exec.old_tid, event->exec.tgid);
	put_comm(out, event->exec.comm);
}

static void put_thread_exit(const struct out *out, const struct scope_event *event)
{
	fprintf(out->stream, " tgid=%" PRIu32 "%s%s", event->exit.tgid, event->exit.last ? " last" : "",
		event->exit.untraced ? " untraced" : "");
}

static void put_state(const struct out *out, const struct scope_event *event)
{
	const struct scope_record_state *record = event->state.record;
	uint64_t arg[SCOPE_ARG_MAX]; /* the compiler distinguishes this type from that of the record's array */
	unsigned int args = SCOPE_ARG_MAX;

	memcpy(arg, record->arg, sizeof(arg));
	while (args && !arg[args - 1])
		args--;
	fprintf(out->stream, " tgid=%" PRIu32 " state=", record->tgid);
	if (record->state < scope_trace_text_states.count)
		fputs(scope_trace_text_states.word[record->state], out->stream);
	else
		fprintf(out->stream, "%u", record->state);
	fputs(" nr=", out->stream);
	if (record->nr == SCOPE_NR_NONE)
		putc('-', out->stream);
	else
		put_call(out, record->nr, record->abi);
	fprintf(out->stream, " since=%" PRIu64 " run=%" PRIu64, (uint64_t)record->since_ns, (uint64_t)record->run_ns);
	put_comm(out, record->comm);
	if (args)
		put_numbers(out, "args=", arg, args);
	put_flags(out, scope_trace_text_state_flags, record->flags);
	if (record->abi)
		fprintf(out->stream, " abi=%" PRIu32, record->abi);
	if (record->regs)
		put_addresses(out, "regs=", event->state.reg, record->regs);
}

static void put_stack(const struct out *out, const struct scope_event *event)
{
	if (event->stack.reg) {
		put_addresses(out, "regs=", event->stack.reg, event->stack.regs);
		if (event->stack.bytes)
			fputs(" data=", out->stream);
		put_hex(out, event->stack.data, event->stack.bytes);
	} else {
		put_addresses(out, "", event->stack.ip, event->stack.ips);
	}
	if (event->stack.cost_ns)
		fprintf(out->stream, " cost=%" PRIu32, event->stack.cost_ns);
	if (event->flags & SCOPE_STACK_KERNEL_IP)
		fprintf(out->stream, " kernel_ip=0x%" PRIx64, event->stack.kernel_ip);
	put_flags(out, scope_trace_text_stack_flags, event->flags);
	put_flags(out, scope_trace_text_ended_flags, event->stack.ended);
	if (event->stack.since_ns)
		fprintf(out->stream, " since=%" PRIu64, event->stack.since_ns);
	if (event->stack.tasks)
		fprintf(out->stream, " count=%" PRIu32, event->stack.tasks);
	if (event->stack.waited_s)
		fprintf(out->stream, " waited=%u", event->stack.waited_s);
	if (event->stack.reason == SCOPE_STACK_PROBE || event->stack.reason > SCOPE_STACK_TASKS)
		fprintf(out->stream, " reason=%u", event->stack.reason);
}

static void put_comm_event(const struct out *out, const struct scope_event *event)
{
	fprintf(out->stream, " tgid=%" PRIu32, event->comm.tgid);
	put_comm(out, event->comm.comm);
}

static void put_block(const struct out *out, const struct scope_event *event)
{
	bool done = event->kind == SCOPE_EVENT_BLOCK_DONE;

	put_name(out, &scope_trace_text_block_ops, event->block.op);
	fprintf(out->stream, " dev=%" PRIu32 ",%" PRIu32 " sector=%" PRIu64 " bytes=%" PRIu32,
		event->block.dev >> SCOPE_BLOCK_MINOR_BITS, event->block.dev & ((1u << SCOPE_BLOCK_MINOR_BITS) - 1),
		event->block.sector, event->block.bytes);
	if (event->block.ns || done)
		fprintf(out->stream, " %s=%" PRIu64, done ? "latency" : "queued", event->block.ns);
	if (event->block.error)
		fprintf(out->stream, " error=%" PRIu32, 0 - (uint32_t)event->block.error);
	put_flags(out, scope_trace_text_block_flags, event->flags);
}

static void put_probe(const struct out *out, const struct scope_event *event)
{
	fprintf(out->stream, " %u", event->probe.id);
	if (event->probe.args)
		put_numbers(out, "args=", event->probe.arg, event->probe.args);
	put_flags(out, scope_trace_text_probe_flags, event->flags);
}

static void put_event(const struct out *out, const struct scope_event *event)
{
	static const struct {
		const char *word;
		void (*put)(const struct out *out, const struct scope_event *event);
	} row[SCOPE_EVENT_KINDS] = {
		[SCOPE_EVENT_SYSCALL] = { "syscall", put_syscall },
		[SCOPE_EVENT_ENTER] = { "enter", put_syscall },
		[SCOPE_EVENT_EXIT] = { "exit", put_syscall },
		[SCOPE_EVENT_SWITCH] = { "switch", put_switch },
		[SCOPE_EVENT_WAKING] = { "waking", put_waking },
		[SCOPE_EVENT_FORK] = { "fork", put_fork },
		[SCOPE_EVENT_EXEC] = { "exec", put_exec },
		[SCOPE_EVENT_THREAD_EXIT] = { "thread_exit", put_thread_exit },
		[SCOPE_EVENT_STATE] = { "state", put_state },
		[SCOPE_EVENT_STACK] = { "stack", put_stack },
		[SCOPE_EVENT_COMM] = { "comm", put_comm_event },
		[SCOPE_EVENT_BLOCK_ISSUE] = { "block_issue", put_block },
		[SCOPE_EVENT_BLOCK_DONE] = { "block_done", put_block },
		[SCOPE_EVENT_PROBE] = { "probe", put_probe },
	};
	const struct scope_fields *fields = scope_trace_fields_of_kind(event->kind);
	const char *word = fields ? scope_trace_fields_word(fields) : row[event->kind].word;

	if (event->kind == SCOPE_EVENT_LOST) {
		fprintf(out->stream, "%" PRIu64 " %u lost %" PRIu64 "\n", event->time_ns, event->cpu,
			event->lost.count);
		return;
	}
	if (event->kind == SCOPE_EVENT_STACK && event->stack.reason == SCOPE_STACK_SAMPLE)
		word = "sample";
	if (event->kind == SCOPE_EVENT_STACK && event->stack.reason == SCOPE_STACK_SNAPSHOT)
		word = "snapshot";
	if (event->kind == SCOPE_EVENT_STACK && event->stack.reason == SCOPE_STACK_TASKS)
		word = "tasks";
	fprintf(out->stream, "%" PRIu64 " %u %s %" PRIu32, event->time_ns, event->cpu, word, event->tid);
	if (fields)
		scope_trace_fields_print(fields, event, out->stream);
	else
		row[event->kind].put(out, event);
	putc('\n', out->stream);
}

static void put_rows(const struct out *out, const struct scope_trace *trace)
{
	for (size_t i = 0; i < trace->maps; i++) {
		const struct scope_trace_map *map = &trace->map[i];

		fprintf(out->stream, "map %" PRIu32 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %c", map->tgid,
			map->start, map->end, map->offset, map->executable ? 'x' : '-');
		put_word(out, map->path);
		put_word(out, map->build_id);
		fputs(map->of_package ? " package" : "", out->stream);
		fputs(map->elf ? " elf\n" : "\n", out->stream);
	}
	for (size_t i = 0; i < trace->threads; i++) {
		fprintf(out->stream, "thread %" PRIu32 " %" PRIu32, trace->thread[i].tid, trace->thread[i].tgid);
		put_word(out, trace->thread[i].comm);
		putc('\n', out->stream);
	}
	for (size_t i = 0; i < trace->symbols; i++) {
		const struct scope_trace_symbol *symbol = &trace->symbol[i];

		fprintf(out->stream, "sym %" PRIu32 " 0x%" PRIx64 " 0x%" PRIx64, symbol->tgid, symbol->start,
			symbol->size);
		put_word(out, symbol->name);
		put_word(out, symbol->module);
		fprintf(out->stream, " %s\n", symbol->library ? "library" : "program");
	}
	for (size_t i = 0; i < trace->fds; i++) {
		const struct scope_trace_fd *fd = &trace->fd[i];

		fprintf(out->stream, "fd %" PRIu32 " %" PRId32, fd->tgid, fd->fd);
		put_name(out, &scope_trace_text_fd_kinds, fd->kind);
		put_word(out, fd->name);
		putc('\n', out->stream);
	}
	for (size_t i = 0; i < trace->memories; i++) {
		const struct scope_trace_memory *memory = &trace->memory[i];

		fprintf(out->stream, "memory %" PRIu32 " 0x%" PRIx64 " %s", memory->tid, memory->address,
			memory->bytes ? "" : "-");
		put_hex(out, memory->data, memory->bytes);
		putc('\n', out->stream);
	}
}

static void put_codes(const struct out *out, const struct scope_trace *trace)
{
	for (size_t i = 0; i < trace->files; i++) {
		const struct scope_trace_file *file = &trace->file[i];

		fprintf(out->stream, "file %" PRIu32, file->number);
		put_name(out, &scope_trace_text_outcomes, file->outcome);
		fprintf(out->stream, " %d %" PRIu32 " %" PRIu32, file->error, file->functions, file->named);
		put_word(out, file->path);
		put_word(out, file->build_id);
		put_word(out, file->found);
		fputs(file->deleted ? " deleted\n" : "\n", out->stream);
	}
	for (size_t i = 0; i < trace->codes; i++) {
		const struct scope_trace_code *code = &trace->code[i];

		fprintf(out->stream, "code %" PRIu32 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64, code->file,
			code->offset, code->start, code->size);
		put_word(out, code->name);
		fprintf(out->stream, " %" PRIu32, code->lines);
		for (uint32_t k = 0; k < code->lines; k++) {
			fprintf(out->stream, " %" PRIu32, code->line[k].line);
			put_word(out, code->line[k].function);
			put_word(out, code->line[k].file);
		}
		put_flags(out, scope_trace_text_place_flags, (uint8_t)code->flags);
		putc('\n', out->stream);
	}
}

static void put_stopped_stack(const struct out *out, const struct scope_trace *trace)
{
	for (size_t i = 0; i < trace->stopped_stacks; i++) {
		const struct scope_trace_stopped_stack *row = &trace->stopped_stack[i];

		fprintf(out->stream, "standing %" PRIu32 " 0x%" PRIx64, row->tid, row->address);
		put_addresses(out, "", row->ip, row->count);
		put_flags(out, scope_trace_text_ended_flags, row->ended);
		putc('\n', out->stream);
	}
	for (size_t i = 0; i < trace->locks; i++)
		fprintf(out->stream, "lock %" PRIu32 " 0x%" PRIx64 " %" PRIu32 "\n", trace->lock[i].tid,
			trace->lock[i].address, trace->lock[i].owner);
}

int scope_trace_text_write_span(struct scope_trace *trace, uint64_t from_ns, uint64_t to_ns, FILE *stream,
				struct scope_error *error)
{
	const char *arch = scope_trace_meta(trace, SCOPE_META_ARCH);
	struct out out = { .stream = stream, .named = !arch || !strcmp(arch, OWN_ARCH) };
	struct scope_event event;
	int err = scope_trace_seek(trace, from_ns);

	for (size_t i = 0; i < trace->metas; i++) {
		fputs("meta", stream);
		put_word(&out, trace->meta[i].key);
		if (*trace->meta[i].value)
			putc(' ', stream);
		put_value(&out, trace->meta[i].value);
		putc('\n', stream);
	}
	put_rows(&out, trace);
	put_stopped_stack(&out, trace);
	put_codes(&out, trace);
	while (!err && (err = scope_trace_next(trace, &event)) == 1) {
		err = 0;
		if (event.time_ns >= to_ns || ferror(stream))
			break;
		put_event(&out, &event);
	}
	if (err)
		return scope_error_set(error, err, "cannot read the trace: %s", strerror(-err));
	if (fflush(stream) || ferror(stream)) {
		err = errno ? -errno : -EIO;
		return scope_error_set(error, err,
				       "cannot write the text: %s; free some room, or send it "
				       "elsewhere",
				       strerror(-err));
	}
	return 0;
}
