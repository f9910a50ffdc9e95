// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perf maps and jitdump files, which a process with just-in-time compiled code writes. Here this process writes them.
 * An input whose first byte is even is a perf map, else a jitdump.
 */
#include <fcntl.h>

#include "fuzz.h"
#include "proc/proc.h"

static char map_path[64], dump_path[64];

static void remove_files(void)
{
	unlink(map_path);
	unlink(dump_path);
}

static void name_files(void)
{
	if (map_path[0])
		return;
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	snprintf(dump_path, sizeof(dump_path), "/tmp/jit-%d.dump", getpid());
	atexit(remove_files);
}

static void write_file(const char *path, const uint8_t *data, size_t bytes)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes)
		fuzz_die("cannot write to /tmp");
	close(fd);
}

/* A jitdump is found by being mapped to be executed. */
static void *map_dump(size_t bytes)
{
	int fd = open(dump_path, O_RDONLY | O_CLOEXEC);
	void *place = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (place == MAP_FAILED)
		fuzz_die("cannot map the dump");
	close(fd);
	return place;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	const uint32_t self = getpid();
	struct scope_writer *writer;
	struct scope_trace *trace;
	struct scope_proc *proc;
	void *place = NULL;
	int fd = fuzz_memory();
	bool dump = bytes > 1 && data[0] & 1;

	name_files();
	if (bytes < 2) {
		close(fd);
		return 0;
	}
	remove_files();
	write_file(dump ? dump_path : map_path, data + 1, bytes - 1);
	if (dump)
		place = map_dump(bytes - 1);
	if (scope_trace_writer_create_fd(fd, "fuzz", NULL, &writer) || scope_proc_create(NULL, &proc))
		fuzz_die("no memory");
	if (scope_proc_write_jit(proc, &self, 1, writer) || scope_trace_writer_finish(writer, NULL))
		fuzz_die("the names cannot be written");
	scope_proc_destroy(proc);
	scope_trace_writer_destroy(writer);
	if (place)
		munmap(place, bytes - 1);
	trace = fuzz_read(fd);
	if (!trace || *scope_trace_damage(trace))
		fuzz_die("what was written is no whole trace");
	scope_trace_close(trace);
	close(fd);
	return 0;
}

/* Sometimes begins with a valid header of a jitdump, because nothing is read after a wrong header. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned int seed)
{
	/* magic, version, size of the head, machine, padding, pid; time, flags; then records. */
	static const uint32_t head[10] = { 0x4a695444, 1, 40, 62, 0, 1 };
	static const uint32_t load[14] = { 0, 64, 0, 0, 1, 1, 0x1000, 0, 0x1000, 0, 4, 0, 1, 0 };

	if ((!bytes || seed % 32 == 0) && room > 1 + sizeof(head) + sizeof(load) + 8) {
		data[0] = 1;
		memcpy(data + 1, head, sizeof(head));
		memcpy(data + 1 + sizeof(head), load, sizeof(load));
		memcpy(data + 1 + sizeof(head) + sizeof(load), "f1\0\x90\x90\x90\x90", 8);
		bytes = 1 + sizeof(head) + sizeof(load) + 8;
	}
	return LLVMFuzzerMutate(data, bytes, room);
}
