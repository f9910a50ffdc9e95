// SPDX-License-Identifier: GPL-2.0-only
/*
 * Feed damaged traces and damaged text to the readers. Same seed, same inputs, in the same order.
 *
 * Usage: fuzz_trace [SECONDS [SEED]]
 *
 * Half of the traces get their checksums put right after the damage, so that it reaches the
 * decoder. Checked, besides what the sanitizers see: events come in order of time, and a trace that
 * the text form can hold is the same text after text -> trace -> text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "trace/format.h"
#include "trace/text.h"
#include "trace/trace.h"
#include "trace/writer.h"

#define CHANGES_MAX 8

static const char example[] =
	"meta command demo\n"
	"map 100 0x400000 0x500000 0x1000 x /usr/bin/demo 0123abcd\n"
	"sym 0 0x1000 0x100 operator\\x20new demo program\n"
	"fd 100 7 accepted socket:[123]\n"
	"memory 100 0x7ffe0000 00ff10\n"
	"0 0 state 100 tgid=100 state=sleeping nr=epoll_wait since=0 run=5 comm=demo args=5,9 iowait\n"
	"0 0 stack 100 0x1010,0x2010\n"
	"10 0 state 102 tgid=100 state=disk nr=read since=3 run=0 comm=a regs=0x1,0x2\n"
	"1000 0 switch 0 100 sleeping\n"
	"2000 0 syscall 100 read enter=1500 ret=100 args=7\n"
	"2100 0 syscall 100 mmap enter=2050 ret=4096 wide abi=1\n"
	"2200 0 stack 100 regs=0x1,0xfffffffffffffffe data=00ff7f fault\n"
	"2300 1 sample 101 0x1010 kernel\n"
	"2500 0 enter 100 epoll_wait enter=2400 args=5,1,2\n"
	"2500 0 switch 100 0 sleeping\n"
	"3000 1 exit 101 epoll_wait ret=1\n"
	"9000 1 waking 100 from 55 task\n"
	"9001 1 waking 100 from - softirq\n"
	"9002 1 waking 100 from 70 tgid=69 task\n"
	"9100 1 fork 200 parent=100 tgid=200 comm=child\n"
	"9200 1 exec 200 old=201 tgid=200 comm=new\n"
	"9300 1 thread_exit 200 tgid=200 last\n"
	"9400 0 lost 17\n"
	"900009500 0 syscall 9 close enter=900009400 ret=0\n";

static uint64_t random_state;

/* xorshift64*, Vigna 2016. */
static uint32_t draw(uint32_t below)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (random_state * 2685821657736338717ull >> 32) % below;
}

static void die(const char *what)
{
	fprintf(stderr, "fuzz_trace: %s\n", what);
	abort();
}

/* A trace in memory from text. -errno where the text is none. */
static int trace_of_text(const char *text, size_t bytes, int *ret_fd)
{
	struct scope_writer *writer = NULL;
	struct scope_error error;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FILE *stream = fmemopen((void *)text, bytes, "r");
	int ret;

	if (fd < 0 || !stream || scope_writer_create_fd(fd, "fuzz", NULL, &writer))
		die("no memory");
	ret = scope_text_read(stream, writer, &error);
	if (!ret && scope_writer_finish(writer, NULL))
		die("cannot finish");
	scope_writer_destroy(writer);
	fclose(stream);
	if (ret)
		close(fd);
	else
		*ret_fd = fd;
	return ret;
}

/* NULL: no trace. */
static char *text_of_trace(int fd, size_t *ret_bytes)
{
	struct scope_trace *trace;
	struct scope_error error;
	struct scope_event event;
	uint64_t last_ns = 0;
	char *text = NULL;
	FILE *stream;

	if (scope_trace_open_fd(fd, "fuzz", &error, &trace))
		return NULL;
	while (scope_trace_next(trace, &event) == 1) {
		if (event.time_ns < last_ns)
			die("an event goes back in time");
		last_ns = event.time_ns;
	}
	stream = open_memstream(&text, ret_bytes);
	if (!stream || scope_text_write(trace, stream, &error))
		die("cannot write text");
	fclose(stream);
	scope_trace_close(trace);
	return text;
}

/* What can be said as text must survive being said. Consumes fd. */
static void check_trace(int fd)
{
	size_t bytes, again_bytes;
	char *text = text_of_trace(fd, &bytes), *again;
	int again_fd;

	close(fd);
	if (!text)
		return;
	if (bytes && !trace_of_text(text, bytes, &again_fd)) {
		again = text_of_trace(again_fd, &again_bytes);
		close(again_fd);
		if (!again || again_bytes != bytes || memcmp(text, again, bytes)) {
			fprintf(stderr, "--- first\n%s--- again\n%s", text, again ? again : "");
			die("text changed on its way through a trace");
		}
		free(again);
	}
	free(text);
}

