// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damaged trace files: events come in order of time, and an event that the text form can express is the same text after
 * text -> trace -> text. Half of the files get correct checksums after the damage, so that the decoder sees it.
 */
#include <stddef.h>
#include <zlib.h>

#include "fuzz.h"
#include "trace/format.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	int fd = fuzz_memory();

	if (write(fd, data, bytes) != (ssize_t)bytes)
		fuzz_die("cannot write");
	fuzz_check_trace(fd);
	return 0;
}

/* Walks the frames as far as they are valid, and corrects their checksums. */
static void mend(uint8_t *data, size_t bytes)
{
	size_t offset = sizeof(struct scope_file_header);

	while (offset + sizeof(struct scope_frame) <= bytes) {
		struct scope_frame *frame = (void *)(data + offset);
		size_t room = bytes - offset - sizeof(*frame);

		frame->magic = SCOPE_FRAME_MAGIC;
		if (frame->payload_bytes > room)
			frame->payload_bytes = room;
		/* Not compressed: otherwise only zstd would see the damage. */
		frame->flags = 0;
		frame->raw_bytes = frame->payload_bytes;
		frame->payload_crc = crc32(0, (const uint8_t *)(frame + 1), frame->payload_bytes);
		frame->head_crc = crc32(0, (const uint8_t *)frame, offsetof(struct scope_frame, head_crc));
		offset += sizeof(*frame) + scope_trace_frame_padded(frame->payload_bytes);
	}
}

/* The example as a file. */
static size_t make_example(uint8_t *data, size_t room, int level)
{
	ssize_t bytes;
	int fd;

	if (fuzz_trace_of_text(example, strlen(example), level, &fd))
		fuzz_die("the example is no text");
	bytes = pread(fd, data, room, 0);
	close(fd);
	return bytes > 0 ? bytes : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned int seed)
{
	/* Aligned, as the file is where it is mapped. */
	static _Alignas(8) uint8_t copy[1 << 20];

	if (room > sizeof(copy))
		room = sizeof(copy);
	if (bytes < sizeof(struct scope_file_header) || bytes > room || seed % 16 == 0) {
		bytes = make_example(copy, room, seed % 5 ? 0 : 1);
	} else {
		memcpy(copy, data, bytes);
	}
	bytes = LLVMFuzzerMutate(copy, bytes, room);
	if (seed & 1)
		mend(copy, bytes);
	memcpy(data, copy, bytes);
	return bytes;
}
