// SPDX-License-Identifier: GPL-2.0-only
/* Converts a sub-buffer to columns and back: the events that can be read must be the same after a second writing. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "trace/columns.h"
#include "trace/format.h"

static const char example[] = "0 0 state 101 tgid=101 state=sleeping nr=7 since=3 run=0 comm=a regs=0x1,0x2\n"
			      "1000 0 switch 0 101 sleeping\n"
			      "1100 0 syscall 101 0 enter=1050 ret=100 args=7\n"
			      "1200 0 syscall 101 1 enter=1150 ret=-11 args=7,8\n"
			      "1300 0 syscall 101 0 enter=1250 ret=100 args=7\n"
			      "1310 0 stack 101 regs=0x1,0xfffffffffffffffe data=00ff7f fault\n"
			      "1400 0 enter 101 232 enter=1350 args=5\n"
			      "1400 0 switch 101 0 sleeping\n"
			      "900001500 0 waking 101 from - softirq\n"
			      "900001600 0 switch 0 101 sleeping\n"
			      "900001700 0 exit 101 232 ret=1\n"
			      "900001800 0 probe 101 7 args=3,0xffff800000000000\n"
			      "900001900 0 delay 101 1 asked=50000 served=53211 at_return\n"
			      "900001901 0 futex 101 16 m0=2 m1=0 m2=100 m3=1\n"
			      "900002000 0 sample 101 0x1010,0x2010 kernel\n";

static void check_columns(const uint8_t *data, size_t bytes)
{
	static struct scope_columns columns;
	size_t room = ((const struct scope_subbuf *)data)->used_bytes & 0xffff8;
	/* Memory of the exact size, so that a sanitizer sees accesses past its end. */
	uint8_t *subbuf = malloc(room + !room), *split = malloc(scope_trace_columns_room(room));
	uint8_t *again = malloc(room + !room);
	struct scope_trace_columns_rests rests = { 0 };
	bool alone;

	if (!subbuf || !split || !again)
		fuzz_die("no memory");
	alone = !scope_trace_columns_rests(data, bytes, room, &rests);
	if (!scope_trace_columns_join(data, bytes, subbuf, room, NULL)) {
		if (!alone)
			fuzz_die("stacks are not found without the records");
		for (size_t i = 0; i < rests.count; i++)
			if (memcmp(subbuf + rests.rest[i].from, rests.data + rests.rest[i].at, rests.rest[i].bytes))
				fuzz_die("another stack was found without the records");
		((struct scope_subbuf *)subbuf)->used_bytes = room;
		if (!scope_trace_columns_split((const void *)subbuf, split, &columns) &&
		    (scope_trace_columns_join(split, columns.column[columns.count - 1].end, again, room, NULL) ||
		     memcmp(again, subbuf, room)))
			fuzz_die("another sub-buffer came back");
	}
	free(rests.rest);
	free(subbuf);
	free(split);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *copy = malloc(bytes + !bytes), *back = malloc(bytes + !bytes);

	if (!copy || !back)
		fuzz_die("no memory");
	memcpy(copy, data, bytes);
	if (bytes >= sizeof(struct scope_subbuf))
		check_columns(copy, bytes);
	scope_trace_columns_join_3(copy, bytes & ~(size_t)7, back);
	free(copy);
	free(back);
	return 0;
}

/* The example in columns. */
static size_t make_example(uint8_t *data)
{
	static struct scope_columns columns;
	_Alignas(8) uint8_t file[4096];
	const struct scope_frame *frame = (void *)(file + sizeof(struct scope_file_header));
	int fd;

	if (fuzz_trace_of_text(example, strlen(example), 0, &fd) ||
	    pread(fd, file, sizeof(file), 0) < (ssize_t)sizeof(file) / 8)
		fuzz_die("the example is no text");
	close(fd);
	while (frame->type != SCOPE_FRAME_SUBBUF)
		frame = (void *)((uint8_t *)(frame + 1) + scope_trace_frame_padded(frame->payload_bytes));
	if (scope_trace_columns_split((const void *)(frame + 1), data, &columns))
		fuzz_die("the example is not known");
	return columns.column[columns.count - 1].end;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned int seed)
{
	if (room >= 4096 && (bytes < sizeof(struct scope_subbuf) || seed % 64 == 0))
		bytes = make_example(data);
	return LLVMFuzzerMutate(data, bytes, room);
}
