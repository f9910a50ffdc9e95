// SPDX-License-Identifier: GPL-2.0-only
/*
 * Trace files whose frames have contents that no recorder writes, but correct checksums. The decompressed contents of
 * frames are changed. Frames are repeated, left out or exchanged, have another type, or state another size than they
 * have. Metadata decompresses to much more than its size in the file. All files are read as `scope dump` and `scope
 * export` read them; some go through the whole analysis.
 */
#include <libdeflate.h>
#include <stddef.h>
#include <zstd.h>

#include "fuzz.h"

#include "analysis/analysis.h"
#include "export/formats.h"
#include "report/json.h"
#include "report/text.h"
#include "symbol/scrub_trace.h"
#include "trace/format.h"

#define FRAMES_MAX 256
#define CONTENT_MAX (64u << 10)
#define EXAMPLE_MAX (60u << 10)

/* A frame, split into its parts. */
struct part {
	struct scope_frame head;
	uint8_t *content; /* decompressed */
	size_t bytes;
};

struct mutant {
	struct scope_file_header header;
	struct part part[FRAMES_MAX];
	size_t parts;
	uint32_t seed;
};

static uint32_t draw(struct mutant *mutant, uint32_t below)
{
	mutant->seed = mutant->seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(mutant->seed ^ mutant->seed >> 15) * below >> 32);
}

static void print_events(FILE *to, unsigned rounds)
{
	static const char *const names[] = { "read", "write", "futex", "epoll_wait", "nanosleep", "openat" };

	for (unsigned i = 0; i < rounds; i++) {
		const unsigned time = 20000 + i * 4000, tid = 100 + i % 3, other = 100 + (i + 1) % 3;

		fprintf(to, "%u %u switch %u %u sleeping\n", time, i % 2, other, tid);
		fprintf(to, "%u %u exit %u %s ret=%u\n", time + 100, i % 2, tid, names[i % 6], i % 5);
		fprintf(to, "%u %u stack %u 0x1010,0x2010,0x40%04x\n", time + 110, i % 2, tid, i);
		fprintf(to, "%u %u syscall %u %s enter=%u ret=1 args=%u,%u\n", time + 900, i % 2, tid,
			names[(i + 1) % 6], time + 300, i % 9, i);
		fprintf(to, "%u %u sample %u 0x1020,0x2020 kernel\n", time + 1500, i % 2, tid);
		fprintf(to, "%u %u enter %u %s enter=%u args=7\n", time + 2000, i % 2, tid, names[(i + 2) % 6],
			time + 1900);
		fprintf(to, "%u %u waking %u from %u task\n", time + 2100, i % 2, other, tid);
	}
}

/* A trace of every kind of line. */
static size_t make_example(uint8_t *data, size_t room, uint32_t seed)
{
	static const char head[] =
		"meta command demo\nmeta pid 100\nmeta begin_ns 0\nmeta end_ns 9000000\nmeta sample_ns 1000\n"
		"meta probe.7 u:/usr/bin/demo:handle\nmeta kernel_stack.100 do_wait schedule\n"
		"map 100 0x400000 0x500000 0x1000 x /usr/bin/demo 0123abcd\n"
		"thread 102 100 worker-2\n"
		"sym 0 0x1000 0x100 operator\\x20new demo program\nsym 0 0x2000 0x100 main demo program\n"
		"sym 100 0x3000 0x40 _ZN3foo3barEv jit program\n"
		"fd 100 7 accepted socket:[123]\nfd 100 5 epoll -\nmemory 100 0x7ffe0000 00ff10\n"
		"standing 102 0x2 0x401010,0x402010 unwound\nlock 101 0x5000 100\n"
		"file 0 read 0 12 7 /usr/bin/demo 0123abcd -\n"
		"code 0 0x1010 0x401000 0x40 _ZN1a1bEv 2 10 inner demo.c 20 - demo.c function named lined\n"
		"0 0 state 100 tgid=100 state=sleeping nr=epoll_wait since=0 run=5 comm=demo args=5,9\n"
		"0 0 stack 100 0x1010,0x2010\n"
		"10 0 state 102 tgid=100 state=disk nr=read since=3 run=0 comm=a regs=0x1,0x2\n"
		"12 0 comm 101 tgid=100 comm=worker\n"
		"14 0 block_issue 100 write dev=254,0 sector=2048 bytes=4096 sync\n"
		"16 0 block_done 100 write dev=254,0 sector=2048 bytes=4096 latency=1 sync\n"
		"17 0 probe 100 7 args=3,4\n18 0 stack 100 0x1010 reason=2\n19 0 delay 100 1 asked=5 served=6\n"
		"2200 0 stack 100 regs=0x1,0x2 data=00ff7f fault\n"
		"2300 0 sample 100 0x400010,0x400021 kernel_ip=0x7 kernel unwound_cut guessed\n"
		"9100 1 fork 200 parent=100 tgid=200 comm=child\n9200 1 exec 200 old=200 tgid=200 comm=new\n"
		"9300 1 thread_exit 200 tgid=200 last\n9400 0 lost 17\n";
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);
	ssize_t bytes;
	int fd;

	if (!to)
		fuzz_die("no memory");
	fputs(head, to);
	print_events(to, seed % 8 ? 8 : 200);
	fclose(to);
	if (fuzz_trace_of_text(text, size, seed % 3 ? 1 : 0, &fd))
		fuzz_die("the example is no text");
	free(text);
	bytes = pread(fd, data, room < EXAMPLE_MAX ? room : EXAMPLE_MAX, 0);
	close(fd);
	return bytes > 0 ? (size_t)bytes : 0;
}