static void change(uint8_t *data, size_t bytes)
{
	static const uint8_t special[] = { 0, 1, 7, 8, 0x1f, 0x20, 0x7f, 0x80, 0xff, '-', '\n' };

	for (uint32_t count = draw(CHANGES_MAX) + 1; count; count--) {
		uint32_t at = draw(bytes);

		switch (draw(4)) {
		case 0:
			data[at] ^= 1 << draw(8);
			break;
		case 1:
			data[at] = special[draw(sizeof(special))];
			break;
		case 2:
			data[at] = draw(256);
			break;
		case 3: {
			uint32_t from = draw(bytes), length = draw(32) + 1;

			if (at + length <= bytes && from + length <= bytes)
				memmove(data + at, data + from, length);
		}
		}
	}
}

/* Walks the frames of the undamaged trace and makes the damaged one's checksums true. */
static void mend(const uint8_t *whole, uint8_t *data, size_t bytes)
{
	size_t offset = sizeof(struct scope_file_header);

	while (offset + sizeof(struct scope_frame) <= bytes) {
		const struct scope_frame *was = (const void *)(whole + offset);
		struct scope_frame *frame = (void *)(data + offset);
		size_t next = offset + sizeof(*was) + scope_frame_padded(was->payload_bytes);

		frame->magic = SCOPE_FRAME_MAGIC;
		if (frame->payload_bytes <= bytes - offset - sizeof(*frame))
			frame->payload_crc = crc32(0, (const uint8_t *)(frame + 1),
						   frame->payload_bytes);
		frame->head_crc = crc32(0, (const uint8_t *)frame,
					offsetof(struct scope_frame, head_crc));
		offset = next;
	}
}

static uint8_t *read_all(int fd, size_t *ret_bytes)
{
	off_t bytes = lseek(fd, 0, SEEK_END);
	uint8_t *data = malloc(bytes);

	if (!data || pread(fd, data, bytes, 0) != bytes)
		die("no memory");
	close(fd);
	*ret_bytes = bytes;
	return data;
}

/* The example as a file. */
static uint8_t *make_example(size_t *ret_bytes)
{
	int fd;

	if (trace_of_text(example, strlen(example), &fd))
		die("the example is no text");
	return read_all(fd, ret_bytes);
}

/* The same with all payloads uncompressed: else damage would hit zstd alone, never a record. */
static uint8_t *unpack_example(const uint8_t *packed, size_t packed_bytes, size_t *ret_bytes)
{
	const size_t room = 1 << 20;
	size_t from = sizeof(struct scope_file_header), to = from;
	uint8_t *data = calloc(1, room);

	if (!data)
		die("no memory");
	memcpy(data, packed, from);
	while (from + sizeof(struct scope_frame) <= packed_bytes) {
		const struct scope_frame *source = (const void *)(packed + from);
		struct scope_frame *frame = (void *)(data + to);

		*frame = *source;
		if (!(source->flags & SCOPE_FRAME_ZSTD))
			memcpy(frame + 1, source + 1, source->payload_bytes);
		else if (ZSTD_decompress(frame + 1, room - to - sizeof(*frame), source + 1,
					 source->payload_bytes) != source->raw_bytes)
			die("cannot decompress the example");
		frame->flags = 0;
		frame->payload_bytes = source->raw_bytes;
		from += sizeof(*source) + scope_frame_padded(source->payload_bytes);
		to += sizeof(*frame) + scope_frame_padded(frame->payload_bytes);
	}
	mend(data, data, to);
	*ret_bytes = to;
	return data;
}

static void one_trace(const uint8_t *whole, size_t bytes)
{
	uint8_t *data = malloc(bytes);
	size_t keep = draw(4) ? bytes : draw(bytes) + 1;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (!data || fd < 0)
		die("no memory");
	memcpy(data, whole, bytes);
	change(data, bytes);
	if (draw(2))
		mend(whole, data, bytes);
	if (write(fd, data, keep) != (ssize_t)keep)
		die("cannot write");
	free(data);
	check_trace(fd);
}

static void one_text(void)
{
	char text[sizeof(example)];
	int fd;

	memcpy(text, example, sizeof(text));
	change((uint8_t *)text, sizeof(text) - 1);
	if (!trace_of_text(text, sizeof(text) - 1, &fd))
		check_trace(fd);
}

int main(int argc, char **argv)
{
	time_t seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	time_t begin = time(NULL);
	uint64_t inputs = 0;
	uint8_t *packed, *whole;
	size_t packed_bytes, bytes;

	random_state = (argc > 2 ? strtoull(argv[2], NULL, 10) : 1) * 2 + 1;
	packed = make_example(&packed_bytes);
	whole = unpack_example(packed, packed_bytes, &bytes);
	while (time(NULL) - begin < seconds) {
		one_trace(packed, packed_bytes);
		one_trace(whole, bytes);
		one_text();
		inputs += 3;
	}
	free(packed);
	free(whole);
	printf("fuzz_trace: %" PRIu64 " inputs\n", inputs);
	return 0;
}