static bool take_part(struct mutant *mutant, const struct scope_frame *head, const uint8_t *payload)
{
	struct part *part = &mutant->part[mutant->parts];
	uint8_t *content = malloc(CONTENT_MAX);
	size_t bytes = head->payload_bytes;

	if (!content)
		fuzz_die("no memory");
	if (head->flags & SCOPE_FRAME_ZSTD)
		bytes = ZSTD_decompress(content, CONTENT_MAX, payload, bytes);
	else if (bytes <= CONTENT_MAX)
		memcpy(content, payload, bytes);
	if (ZSTD_isError(bytes) || bytes > CONTENT_MAX) {
		free(content);
		return false;
	}
	*part = (struct part){ *head, content, bytes };
	mutant->parts++;
	return true;
}

static void split_example(struct mutant *mutant, const uint8_t *data, size_t bytes)
{
	size_t at = sizeof(mutant->header);

	memcpy(&mutant->header, data, sizeof(mutant->header));
	while (at + sizeof(struct scope_frame) <= bytes && mutant->parts < FRAMES_MAX) {
		struct scope_frame head;

		memcpy(&head, data + at, sizeof(head));
		at += sizeof(head);
		if (head.magic != SCOPE_FRAME_MAGIC || head.payload_bytes > bytes - at)
			return;
		take_part(mutant, &head, data + at);
		at += scope_trace_frame_padded(head.payload_bytes);
	}
}

static struct part *any_part(struct mutant *mutant)
{
	return &mutant->part[draw(mutant, mutant->parts)];
}

/* A field of 2, 4 or 8 bytes gets a value at which arithmetic ends. */
static void put_extreme(struct mutant *mutant, struct part *part)
{
	static const uint64_t values[] = {
		0,
		1,
		7,
		8,
		0x7f,
		0xff,
		0x7fff,
		0xffff,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		1ull << 32,
		INT64_MAX,
		1ull << 63,
		UINT64_MAX,
		UINT64_MAX - 7,
		0xffffffff81000000,
		1u << 24,
		0x3fffff,
	};
	const size_t width = (size_t)2 << draw(mutant, 3);
	const uint64_t value = values[draw(mutant, sizeof(values) / sizeof(values[0]))];

	if (part->bytes >= width)
		memcpy(part->content + draw(mutant, (uint32_t)(part->bytes / 2 - width / 2 + 1)) * 2, &value, width);
}

/* A text that no recorder writes. */
static void put_name(struct mutant *mutant, struct part *part)
{
	static const char *const names[] = {
		"\033[2J", "\xc2\x9b", "\n\n",	    "\xff\xfe", "\\x41", "%s%n",
		"_ZN1",	   "_RNvC",    "(deleted)", "/../../",	";[",
	};
	const char *name = names[draw(mutant, sizeof(names) / sizeof(names[0]))];
	const size_t length = strlen(name);

	if (part->bytes > length)
		memcpy(part->content + draw(mutant, (uint32_t)(part->bytes - length)), name, length);
}

static void repeat(struct mutant *mutant, const struct part *part, uint32_t times)
{
	while (times-- && mutant->parts < FRAMES_MAX) {
		struct part *copy = &mutant->part[mutant->parts++];

		*copy = *part;
		copy->content = malloc(CONTENT_MAX);
		if (!copy->content)
			fuzz_die("no memory");
		memcpy(copy->content, part->content, part->bytes);
	}
}

/* Columns have another length than the data that they are made from. */
static void set_raw(struct part *part)
{
	if (!(part->head.flags & (SCOPE_FRAME_COLUMNS | SCOPE_FRAME_COLUMNS_3)))
		part->head.raw_bytes = (uint32_t)part->bytes;
}

static void change(struct mutant *mutant)
{
	struct part *part = any_part(mutant), *other = any_part(mutant), swap = *part;

	switch (draw(mutant, 14)) {
	case 0:
	case 1:
		if (part->bytes)
			part->bytes = LLVMFuzzerMutate(part->content, part->bytes, CONTENT_MAX);
		set_raw(part);
		break;
	case 2:
	case 3:
	case 4:
	case 5:
		for (uint32_t count = draw(mutant, 4) + 1; count; count--)
			put_extreme(mutant, part);
		break;
	case 6:
		put_name(mutant, part);
		break;
	case 7:
		repeat(mutant, part, draw(mutant, 32) ? 1 : 64);
		break;
	case 8:
		*part = *other;
		*other = swap;
		break;
	case 9:
		part->head.type = draw(mutant, 16);
		break;
	case 10:
		part->head.cpu = draw(mutant, 2) ? draw(mutant, 4) : draw(mutant, 9000);
		break;
	case 11:
		part->head.raw_bytes = draw(mutant, 2) ? draw(mutant, 20u << 20) : part->head.raw_bytes + 8;
		break;
	case 12:
		part->head.flags ^= 1u << draw(mutant, 4);
		break;
	case 13:
		part->bytes = draw(mutant, (uint32_t)part->bytes + 1);
		set_raw(part);
		break;
	}
}

/* Zeros that take a ten-thousandth of their size in the file. */
static size_t put_bomb(uint8_t *to, size_t room)
{
	static uint8_t bomb[4096];
	static size_t bomb_bytes;

	if (!bomb_bytes) {
		uint8_t *zeros = calloc(1, SCOPE_FRAME_RAW_MAX);

		if (!zeros)
			fuzz_die("no memory");
		bomb_bytes = ZSTD_compress(bomb, sizeof(bomb), zeros, SCOPE_FRAME_RAW_MAX, 1);
		free(zeros);
	}
	if (ZSTD_isError(bomb_bytes) || bomb_bytes > room)
		return 0;
	memcpy(to, bomb, bomb_bytes);
	return bomb_bytes;
}

/* Returns 0 if there is no room for it. */
static size_t put_part(struct mutant *mutant, struct part *part, uint8_t *to, size_t room, bool bomb)
{
	static ZSTD_CCtx *context;
	struct scope_frame head = part->head;
	uint8_t *payload = to + sizeof(head);
	size_t bytes = part->bytes;

	if (room < sizeof(head) + bytes + 4096 + 8)
		return 0;
	if (!context && !(context = ZSTD_createCCtx()))
		fuzz_die("no memory");
	if (bomb) {
		bytes = put_bomb(payload, 4096);
		head.flags |= SCOPE_FRAME_ZSTD;
		head.raw_bytes = SCOPE_FRAME_RAW_MAX;
	} else if (head.flags & SCOPE_FRAME_ZSTD) {
		bytes = ZSTD_compressCCtx(context, payload, room - sizeof(head), part->content, bytes, 1);
	} else {
		memcpy(payload, part->content, bytes);
		head.raw_bytes = draw(mutant, 64) ? bytes : head.raw_bytes;
	}
	if (ZSTD_isError(bytes))
		return 0;
	head.payload_bytes = bytes;
	head.payload_crc = libdeflate_crc32(0, payload, bytes);
	head.head_crc = libdeflate_crc32(0, &head, offsetof(struct scope_frame, head_crc));
	memcpy(to, &head, sizeof(head));
	memset(payload + bytes, 0, scope_trace_frame_padded(bytes) - bytes);
	return sizeof(head) + scope_trace_frame_padded(bytes);
}

static size_t put_together(struct mutant *mutant, uint8_t *data, size_t room)
{
	size_t at = sizeof(mutant->header);
	/* Rarely, because each takes 16 MiB when it is decompressed. */
	const uint32_t bombs = draw(mutant, 256) ? 0 : draw(mutant, 40);

	memcpy(data, &mutant->header, sizeof(mutant->header));
	for (size_t i = 0; i < mutant->parts; i++)
		at += put_part(mutant, &mutant->part[i], data + at, room - at, i < bombs);
	return at;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned int seed)
{
	static struct mutant mutant;
	static uint8_t example[8][EXAMPLE_MAX];
	static size_t example_bytes[8];
	const unsigned which = seed / 7 % 8;

	mutant.parts = 0;
	mutant.seed = seed;
	if (bytes < sizeof(mutant.header) || seed % 4 == 0) {
		if (!example_bytes[which])
			example_bytes[which] = make_example(example[which], EXAMPLE_MAX, which);
		split_example(&mutant, example[which], example_bytes[which]);
	} else {
		split_example(&mutant, data, bytes);
	}
	if (!mutant.parts)
		return bytes;
	for (uint32_t count = draw(&mutant, 4) + 1; count; count--)
		change(&mutant);
	bytes = put_together(&mutant, data, room);
	for (size_t i = 0; i < mutant.parts; i++)
		free(mutant.part[i].content);
	return bytes;
}

static FILE *nowhere(void)
{
	static FILE *null;

	if (!null && !(null = fopen("/dev/null", "w")))
		fuzz_die("cannot open /dev/null");
	return null;
}

/* NULL: it cannot be analysed. */
static struct scope_analysis *analyse(struct scope_trace *trace)
{
	struct scope_analysis_options options;
	struct scope_analysis *analysis;

	scope_analysis_options_init(&options);
	options.symbols.root = "/nonexistent";
	return scope_analysis_run(trace, &options, &analysis) ? NULL : analysis;
}

static void report(struct scope_trace *trace)
{
	const struct scope_report_style style = { .verbose = true, .details = 9 };
	struct scope_analysis *analysis = analyse(trace);

	if (!analysis)
		return;
	scope_report_text(analysis, &style, nowhere());
	scope_report_json(analysis, &(struct scope_report_style){ 0 }, nowhere());
	scope_analysis_destroy(analysis);
}

/* Scrubs the trace. The result must be a trace, whatever the input was. */
static void scrub(struct scope_trace *trace)
{
	const struct scope_symbol_options options = { .root = "/nonexistent" };
	struct scope_scrub_counts counts;
	struct scope_writer *writer;
	struct scope_symbols *symbols;
	struct scope_trace *again;
	struct scope_error error;
	const int fd = fuzz_memory();
	size_t count;
	const struct scope_trace_map *maps = scope_trace_maps(trace, &count);

	if (scope_trace_writer_create_fd(fd, "scrubbed", &error, &writer) ||
	    scope_symbols_create(maps, count, NULL, 0, &options, &symbols) ||
	    scope_symbols_add_recorded(symbols, trace))
		fuzz_die("no memory");
	if (!scope_symbol_scrub(trace, symbols, writer, &counts) && !scope_trace_writer_finish(writer, &error)) {
		again = fuzz_read(fd);
		if (again)
			scope_trace_text_write_span(again, 0, UINT64_MAX, nowhere(), &error);
		scope_trace_close(again);
	}
	scope_symbols_destroy(symbols);
	scope_trace_writer_destroy(writer);
	close(fd);
}

static void export(struct scope_trace *trace, const char *name)
{
	const struct scope_export_format *format = scope_export_find(name);
	const struct scope_symbol_options options = { .root = "/nonexistent" };
	const struct scope_export_to to = { .name = "nowhere", .path = "/dev/null", .stream = nowhere() };
	const struct scope_trace_symbol *rows;
	const struct scope_trace_map *maps;
	struct scope_symbols *symbols;
	struct scope_analysis *analysis;
	struct scope_error error;
	size_t map_count, row_count;

	maps = scope_trace_maps(trace, &map_count);
	rows = scope_trace_symbols(trace, &row_count);
	if (scope_symbols_create(maps, map_count, rows, row_count, &options, &symbols) ||
	    scope_symbols_add_recorded(symbols, trace))
		fuzz_die("no memory");
	analysis = format->diagnosis ? analyse(trace) : NULL;
	if (analysis || !format->diagnosis)
		format->run(&(struct scope_export_from){ trace, symbols, analysis }, &to, &error);
	scope_analysis_destroy(analysis);
	scope_symbols_destroy(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	static const char *const formats[] = { "script", "folded", "folded-off", "folded-probe", "perfetto" };
	const uint32_t chance = libdeflate_crc32(0, data, bytes);
	struct scope_trace *trace;
	struct scope_error error;
	int fd = fuzz_memory();

	if (write(fd, data, bytes) != (ssize_t)bytes)
		fuzz_die("cannot write");
	trace = fuzz_read(fd);
	if (trace && chance % 8 == 0)
		export(trace, formats[chance / 8 % 5]);
	else if (trace && chance % 8 == 1)
		report(trace);
	else if (trace && chance % 8 == 2)
		scrub(trace);
	else if (trace && chance % 2)
		scope_trace_text_write_span(trace, 0, UINT64_MAX, nowhere(), &error);
	scope_trace_close(trace);
	close(fd);
	return 0;
}
